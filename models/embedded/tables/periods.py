"""Spans of time in a question: "in May", "since April", "the first week of June", "Q2"."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from models.embedded.tables.dayspans import Days, month_of
from models.embedded.tables.dayspans import units as units_in

_LEAD: Final = re.compile(
    r"\b(?:(since|starting(?: in| from| with)?|as of|from)|(after|later than)"
    r"|(before|earlier than|prior to|older than)|(until|till|up to|up until|through|by)"
    r"|(?:in|during|over|of|for|on|within|throughout|at|between|all))"
    r"(?: the (?:start|beginning)(?: of)?| the end of| the| all)?[ ,]*$|$",
    re.IGNORECASE,
)
_LINK: Final = re.compile(r"\s*(?:,|and|to|until|till|through|-|\u2013)\s*(?:the )?\s*", re.I)
_CLOSED: Final = re.compile(r"this|last|previous|past|current|yesterday|today", re.IGNORECASE)
_AROUND: Final = re.compile(
    r"(?:\s*\(|, )(?:from )?(?:the )?\d+(?:st|nd|rd|th)? ?(?:to|until|till|-|\u2013) ?(?:the )?"
    r"\d+(?:st|nd|rd|th)?\b\)?"
)
_OPEN: Final = re.compile(
    r"\s*(?:(?P<later>(?:or|and) (?:later|after(?:wards)?|newer|since)|onwards?|on(?=\W*$))"
    r"|(?P<earlier>(?:or|and) (?:before|earlier|older)))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Period:
    """Days of a question, both ends included; an open end is None.

    Attributes:
        start, end: where the words stand in the text.
    """

    first: date | None
    last: date | None
    start: int
    end: int

    @property
    def is_month(self) -> bool:
        """Whether it is exactly one calendar month."""
        if self.first is None or self.last is None or self.first.day != 1:
            return False
        return self.last == month_of(self.first)[1]

    def ahead(self, today: date) -> "Period":
        """The same days a year later if they are long past, for what lies in the future."""
        last = self.last or self.first
        if last is None or last > today - timedelta(days=150):
            return self
        first, last = self.first and _later(self.first), self.last and _later(self.last)
        return Period(first, last, self.start, self.end)

    def condition(self, column: str) -> str:
        """The condition on a column of ISO dates."""
        if self.first and self.last:
            if self.first == self.last:
                return f"{column} = '{self.first}'"
            return f"{column} BETWEEN '{self.first}' AND '{self.last}'"
        return f"{column} >= '{self.first}'" if self.first else f"{column} <= '{self.last}'"


def periods(text: str, today: date) -> list[Period]:
    """The spans of time that a text names, in its order.

    Args:
        text: the question.
        today: what "last month" and a month without a year count from.
    """
    found: list[Period] = []
    units = list(units_in(text, today))
    while units:
        start, end, days = units.pop(0)
        if units and _spans(text, start, end, units[0][0]):
            _, end, (_, last) = units.pop(0)
            days = (days[0], last)
            lead = re.search(r"\b(?:between|from|in|for)(?: the)? ?$", text[:start], re.I)
            found.append(Period(*days, lead.start() if lead else start, end))
            continue
        if around := _AROUND.match(text, end):
            end = around.end()
        found.append(_led(text, start, end, days))
    return found


def _spans(text: str, start: int, end: int, after: int) -> bool:
    link = _LINK.fullmatch(text, end, after)
    return bool(link) and (
        link is not None
        and (
            link[0].strip().lower() != "and"
            or bool(re.search(r"\bbetween(?: the)? ?$", text[:start], re.I))
        )
        and link[0].strip() != ","
    )


def _later(day: date) -> date:
    return day.replace(year=day.year + 1, day=min(day.day, 28 if day.month == 2 else 31))


def _led(text: str, start: int, end: int, days: Days) -> Period:
    lead = _LEAD.search(text[:start])
    day = timedelta(days=1)
    at = lead.start() if lead and lead[0] else start
    if ended := _OPEN.match(text, end):
        if ended["later"]:
            return Period(days[0], None, at, ended.end())
        return Period(None, days[1], at, ended.end())
    closed = lead and lead[1] == "from" and _CLOSED.match(text, start)
    if lead and lead[1] and not closed:
        return Period(days[0], None, at, end)
    if lead and lead[2]:
        return Period(days[1] + day, None, at, end)
    if lead and lead[3]:
        return Period(None, days[0] - day, at, end)
    if lead and lead[4]:
        return Period(None, days[1], at, end)
    return Period(*days, at, end)
