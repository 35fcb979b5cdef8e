"""Order and choice of the first ones: "the three cheapest", "top 5 by seats", "newest first"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from models.embedded.tables.schema import Mention

Kind = Literal["money", "date", "figure", ""]

NUMBER_WORDS: Final[Mapping[str, int]] = {
    word: at
    for at, word in enumerate(
        [
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ],
        1,
    )
}
COUNT: Final = rf"(?:\d{{1,3}}|{'|'.join(NUMBER_WORDS)})"
_SAID: Final[Mapping[tuple[Kind, bool], str]] = {
    ("money", True): r"most expensive|priciest|dearest|costliest",
    ("money", False): r"cheapest|least expensive|most affordable",
    ("date", True): r"most recent(?:ly)?|newest|latest|youngest",
    ("date", False): r"oldest|earliest|longest(?:[ -](?:standing|serving|lasting))?",
    ("figure", True): (
        r"best[ -]?sell(?:er|ing)|most (?:popular|often|frequent(?:ly)?)|biggest|largest|highest"
        r"|greatest|most|best|top|strongest"
    ),
    ("figure", False): (
        r"least (?:popular|often|frequent(?:ly)?)|smallest|lowest|fewest|least|worst|weakest"
    ),
}
_ADJECTIVE: Final = "|".join(_SAID.values())
_FIRST: Final = re.compile(
    rf"\b(?:from |with )?(?:the )?({_ADJECTIVE})(?: (?:ones?|amounts?|sums?|values?|dates?))?"
    rf" (?:first|on top|at the top|to (?:the )?(?:{_ADJECTIVE}))\b",
    re.IGNORECASE,
)
_WAY: Final = re.compile(
    r"\b(?:in )?(desc|asc|alphabetic)(?:ending(?:ly)?|al(?:ly)?)?(?: order)?\b", re.IGNORECASE
)
_TOP: Final = re.compile(
    rf"\b(?:the )?(?:(?:(?P<top>top|first|last|latest|bottom)[ -]?(?P<n1>{COUNT}))\b"
    rf"|(?:(?P<n2>{COUNT}) )?(?:single )?(?P<said>{_ADJECTIVE})\b(?: (?P<n3>{COUNT})\b)?)",
    re.IGNORECASE,
)
_END: Final = re.compile(
    r"\b(?:the )?(?:very )?(last|first)(?=\s*(?:[?.!]|$)|\s+(?:customer|client|order|invoice|bill"
    r"|payment|refund|company|account)\b)",
    re.IGNORECASE,
)
_SORT: Final = re.compile(
    r"\b(?:sort(?:ed)?|order(?:ed)?|rank(?:ed)?|arrange(?:d)?)(?: (?:that|them|these|this|it"
    r"|the (?:list|rows|result)))? by\b|\bin order of\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Rank:
    """The order of rows, and how many of them.

    Attributes:
        kind: what is compared where no column is named; empty takes any.
        down: the largest or latest first.
        limit: how many rows; 0 takes all.
        plural: whether the number of rows was said.
        start, end: where the words stand.
    """

    kind: Kind
    down: bool
    limit: int
    plural: bool
    start: int
    end: int


@dataclass(slots=True)
class Ranking:
    """A ranking as clauses.

    Attributes:
        by: what is compared, as SQL.
        used: mentions that are used up by it.
    """

    base: str
    by: str
    what: list[str]
    group: str
    order: str
    limit: int
    used: list[Mention] = field(default_factory=list)
    joined: list[str] = field(default_factory=list)
    where: list[str] = field(default_factory=list)


def ranked(text: str) -> Rank | None:
    """The order that a text asks for; None when it asks for none."""
    if found := _FIRST.search(text):
        return Rank(*_kind(found[1]), 0, True, *found.span())
    if found := _TOP.search(text):
        size = found["n1"] or found["n2"] or found["n3"]
        last = (found["top"] or "").lower() in ("last", "latest")
        first = (found["top"] or "").lower() == "first"
        down = (found["top"] or "").lower() not in ("first", "bottom")
        kind: Kind = "date" if last or first else ""
        if found["said"]:
            kind, down = _kind(found["said"])
        return Rank(kind, down, _count(size) if size else 1, bool(size), *found.span())
    if found := _END.search(text):
        return Rank("date", found[1].lower() == "last", 1, False, *found.span())
    return None


def sorting(text: str) -> tuple[int, int, bool] | None:
    """Where "sorted by" or "descending" stands and ends, and whether down is said."""
    by, way = _SORT.search(text), _WAY.search(text)
    found = by or way
    return (*found.span(), bool(way and way[1].lower() == "desc")) if found else None


def _kind(said: str) -> tuple[Kind, bool]:
    return next(key for key, pattern in _SAID.items() if re.fullmatch(pattern, said, re.IGNORECASE))


def _count(said: str) -> int:
    return int(said) if said.isdigit() else NUMBER_WORDS[said.lower()]
