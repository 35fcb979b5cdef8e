"""Spans of time in a question: "in May", "since April", "the first week of June", "Q2"."""

import calendar
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from models.embedded.patterns import MONTHS

_NAME: Final = "|".join([*MONTHS, *(name[:3] for name in MONTHS), "sept"])
_MONTH: Final = rf"(?:{_NAME})\b\.?(?:,?\s+(?:of\s+)?20\d\d)?|20\d\d-(?:0?[1-9]|1[0-2])(?!-?\d)"
_NTH: Final[Mapping[str, int]] = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "last": 0,
    "spring": 2,
    "summer": 3,
    "autumn": 4,
    "fall": 4,
    "winter": 1,
}
_ORDINAL: Final = "|".join(_NTH)
_LEAD: Final = re.compile(
    r"\b(?:(since|starting(?: in| from| with)?|as of|from)|(after|later than)"
    r"|(before|earlier than|prior to|older than)|(until|till|up to|up until|through|by)"
    r"|(?:in|during|over|of|for|on|within|throughout|at|between|all))"
    r"(?: the (?:start|beginning)(?: of)?| the end of| the| all)?[ ,]*$|$",
    re.IGNORECASE,
)
_LINK: Final = re.compile(r"\s*(?:,|and|to|until|till|through|-|\u2013)\s*(?:the )?\s*", re.I)
_MAY: Final = re.compile(
    r"\b(?:in|for|of|during|since|from|until|till|through|to|and|or|last|this|early|late|mid|by"
    r"|between|before|after|about)\s$|\d\s?$",
    re.IGNORECASE,
)
_AROUND: Final = re.compile(r"\s*\((?:the )?\d+(?:st|nd|rd|th)? (?:to|-) \d+(?:st|nd|rd|th)?\)")

Days = tuple[date, date]


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
        return self.last == _month_of(self.first)[1]

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
    units = list(_units(text, today))
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
    if lead and lead[1]:
        return Period(days[0], None, at, end)
    if lead and lead[2]:
        return Period(days[1] + day, None, at, end)
    if lead and lead[3]:
        return Period(None, days[0] - day, at, end)
    if lead and lead[4]:
        return Period(None, days[1], at, end)
    return Period(*days, at, end)


def _units(text: str, today: date) -> Iterator[tuple[int, int, Days]]:
    """Days, months, quarters … one after the other, the longest reading of each place."""
    found: list[tuple[int, int, Days]] = []
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            days = read(match, today)
            if days and not (match[0].lower() == "may" and not _MAY.search(text[: match.start()])):
                found.append((match.start(), match.end(), days))
    end = 0
    for one in sorted(found, key=lambda unit: (unit[0], -unit[1])):
        if one[0] >= end:
            end = one[1]
            yield one


def _month_of(day: date) -> Days:
    last = calendar.monthrange(day.year, day.month)[1]
    return day.replace(day=1), day.replace(day=last)


def _month(text: str, today: date) -> Days:
    if iso := re.match(r"(20\d\d)-(\d+)", text):
        return _month_of(date(int(iso[1]), int(iso[2]), 1))
    number = next(at for at, one in enumerate(MONTHS, 1) if one.startswith(text.lower()[:3]))
    said = re.search(r"20\d\d", text)
    year = int(said[0]) if said else today.year - (number > today.month)
    return _month_of(date(year, number, 1))


def _months(year: int, first: int, count: int) -> Days:
    return date(year, first, 1), _month_of(date(year, first + count - 1, 1))[1]


def _year(text: str | None, today: date) -> int:
    return int(text) if text else today.year


def _date(match: re.Match[str], today: date) -> Days | None:
    try:
        if match["iso"]:
            day = date.fromisoformat(match["iso"])
        else:
            month = _month(f"{match['m1'] or match['m2']} {match['y'] or ''}", today)[0]
            day = month.replace(day=int(match["d1"] or match["d2"]))
    except ValueError:
        return None
    return day, day


def _part_of_month(match: re.Match[str], today: date) -> Days:
    """The first or last week, half or days of a month."""
    first, last = _month(match["month"], today)
    which, days = _NTH[match[1].lower()], int(match["count"] or 7)
    if match["unit"].lower() == "half":
        middle = first.replace(day=15)
        return (first, middle) if which == 1 else (middle + timedelta(days=1), last)
    if which == 0:
        return last - timedelta(days=days - 1), last
    start = first + timedelta(days=days * (which - 1))
    return start, min(last, start + timedelta(days=days - 1))


def _quarter(match: re.Match[str], today: date) -> Days:
    number = int(match[1]) if match[1] else _NTH[match[2].lower()] or 4
    return _months(_year(match[3], today), 3 * number - 2, 3)


def _half(match: re.Match[str], today: date) -> Days:
    number = int(match[1]) if match[1] else _NTH[match[2].lower()] or 2
    return _months(_year(match[3], today), 6 * number - 5, 6)


def _relative(match: re.Match[str], today: date) -> Days:
    """This, or the last, week, month, quarter or year."""
    back, unit = match[1].lower() not in ("this", "current"), match[2].lower()
    if unit == "year":
        return _months(today.year - back, 1, 12)
    if unit == "month":
        day = today.replace(day=1) - timedelta(days=1) if back else today
        return _month_of(day)
    if unit == "quarter":
        month = (today.month - 1) // 3 * 3 + 1
        day = today.replace(day=1, month=month)
        day = (day - timedelta(days=80)).replace(day=1) if back else day
        return _months(day.year, day.month, 3)
    monday = today - timedelta(days=today.weekday() + 7 * back)
    return monday, monday + timedelta(days=6)


def _recent(match: re.Match[str], today: date) -> Days:
    """The last so many days, weeks or months, today among them."""
    count, unit = int(match[1]), match[2].lower()
    if unit == "month":
        index = today.year * 12 + today.month - 1 - count
        last = calendar.monthrange(index // 12, index % 12 + 1)[1]
        return date(index // 12, index % 12 + 1, min(today.day, last)) + timedelta(days=1), today
    return today - timedelta(days=count * (7 if unit == "week" else 1) - 1), today


def _named_day(match: re.Match[str], today: date) -> Days:
    day = today - timedelta(days=match[0].lower() == "yesterday")
    return day, day


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_READERS: Final[
    tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], Days | None]], ...]
] = (
    (
        _compiled(
            rf"\b(?:(?P<iso>20\d\d-\d\d-\d\d)\b|(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?"
            rf"(?P<m1>{_NAME})\b|(?P<m2>{_NAME})\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b)"
            r"(?:,?\s+(?P<y>20\d\d)\b)?"
        ),
        _date,
    ),
    (
        _compiled(
            rf"\b({_ORDINAL}) (?:(?P<count>\d{{1,2}}) )?(?P<unit>week|half|days)"
            rf" (?:of|in) (?P<month>{_MONTH})"
        ),
        _part_of_month,
    ),
    (
        _compiled(rf"\b(?:q([1-4])|({_ORDINAL}) quarter)\b(?:\s+(?:of\s+)?(20\d\d))?"),
        _quarter,
    ),
    (
        _compiled(
            rf"\b(?:h([12])|({_ORDINAL}) half(?= of (?:20|the year|this)|-?year))\b"
            r"(?:[ -]?of the year|[ -]?of this year|-?year)?(?:\s+(?:of\s+)?(20\d\d))?"
        ),
        _half,
    ),
    (
        _compiled(r"\b(this|current|last|previous|past) (week|month|quarter|year)\b"),
        _relative,
    ),
    (_compiled(r"\b(?:last|past|previous) (\d{1,3}) (day|week|month)s?\b"), _recent),
    (_compiled(rf"\b(?:{_MONTH})"), lambda match, today: _month(match[0], today)),
    (_compiled(r"(?<![\w-])(20\d\d)(?![-\w])"), lambda match, _: _months(int(match[1]), 1, 12)),
    (_compiled(r"\b(?:today|yesterday)\b"), _named_day),
)
