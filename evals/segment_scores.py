"""Scores of segmentations: Pk, WindowDiff, and F1 of boundaries.

A segmentation is the set of places where a segment begins, the first one left out. Pk and
WindowDiff are means over dialogues, with a window of half the mean true segment, at least two
messages (as the package segeval does it); F1 is pooled over all boundaries and counts exact places.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

LEAST_WINDOW = 2


@dataclass(frozen=True, slots=True)
class Cut:
    """One dialogue: how long it is, where it is cut, and where it should be."""

    length: int
    found: frozenset[int]
    gold: frozenset[int]


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of many dialogues."""

    pk: float
    window_diff: float
    precision: float
    recall: float
    f1: float


def window_of(length: int, gold: AbstractSet[int]) -> int:
    """Half the mean true segment, at least two messages."""
    return max(LEAST_WINDOW, round(length / (len(gold) + 1) / 2))


def pk(cut: Cut) -> float:
    """Share of windows whose ends are wrongly together or wrongly apart (Beeferman 1999)."""
    return _share(cut, lambda found, gold: (found > 0) != (gold > 0))


def window_diff(cut: Cut) -> float:
    """Share of windows with a wrong number of boundaries (Pevzner and Hearst 2002)."""
    return _share(cut, lambda found, gold: found != gold)


def scores(cuts: Sequence[Cut]) -> Scores:
    """The scores of all dialogues together."""
    right = sum(len(cut.found & cut.gold) for cut in cuts)
    found = sum(len(cut.found) for cut in cuts)
    gold = sum(len(cut.gold) for cut in cuts)
    return Scores(
        pk=sum(map(pk, cuts)) / max(1, len(cuts)),
        window_diff=sum(map(window_diff, cuts)) / max(1, len(cuts)),
        precision=right / max(1, found),
        recall=right / max(1, gold),
        f1=2 * right / max(1, found + gold),
    )


def starts(lengths: Sequence[int]) -> frozenset[int]:
    """Where segments of these lengths begin, the first one left out."""
    places, at = set[int](), 0
    for length in lengths[:-1]:
        at += length
        places.add(at)
    return frozenset(places)


def _share(cut: Cut, wrong: Callable[[int, int], bool]) -> float:
    window = window_of(cut.length, cut.gold)
    count = cut.length - window
    if count <= 0:
        return 0.0
    found, gold = _running(cut.length, cut.found), _running(cut.length, cut.gold)
    return (
        sum(
            wrong(found[at + window] - found[at], gold[at + window] - gold[at])
            for at in range(count)
        )
        / count
    )


def _running(length: int, places: AbstractSet[int]) -> list[int]:
    """How many boundaries stand at or before each message."""
    running, total = [], 0
    for at in range(length):
        total += at in places
        running.append(total)
    return running
