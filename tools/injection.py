"""How much a text that tools return looks like instructions to the model that reads it.

Pure patterns, no model: attempts to take the reader over, words about the reader's own reply,
requests and questions that have nothing to do with the text around them. It is a second line only:
an attacker who knows it can write around it, so what protects effects is where their arguments come
from (`tools.taint`) and a person's approval.
"""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from tools.injection_words import (
    AFTER_VERB,
    ASKED_FOR,
    EDIT_VERBS,
    FUNCTION_WORDS,
    IN_REPLY,
    NOUNS_TOO,
    OVERRIDES,
    QUESTION,
    REPLY,
    REQUEST,
    TASK_VERBS,
    TO_READER,
)

EDGE_CHARS: Final = 20_000
PASSAGE_CHARS: Final = 200
LONGEST_UNIT: Final = 600
FEWEST_WORDS: Final = 3
_UNITS: Final = re.compile(r"(?<=[.!?:])\s+(?=[\"'A-Z<\[#])|\n+|\\n|\r")
_WORD: Final = re.compile(r"[^\W\d_][\w'-]*")
_TABLE_LINE: Final = re.compile(r"^\s*\|.*\||^[^|\n]*(?:\|[^|\n]*){2,}$|^[^\t\n]*\t[^\t\n]*\t")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """From 0 (plain data) to 1, and the passage that stands out most."""

    score: float = 0.0
    passage: str = ""


Scan: TypeAlias = Callable[[str], Suspicion]


class InjectionModel(Protocol):
    """A model that judges passages; optional, beside the patterns."""

    def __call__(self, passages: Sequence[str], /) -> Sequence[float]:
        """For each passage how much it is an instruction to a model, 0 to 1."""


def no_scan(_: str) -> Suspicion:
    """Suspects nothing; for apps that switch the scan off."""
    return Suspicion()


def scan_text(text: str) -> Suspicion:
    """What stands out most in a text; of a very long one its beginning and end are read."""
    if len(text) > 2 * EDGE_CHARS:
        text = f"{text[:EDGE_CHARS]}\n{text[-EDGE_CHARS:]}"
    units = list(_units(text))
    around = _Around.of(units)
    best = Suspicion()
    for unit in units:
        score = _score(unit, around)
        if score > best.score:
            best = Suspicion(score, unit.text[:PASSAGE_CHARS])
    return best


def scan_with(model: InjectionModel) -> Scan:
    """Patterns first; what they leave open is put before a model, which may only add suspicion.

    Where the model fails, the text counts as suspicious: nothing is let through unjudged.
    """

    def scan(text: str) -> Suspicion:
        found = scan_text(text)
        passages = [unit.text for unit in _units(text) if len(unit.words) >= FEWEST_WORDS]
        try:
            judged = max(zip(model(passages), passages, strict=True), default=(0.0, ""))
        except Exception as error:  # noqa: BLE001 - whatever the application's model raises
            log.warning("the scanner failed, so a result counts as suspicious: %r", error)
            return Suspicion(1.0, text[:PASSAGE_CHARS])
        return max(found, Suspicion(*judged), key=lambda one: one.score)

    return scan


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence or line, its words, and whether it is a row of a table."""

    text: str
    words: tuple[str, ...]
    in_table: bool


@dataclass(frozen=True, slots=True)
class _Around:
    """The text a unit stands in: how often each stem occurs, and whether it is mostly a table."""

    stems: dict[str, int]
    is_table: bool

    @classmethod
    def of(cls, units: Sequence[_Unit]) -> "_Around":
        stems: dict[str, int] = {}
        for unit in units:
            for stem in _stems(unit.words):
                stems[stem] = stems.get(stem, 0) + 1
        rows = sum(unit.in_table for unit in units)
        return cls(stems, rows >= 2 and rows * 2 >= len(units))

    def novelty(self, unit: _Unit) -> float:
        """The share of a unit's content words that stand nowhere else in the text."""
        stems = _stems(unit.words)
        if not stems:
            return 0.0
        return sum(self.stems[stem] == 1 for stem in stems) / len(stems)


def _units(text: str) -> Iterator[_Unit]:
    for line in text.splitlines():
        if _TABLE_LINE.match(line) and "CONTENT:" not in line:
            yield _unit(line.strip(), in_table=True)
            continue
        for part in _UNITS.split(line.replace("|", "\n")):
            for at in range(0, len(part), LONGEST_UNIT):
                piece = part[at : at + LONGEST_UNIT].strip(" \t\"'*-•>#:")
                if piece:
                    yield _unit(piece)


def _unit(text: str, *, in_table: bool = False) -> _Unit:
    words = tuple(word.casefold() for word in _WORD.findall(text))
    return _Unit(text, words, in_table)


def _stems(words: Sequence[str]) -> set[str]:
    """Content words, cut to where their endings begin."""
    return {word[:6] for word in words if len(word) > 2 and word not in FUNCTION_WORDS}


def _score(unit: _Unit, around: _Around) -> float:
    """From 0 to 1; .5 and more is what the default settings flag."""
    if OVERRIDES.search(unit.text):
        return 0.95
    if unit.in_table or len(unit.words) < FEWEST_WORDS:
        return 0.0
    verb = _verb(unit.text)
    about_reply = bool(REPLY.search(unit.text))
    opening = REQUEST.match(unit.text)
    edits = opening is not None and opening[1].casefold() in EDIT_VERBS
    if IN_REPLY.match(unit.text) or (about_reply and edits):
        return 0.9
    return _out_of_place(unit, around, verb, about_reply)


def _verb(text: str) -> str:
    """The verb that a request opens with; a noun of the same form is none."""
    found = REQUEST.match(text)
    if found is None:
        return ""
    verb, after = found[1].casefold(), (found[2] or "").casefold()
    is_noun = verb in NOUNS_TOO and after not in AFTER_VERB and after[:1] not in "\"'"
    return "" if is_noun else verb


def _out_of_place(unit: _Unit, around: _Around, verb: str, about_reply: bool) -> float:
    """How little a request or question belongs to the text around it."""
    wanted = verb in TASK_VERBS or bool(ASKED_FOR.match(unit.text))
    question = unit.text.rstrip(" \"')").endswith("?") and bool(QUESTION.match(unit.text))
    if not (wanted or question):
        return 0.2 if about_reply else 0.0
    if around.is_table:
        return 0.8
    if TO_READER.search(unit.text):
        return 0.2
    novelty = around.novelty(unit)
    base = 0.35 if question and not wanted else 0.3
    return min(base + 0.45 * novelty, 0.85)
