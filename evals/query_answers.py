"""Whether the answer to one query holds the answer to another, perhaps said otherwise."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

CENTS: Final = 100
"""A sum may stand in cents or in euros."""
DECIMALS: Final = 2
MOST_WAYS: Final = 1_000
Value = str | float | bytes | None
Rows = Sequence[Sequence[Value]]


def holds(wanted: Rows, came: Rows) -> bool:
    """Whether each wanted row came, and no other, in any order of rows and columns.

    Columns beside the wanted ones are no fault: who asks for names may read ids as well.
    """
    if not wanted or not came:
        return not wanted and not came
    if len(wanted) != len(came) or len(wanted[0]) > len(came[0]):
        return False
    goal = Counter(tuple(_read(one) for one in row) for row in wanted)
    return any(Counter(zip(*columns, strict=True)) == goal for columns in _matched(wanted, came))


def _matched(wanted: Rows, came: Rows) -> Iterator[tuple[tuple[Value, ...], ...]]:
    """Columns that came in the place of the wanted ones, each with the wanted values."""
    offered = [
        (at, _column(came, at, unit))
        for at in range(len(came[0]))
        for unit in (1, CENTS, 1 / CENTS)
    ]
    fitting = []
    for number in range(len(wanted[0])):
        values = Counter(_column(wanted, number, 1))
        fitting.append([one for one in offered if Counter(one[1]) == values])
    if math.prod(map(len, fitting)) > MOST_WAYS:
        fitting = [found[:2] for found in fitting]
    for chosen in product(*fitting):
        if len({at for at, _ in chosen}) == len(chosen):
            yield tuple(column for _, column in chosen)


def _column(found: Rows, at: int, unit: float) -> tuple[Value, ...]:
    return tuple(_read(row[at], unit) for row in found)


def _read(value: Value, unit: float = 1) -> Value:
    if isinstance(value, int | float):
        return round(value * unit, DECIMALS)
    return value
