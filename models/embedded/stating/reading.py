"""All statements of a text: cues first, then wishes, then what happened."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from models.embedded.stating.clauses import Clause, clauses
from models.embedded.stating.corrections import corrected
from models.embedded.stating.cue import Cue
from models.embedded.stating.cues import CUES
from models.embedded.stating.cues_abroad import CUES_ABROAD
from models.embedded.stating.events import happened
from models.embedded.stating.wishes import (
    formats,
    is_lasting,
    languages,
    mails,
    standing,
    takes_back,
)

_PASSING: Final = re.compile(
    r"\b(?:for (?:a|the|an|two|three|some) (?:\w+ )?(?:conference|meeting|week|weeks|day|days|few|trip|visit|holiday|weekend|workshop|training|month)|this (?:week|weekend|afternoon|morning)|tomorrow|tonight"
    r"|next (?:week|month|year)|on (?:holiday|vacation|a trip|business)|visiting|travel\w*|trip|passing through|until (?:friday|monday|tomorrow)|for lunch|stuck in)\b",
    re.IGNORECASE,
)
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


def read_statements(text: str, is_place: Callable[[str], bool]) -> list[Read]:
    """What a text states, each slot's value once.

    Args:
        text: What a user said.
        is_place: Tells towns from companies.
    """
    found: dict[tuple[str, str], Read] = {}
    for clause in clauses(text):
        if clause.maybe:
            continue
        read = list(_of_clause(clause, is_place))
        if not read and not clause.asked:
            read = [Read(slot, value, clause) for slot, value in corrected(clause, is_place)]
        for one in read:
            found.setdefault((one.slot, one.value.casefold()), one)
    return list(found.values())


def _of_clause(clause: Clause, is_place: Callable[[str], bool]) -> Iterator[Read]:
    if clause.asked:
        yield from _asked(clause)
        return
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


def _asked(clause: Clause) -> Iterator[Read]:
    """What a question asks for, if it is asked for good or is how to be spoken to."""
    lasting = is_lasting(clause.text)
    for slot, read in _WISHES:
        if slot == "language" or lasting:
            yield from (Read(slot, value, clause) for value in read(clause))
    if lasting and not mails(clause):
        yield from (Read("preference", value, clause) for value in standing(clause))


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
