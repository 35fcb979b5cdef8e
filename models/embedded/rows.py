"""Rows of records in tool results, and the one of them that words pick out."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from models.parameters import IdShape
from text.dates import Period
from text.words import content_stems

_OBJECT: Final = re.compile(r"\{[^{}]*\}")
_ORDINAL: Final = re.compile(
    r"\b(?:the |number |no\.? |item )?(?P<word>first|1st|second|2nd|third|3rd|fourth|4th|fifth|5th"
    r"|last|bottom|top)(?: one| of (?:them|these|those)| in the list)?\b"
    r"(?! (?:of )?(?:week|month|quarter|year|half|time|name|day"
    r"|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))",
    re.IGNORECASE,
)
_PLACES: Final = {
    "first": 0, "1st": 0, "top": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3,
    "4th": 3, "fifth": 4, "5th": 4, "last": -1, "bottom": -1,
}  # fmt: skip
_MOST: Final = re.compile(
    r"\b(?P<high>latest|newest|most recent|largest|biggest|highest|most expensive|heaviest"
    r"|longest)\b"
    r"|\b(?P<low>oldest|earliest|smallest|lowest|cheapest|lightest|shortest|soonest)\b",
    re.IGNORECASE,
)
_TIMELY: Final = re.compile(r"latest|newest|recent|oldest|earliest|soonest", re.IGNORECASE)
_NAMING: Final = ("name", "title", "subject", "heading", "label", "customer", "product", "text")
LONGEST: Final = 60
_ISO: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a result, its plain values by key."""

    values: Mapping[str, Any]

    def ids(self, shape: IdShape) -> list[str]:
        """Ids of one kind, the row's own before those of records that it names."""
        found = [
            (not key.startswith(shape.kind.lower()) and key not in ("id", "number"), value)
            for key, value in self.values.items()
            if isinstance(value, str) and (hits := shape.found_in(value)) and hits[0][0] == value
        ]
        return [str(value) for _, value in sorted(found, key=lambda one: one[0])]

    def title(self) -> str:
        """What people call it: its names, and its day or sum."""
        keys = [key for key in self.values if any(one in key for one in _NAMING)]
        texts = [str(self.values[key]) for key in keys if isinstance(self.values[key], str)]
        return ", ".join(list(dict.fromkeys(one for one in texts if 1 < len(one) <= LONGEST))[:2])

    def stems(self) -> frozenset[str]:
        """Stems of the words of its texts."""
        texts = [str(value) for value in self.values.values() if isinstance(value, str | bool)]
        return frozenset(content_stems(" ".join(texts).replace("_", " ")))

    def days(self) -> list[date]:
        """The days among its values."""
        texts = [str(value) for value in self.values.values() if isinstance(value, str)]
        return [_as_day(one) for text in texts for one in _ISO.findall(text)]


def _as_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return date.min


def rows_of(text: str) -> list[Row]:
    """The records of a result, in order; a cut one gives those that are whole."""
    begin = min(
        (at for at in (text.find("{"), text.find("[{"), text.find("[[")) if at >= 0), default=-1
    )
    if begin < 0:
        return []
    try:
        value, _ = json.JSONDecoder().raw_decode(text[begin:])
        return list(_rows(value, {}))
    except ValueError:
        return [Row(one) for one in map(_object, _OBJECT.findall(text)) if one]


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _rows(value: object, outer: Mapping[str, Any]) -> Iterator[Row]:
    if isinstance(value, list):
        for one in value:
            yield from _rows(one, outer)
    elif isinstance(value, Mapping):
        inner = {k: v for k, v in value.items() if isinstance(v, list | Mapping) and v}
        plain = {k: v for k, v in value.items() if k not in inner}
        listed = {k: v for k, v in plain.items() if not isinstance(v, list)}
        if listed:
            yield Row({**listed})
        for one in inner.values():
            yield from _rows(one, {})


def picked(
    rows: Sequence[Row],
    shape: IdShape,
    text: str,
    periods: Sequence[Period] = (),
    *,
    but: Sequence[str] = (),
    sole: bool = True,
) -> list[str]:
    """Ids of the records that a text picks out of rows: one, several that fit, or none.

    Args:
        rows: what was shown, in order.
        shape: of the ids wanted.
        text: what the user said.
        periods: days that he named.
        but: ids that are not meant ("the other one").
        sole: whether the only record is meant though no word points at it.
    """
    held = [(row, ids[0]) for row in rows if (ids := row.ids(shape)) and ids[0] not in but]
    held = list({key: (row, key) for row, key in reversed(held)}.values())[::-1]
    if not held:
        return []
    wanted = frozenset(content_stems(text))
    scores = [len(wanted & row.stems()) + 2 * _in(row, periods) for row, _ in held]
    most, ordinal = _MOST.search(text), _ORDINAL.search(text)
    if not (sole or most or ordinal or max(scores) > 0):
        return []
    if max(scores) > 0:
        held = [one for one, score in zip(held, scores, strict=True) if score == max(scores)]
    if len(held) > 1 and most:
        held = [_extreme(held, most)]
    elif len(held) > 1 and ordinal:
        place = _PLACES[ordinal["word"].lower()]
        held = [held[place]] if place < len(held) else held
    return [key for _, key in held]


def _in(row: Row, periods: Sequence[Period]) -> int:
    early, late = date.min + timedelta(days=1), date.max
    return sum(
        any((one.first or early) <= day <= (one.last or late) for day in row.days())
        for one in periods
    )


def _extreme(held: Sequence[tuple[Row, str]], most: re.Match[str]) -> tuple[Row, str]:
    if _TIMELY.search(most[0]):
        late = bool(re.search("latest|newest|recent", most[0], re.IGNORECASE))
        return (max if late else min)(held, key=lambda one: min(one[0].days() or [date.min]))
    numbers = [
        [v for v in row.values.values() if isinstance(v, int | float) and not isinstance(v, bool)]
        for row, _ in held
    ]
    keys = [max(one, default=0) for one in numbers]
    best = (max if most["high"] else min)(keys)
    return held[keys.index(best)]
