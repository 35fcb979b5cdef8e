"""What went wrong with a pair: merged, missed or retired, and whether it is as it should be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evals.writes_data import Pair
from memory.fact_history import Fact
from memory.same_values import shared_words, value_key
from memory.slots import Slot

SHARED: Final = 0.5
"""Of a text slot's value this share of words must be the expected one's."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a pair; None where the rate does not apply to it.

    Attributes:
        right: Current and retired values are exactly the expected ones.
        merged: Values that should stand apart do not, or one of them was never stored, or what
            somebody else's statement said was taken for the user's.
        missed: The same value twice is not one fact resting on both statements.
        retired: What should still hold does not.
    """

    right: bool
    merged: bool | None
    missed: bool | None
    retired: bool | None


def judge(pair: Pair, facts: Sequence[Fact], slots: Mapping[str, Slot]) -> Verdict:
    """Compare the facts after a pair with what was expected; turns are numbered from 0.

    Of several fair readings the one counts that they fit best.
    """
    found = [_judge(reading, facts, slots) for reading in (pair, *pair.others)]
    return min(found, key=lambda one: sum(map(bool, (one.merged, one.missed, one.retired))))


def _judge(pair: Pair, facts: Sequence[Fact], slots: Mapping[str, Slot]) -> Verdict:
    current = {
        name: [fact for fact in facts if fact.slot == name and fact.is_current]
        for name in pair.current
    }
    held = all(
        _covered(slots[name], values, current[name]) for name, values in pair.current.items()
    )
    counted = sum(len(found) for found in current.values()) == pair.count
    past = [fact for fact in facts if fact.slot == pair.slot and not fact.is_current]
    gone = not pair.retired or _covered(slots[pair.slot], pair.retired, past)
    right = held and counted and gone
    if pair.is_same:
        return Verdict(right, None, not _is_one(pair, current[pair.slot]), _lost(pair, facts))
    merged = not (held and gone and counted)
    return Verdict(right, merged, None, _lost(pair, facts) if pair.keeps_first else None)


def _is_one(pair: Pair, current: Sequence[Fact]) -> bool:
    """Whether one fact rests on the first and on the last statement."""
    wanted = {"0", str(len(pair.said) - 1)}
    return len(current) == 1 and wanted <= {one.turn_id for one in current[0].mentions}


def _lost(pair: Pair, facts: Sequence[Fact]) -> bool:
    """Whether something that was said first is not current any more, or never was."""
    if not pair.slot:
        return False
    first = [
        fact
        for fact in facts
        if fact.slot == pair.slot and any(one.turn_id == "0" for one in fact.mentions)
    ]
    wanted = bool(pair.current.get(pair.slot))
    return (wanted and not first) or any(not fact.is_current for fact in first)


def _covered(slot: Slot, wanted: Sequence[str], facts: Sequence[Fact]) -> bool:
    """Whether each wanted value is one of the facts, each fact used once."""
    left = list(facts)
    for value in wanted:
        found = next((fact for fact in left if _says(slot, fact, value)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def _says(slot: Slot, fact: Fact, wanted: str) -> bool:
    key = value_key(slot, wanted)
    for one in fact.mentions:
        came = value_key(slot, one.value)
        if came == key or set(key.split()) <= set(came.split()):
            return True
        if slot.type == "text" and shared_words(one.value, wanted) >= SHARED:
            return True
        if slot.type != "email" and set(came.split()) <= set(key.split()):
            return True
    return False
