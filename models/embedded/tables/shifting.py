"""Days counted from those of the last query: "the week after", "on the 13th", "same days"."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from models.embedded.patterns import shifted
from models.embedded.tables.dayspans import Days, month_of

_DAY: Final = r"'(\d{4}-\d{2}-\d{2})'"
_SPAN: Final = re.compile(rf"BETWEEN {_DAY} AND {_DAY}|= {_DAY}", re.IGNORECASE)
_SAME: Final = re.compile(
    r"\b(?:(?:for|in|on) )?(?:the )?same (?:days?|dates?|period|time|time ?span|timeframe|week"
    r"|range)\b",
    re.IGNORECASE,
)
_NEXT: Final = re.compile(
    r"\b(?:(?:in|for|on) )?(?:the )?(?:(?P<unit>day|week|month) (?P<way>after|before|earlier|later"
    r"|prior)(?: that| this)?|(?P<first>next|following|previous|preceding)"
    r" (?P<of>day|week|month))\b",
    re.IGNORECASE,
)
_NTH: Final = re.compile(
    r"\b(?:on |for )?the (\d{1,2})(?:st|nd|rd|th)(?: of (?:that|the same) month)?(?=\W*$)",
    re.IGNORECASE,
)
_BACK: Final = ("before", "earlier", "prior", "previous", "preceding")


def span_of(conditions: Sequence[str]) -> Days | None:
    """The days that conditions on a date allow; None where an end is open."""
    for one in conditions:
        if found := _SPAN.search(one):
            first, last = found[1] or found[3], found[2] or found[3]
            return date.fromisoformat(first), date.fromisoformat(last)
    return None


def dated(text: str, span: Days | None) -> str:
    """The text with the days written out that it counts from the last query's.

    Args:
        text: a short text that goes on.
        span: the days of the last query.
    """
    if span is None:
        return text
    text = _SAME.sub(" ", text)
    if found := _NEXT.search(text):
        unit = (found["unit"] or found["of"]).lower()
        back = (found["way"] or found["first"]).lower() in _BACK
        first, last = _moved(span, unit, -1 if back else 1)
        return f"{text[: found.start()]}from {first} to {last}{text[found.end() :]}"
    if found := _NTH.search(text):
        day = _day_of(span[0], int(found[1]))
        return f"{text[: found.start()]}on {day}{text[found.end() :]}" if day else text
    return text


def _moved(span: Days, unit: str, by: int) -> Days:
    """The next or previous days of a unit; as long as before, where they are no month."""
    first, last = span
    if unit == "month":
        edge = last if by > 0 else first
        return month_of(date.fromisoformat(f"{shifted(edge.isoformat()[:7], by)}-01"))
    days = timedelta(days=7 if unit == "week" else 1)
    return first + by * days, last + by * days


def _day_of(month: date, day: int) -> date | None:
    try:
        return month.replace(day=day)
    except ValueError:
        return None
