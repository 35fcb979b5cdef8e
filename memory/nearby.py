"""Pure: what stands around an item in its thread counts for it too.

An answer seldom repeats the question's words; the turn before it does. So an item's value is
blended with that of the best items near it.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from memory.candidates import Place

REACH: Final = 5
"""How many positions away an item still counts, either way."""

BEST: Final = 2
"""How many of the places within reach count: those with the highest values, its own among them."""

SHARE: Final = 0.5
"""Part of the blended value that comes from around the item."""


def in_context(
    values: Sequence[float], places: Sequence[Place], reach: int = REACH, share: float = SHARE
) -> list[float]:
    """Each value blended with the mean of the best values within reach, itself included.

    Items at one place count once, by the best of them. Nothing around leaves a value as it is.
    """
    threads: dict[str, dict[int, float]] = defaultdict(dict)
    for value, place in zip(values, places, strict=True):
        if place.thread:
            at = threads[place.thread]
            at[place.position] = max(value, at.get(place.position, value))
    blended = []
    for value, place in zip(values, places, strict=True):
        around = _around(threads[place.thread], place.position, reach) if place.thread else [value]
        best = sorted(around, reverse=True)[:BEST]
        blended.append((1.0 - share) * value + share * sum(best) / len(best))
    return blended


def _around(values: dict[int, float], position: int, reach: int) -> list[float]:
    near = range(position - reach, position + reach + 1)
    return [values[at] for at in near if at in values]
