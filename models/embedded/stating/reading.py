"""All statements of a text: cues first, then wishes, then what happened."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from models.embedded.stating.clauses import Clause, clauses
from models.embedded.stating.corrections import corrected
from models.embedded.stating.cues import CUES, Cue
from models.embedded.stating.cues_abroad import CUES_ABROAD
from models.embedded.stating.events import happened
from models.embedded.stating.sense import Sense
from models.embedded.stating.wishes import formats, languages, mails, standing, takes_back

_PASSING: Final = re.compile(
    r"\b(?:for (?:a|the|an|two|three|some) (?:\w+ )?(?:conference|meeting|week|weeks|day|days|few|trip|visit|holiday|weekend|workshop|training|month)|this (?:week|weekend|afternoon|morning)|tomorrow|tonight"
    r"|next (?:week|month|year)|on (?:holiday|vacation|a trip|business)|visiting|travel\w*|trip|passing through|until (?:friday|monday|tomorrow)|for lunch|stuck in)\b",
    re.IGNORECASE,
)
_CALLED: Final = re.compile(r"\b(?:called|phoned|rung) (?:in|at|on|before|after|by)\b")
_WISHES: Final[tuple[tuple[str, Callable[[Clause], list[str]]], ...]] = (
    ("email", mails),
    ("language", languages),
    ("report_format", formats),
)


@dataclass(frozen=True, slots=True)
class Read:
    """One statement as it was read.

    Attributes:
        ended: It holds no more.
        past: It held once.
    """

    slot: str
    value: str
    clause: Clause
    ended: bool = False
    past: bool = False


def read_statements(
    text: str, is_place: Callable[[str], bool], sense: Sense | None = None
) -> list[Read]:
    """What a text states, each slot's value once.

    Args:
        text: What a user said.
        is_place: Tells towns from companies.
        sense: Reads clauses that no cue has read.
    """
    found: dict[tuple[str, str], Read] = {}
    for clause in clauses(text):
        if clause.maybe:
            continue
        read = list(_of_clause(clause, is_place))
        if not read:
            read = [Read(slot, value, clause) for slot, value in corrected(clause, is_place)]
        if sense is not None and not read:
            read = [Read(slot, value, clause) for slot, value in sense.read(clause)]
        for one in read:
            found.setdefault((one.slot, one.value.casefold()), one)
    return list(found.values())


def _of_clause(clause: Clause, is_place: Callable[[str], bool]) -> Iterator[Read]:
    stated = _told_apart(list(_cued(clause)), is_place)
    wished = [
        Read(slot, value, clause, ended=clause.ended)
        for slot, read in _WISHES
        for value in read(clause)
    ]
    yield from stated
    yield from wished
    taken = {one.slot for one in [*stated, *wished]}
    if not taken - {"location"}:
        for value in standing(clause):
            yield Read("preference", value, clause, ended=takes_back(value))
    yield from (Read("milestone", value, clause) for value in happened(clause))


def _told_apart(found: list[Read], is_place: Callable[[str], bool]) -> list[Read]:
    """Of one value read as a town, a company and a team, what it is."""
    slots: dict[str, set[str]] = {}
    for one in found:
        slots.setdefault(one.value, set()).add(one.slot)
    wrong = {
        value: {"employer", "team"} if is_place(value) else {"location"}
        for value, read in slots.items()
        if "location" in read and read & {"employer", "team"}
    }
    return [one for one in found if one.slot not in wrong.get(one.value, ())]


def _cued(clause: Clause) -> Iterator[Read]:
    seen: set[str] = set()
    for cue in (*CUES, *CUES_ABROAD):
        if cue.slot in seen:
            continue
        found = _values(cue, clause)
        if found:
            seen.add(cue.slot)
            yield from found


def _values(cue: Cue, clause: Clause) -> list[Read]:
    small = clause.sentence == clause.sentence.lower()
    match = (cue.small if small else cue.pattern).search(clause.text)
    if match is None:
        return []
    named = "v" in cue.pattern.groupindex
    rest = match["v"] if named else clause.text[match.end() :].lstrip()
    if cue.slot == "location" and _PASSING.search(clause.text):
        return []
    ended = cue.ended or clause.ended
    return [Read(cue.slot, value, clause, ended=ended, past=cue.past) for value in cue.find(rest)]
