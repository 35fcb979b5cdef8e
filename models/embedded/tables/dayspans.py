"""Days, weeks, months, quarters and years as people write them, each as its first and last day."""

import calendar
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from typing import Final

from models.embedded.patterns import MONTHS

_NAME: Final = "|".join([*MONTHS, *(name[:3] for name in MONTHS), "sept"])
_MONTH: Final = rf"(?:{_NAME})\b\.?(?:,?\s+(?:of\s+)?20\d\d)?|20\d\d-(?:0?[1-9]|1[0-2])(?!-?\d)"
FARTHEST_YEARS: Final = 5
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
_TO: Final = r"(?:and|to|until|till|through|-|\u2013)\s*(?:the\s+)?"
_MAY: Final = re.compile(
    r"\b(?:in|for|of|during|since|from|until|till|through|to|and|or|last|this|early|late|mid|by"
    r"|between|before|after|about)\s$|\d\s?$",
    re.IGNORECASE,
)

Days = tuple[date, date]


def units(text: str, today: date) -> Iterator[tuple[int, int, Days]]:
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


def month_of(day: date) -> Days:
    """The month that a day is in."""
    last = calendar.monthrange(day.year, day.month)[1]
    return day.replace(day=1), day.replace(day=last)


def _month(text: str, today: date) -> Days:
    if iso := re.match(r"(20\d\d)-(\d+)", text):
        return month_of(date(int(iso[1]), int(iso[2]), 1))
    number = next(at for at, one in enumerate(MONTHS, 1) if one.startswith(text.lower()[:3]))
    said = re.search(r"20\d\d", text)
    year = int(said[0]) if said else today.year - (number > today.month)
    return month_of(date(year, number, 1))


def _months(year: int, first: int, count: int) -> Days:
    return date(year, first, 1), month_of(date(year, first + count - 1, 1))[1]


def _year(text: str | None, today: date) -> int:
    return int(text) if text else today.year


def _whole_year(match: re.Match[str], today: date) -> Days | None:
    """A year; none that lies far ahead, which is rather the number of an order."""
    year = int(match[1])
    return _months(year, 1, 12) if year <= today.year + FARTHEST_YEARS else None


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


def _days_of_month(match: re.Match[str], today: date) -> Days | None:
    """So many days: "between 1 and 7 June", "June 1-7"."""
    first, last = _month(f"{match['m1'] or match['m2']} {match['y'] or ''}", today)
    start, end = (int(match[f"{one}1"] or match[f"{one}2"]) for one in ("a", "b"))
    if not 0 < start <= end <= last.day:
        return None
    return first.replace(day=start), first.replace(day=end)


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


def _this_half(match: re.Match[str], today: date) -> Days:
    """The half of the year that today is in, or the one before."""
    index = today.year * 2 + (today.month > 6) - (match[1] or "").lower().startswith(("l", "p"))
    return _months(index // 2, 6 * (index % 2) + 1, 6)


def _relative(match: re.Match[str], today: date) -> Days:
    """This, or the last, week, month, quarter or year."""
    back, unit = match[1].lower() not in ("this", "current"), match[2].lower()
    if unit == "year":
        return _months(today.year - back, 1, 12)
    if unit == "month":
        day = today.replace(day=1) - timedelta(days=1) if back else today
        return month_of(day)
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
            rf"\b(?:(?:between|from)\s+)?(?:the\s+)?(?:(?P<a1>\d{{1,2}})(?:st|nd|rd|th)?\s*"
            rf"{_TO}\s*(?P<b1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m1>{_NAME})"
            rf"|(?P<m2>{_NAME})\s+(?P<a2>\d{{1,2}})(?:st|nd|rd|th)?\s*{_TO}\s*"
            rf"(?P<b2>\d{{1,2}})(?:st|nd|rd|th)?)\b(?:,?\s+(?P<y>20\d\d)\b)?"
        ),
        _days_of_month,
    ),
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
        _compiled(
            r"\b(?:(this|current|last|previous|past|the) )?(?:(?:whole|entire|full) )?"
            r"half[ -]?year\b"
        ),
        _this_half,
    ),
    (
        _compiled(r"\b(this|current|last|previous|past) (week|month|quarter|year)\b"),
        _relative,
    ),
    (_compiled(r"\b(?:last|past|previous) (\d{1,3}) (day|week|month)s?\b"), _recent),
    (_compiled(rf"\b(?:{_MONTH})"), lambda match, today: _month(match[0], today)),
    (_compiled(r"(?<![\w-])(20\d\d)(?![-\w])"), _whole_year),
    (_compiled(r"\b(?:today|yesterday)\b"), _named_day),
)
