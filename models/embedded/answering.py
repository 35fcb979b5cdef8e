"""Answers to what the desk has asked: values, reasons, and one of the choices it has named."""

import re
from collections.abc import Sequence
from typing import Final

from models.embedded.followup import asked_back
from models.embedded.patterns import Identifier, identifiers
from models.embedded.reference import Nouns
from models.embedded.speech import core
from models.embedded.words import STOP_WORDS, WORD, stem, word_set, words
from state import TurnRecord

_CHOICE: Final = re.compile(r"\b([A-Z]{2,6}-\d{3,8}) ([^,;:?\n(]+(?:\([^)\n]*\))?)")
_OFFERED: Final = re.compile(r"\bwhich (?:one|customer|company)\b[^?]*:[^?]*\?", re.IGNORECASE)
MIN_TURNS: Final = 2
_OTHER_OF: Final = re.compile(r"\bthe other (\w+)\b", re.IGNORECASE)
_PLAIN: Final = word_set(
    "ltd inc gmbh sa as ab oy nv bv llp sas kk spa aps sl ones people guys one"
)


def offered(record: TurnRecord | None) -> list[tuple[str, str]]:
    """Ids and names of the choices that a turn has ended with."""
    if record is None or not asked_back(record):
        return []
    found = _OFFERED.search(record["answer"])
    named = {one[1]: one[2].strip() for one in _CHOICE.finditer(found[0])} if found else {}
    return list(named.items())


def chosen(text: str, choices: Sequence[tuple[str, str]]) -> str:
    """The id of the one choice that a text names by what sets it apart; empty if none."""
    said = {word.removesuffix("'s") for word in words(text)}
    own = [set(words(name)) - _PLAIN - STOP_WORDS for _, name in choices]
    fitting = []
    for at, (id_, _) in enumerate(choices):
        others = set[str]().union(*(one for n, one in enumerate(own) if n != at))
        if id_.lower() in text.lower() or (own[at] - others) & said:
            fitting.append(id_)
    ordinals = ("first", "second", "third", "fourth")
    placed = [choices[n][0] for n, word in enumerate(ordinals[: len(choices)]) if word in said]
    picked = fitting or placed
    return picked[0] if len(picked) == 1 else ""


def with_other(text: str, history: Sequence[TurnRecord]) -> str:
    """The text with the choice that is left, for "the other Brightwater" after one was taken."""
    found = _OTHER_OF.search(text)
    if found is None or len(history) < MIN_TURNS:
        return text
    asked = [offered(record) for record in history[-3:-1]]
    choices = next((one for one in reversed(asked) if one), [])
    calls = [call for module in history[-1]["modules"] for call in module["calls"]]
    taken = {str(value) for call in calls for value in call["args"].values()}
    left = [name for id_, name in choices if not taken & {id_, _bare(name)}]
    if len(left) != 1 or len(left) == len(choices):
        return text
    shared = set.intersection(*(set(words(_bare(name))) for _, name in choices)) - _PLAIN
    if found[1].lower() not in shared | {"one"}:
        return text
    return f"{text[: found.start()]}{_bare(left[0])}{text[found.end() :]}"


def with_choice(request: str, id_: str, choices: Sequence[tuple[str, str]]) -> str:
    """The request with the chosen one's name in the place of the unclear name."""
    whole = _bare(dict(choices)[id_])
    shared = set.intersection(*(set(words(name)) for _, name in choices)) - _PLAIN
    for match in re.finditer(r"[\w'&.-]+", request):
        if match[0].lower().removesuffix("'s") in shared:
            rest = request[match.end() :]
            ending = "'s" if match[0].endswith("'s") else ""
            return f"{request[: match.start()]}{whole}{ending}{rest}"
    return f"{request.rstrip(' .?!')}: {whole}"


def _bare(name: str) -> str:
    """A choice's name without what is told of it in brackets."""
    return name.partition(" (")[0]


def asks_reason(record: TurnRecord) -> bool:
    """Whether a turn ended with the question for a reason."""
    return record["answer"].rstrip().endswith(("the reason?", "I need the reason. What is it?"))


def joined(record: TurnRecord, request: str, text: str, nouns: Nouns) -> str:
    """The last request with the answer to what the desk asked about it.

    Ids go to the nouns they belong to: "cancel the order and void its bill" needs two.
    """
    start = request.rstrip(" .?!")
    text = core(text)
    if asks_reason(record) and not text.lower().startswith("because"):
        return f"{start} because {text}"
    ids = identifiers(text, frozenset(nouns.kinds.values()))
    if len({one.kind for one in ids}) < 2:
        return f"{start}: {text}"
    for one in ids:
        start = _with_id(start, one, nouns)
        text = text.replace(one.text, " ")
    rest = re.sub(r"^(?:\W|\band\b)+", "", text)
    return f"{start}, {rest}" if rest else start


def _with_id(request: str, id_: Identifier, nouns: Nouns) -> str:
    """The request with an id after the first noun of its kind."""
    for noun in WORD.finditer(request):
        if nouns.kinds.get(stem(noun[0].lower())) == id_.kind:
            return f"{request[: noun.end()]} {id_.text}{request[noun.end() :]}"
    return f"{request}: {id_.text}"
