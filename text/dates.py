"""Reads days, months and spans of time in English text, as somebody would mean them today.

A single day or month is parsed by `dateparser`; what joins them to a span ("from 3 to 9 May",
"the last two weeks", "since March", "for three days from Monday") is a small grammar here.
"""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Final, Literal

Unit = Literal["day", "week", "month", "quarter", "year"]

_MONTHS: Final = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_WEEKDAYS: Final = (
    r"mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?"
)
_NTH: Final = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR: Final = r"(?:,?\s+(?P<year>(?:19|20)\d\d))?"
_COUNT: Final = r"\d{1,3}|an?|one|two|three|four|five|six|seven|eight|ten|couple of|few"
_RELATIVE: Final = r"last|past|previous|this|current|next|coming|following|upcoming"
_HOLIDAYS: Final = {
    "new year's day": (1, 1), "new year's eve": (12, 31), "christmas eve": (12, 24),
    "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26),
}  # fmt: skip
_WORDS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple of": 2, "three": 3, "few": 3, "four": 4,
    "five": 5, "six": 6, "seven": 7, "eight": 8, "ten": 10,
}  # fmt: skip
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}
_LIKE: Final = str.maketrans("\u2019\u017f\u0131\u0130\u212a", "'siIK")
"""Letters that a pattern blind to case takes for English ones."""
_PAST: Final = frozenset({"last", "past", "previous"})
_FUTURE: Final = frozenset({"next", "coming", "following", "upcoming"})


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of days that a text names, both ends included.

    Attributes:
        first: its first day; None where only its end is named ("until Friday").
        last: its last day; None where only its beginning is named ("from Friday on").
        unit: how exactly it was named.
        start: where it begins in the text.
        stop: where it ends there.
    """

    first: date | None
    last: date | None
    unit: Unit
    start: int
    stop: int

    @property
    def is_day(self) -> bool:
        """Whether it is one day."""
        return self.first is not None and self.first == self.last


_ATOMS: Final[tuple[tuple[str, str], ...]] = (
    ("iso", r"(?P<iso>(?:19|20)\d\d-\d\d-\d\d)"),
    ("iso_month", r"(?P<isomonth>(?:19|20)\d\d-(?:0[1-9]|1[0-2]))(?![-\d])"),
    ("part", r"(?:the )?(?P<nth>first|second|third|fourth|last) (?P<piece>week|half|day) of "
     rf"(?:the |this |next )?(?P<whole>(?:{_MONTHS})\b|month|year)" + _YEAR),
    ("edge", r"(?:the )?(?P<edge>end|beginning|start|middle) of "
     rf"(?P<rel>(?:the|this|next|last) )?(?P<of>(?:{_MONTHS})\b|month|week|year|quarter)" + _YEAR),
    ("week_of", rf"(?:the )?week (?:of|from|starting|beginning)(?: on)? (?:the )?"
     rf"(?P<wday>{_NTH})(?: of)? (?P<wmonth>{_MONTHS})\b"),
    ("day_month", rf"(?:(?:{_WEEKDAYS})\.?,? (?:the )?)?(?P<day>{_NTH})(?: of)?[ -]"
     rf"(?P<month>{_MONTHS})\b\.?" + _YEAR),
    ("month_day", rf"(?:(?:{_WEEKDAYS})\.?,? (?:the )?)?(?P<month>{_MONTHS})\b\.? (?:the )?"
     rf"(?P<day>{_NTH})(?!\d|[:.]\d|%| ?(?:eur|gbp|usd|people|percent))\b" + _YEAR),
    ("numeric", r"(?P<d>\d{1,2})[./](?P<m>\d{1,2})(?:[./](?P<y>(?:20)?\d\d))?\b\.?"
     r"(?! ?(?:eur|gbp|usd|%|kg|km))"),
    ("count", rf"(?P<rel2>{_RELATIVE}) (?P<n>{_COUNT}) (?P<of2>day|week|month|year)s?\b"),
    ("distance", rf"(?:in |within )?(?P<n2>{_COUNT}) (?P<of3>day|week|fortnight|month|year)s?"
     r"(?:'s)? (?P<way>ago|from now|from today|time|hence)\b"
     rf"|in (?P<n3>{_COUNT}) (?P<of4>day|week|month|year)s?\b"),
    ("week_after", r"(?:the )?week after next\b"),
    ("beside", rf"(?:the )?(?P<u>day|week(?:end)?|month|(?:{_WEEKDAYS})) (?P<way2>after|before)"
     r"(?: (?:that|then))?\b"
     r"(?! (?:next|tomorrow|yesterday|\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))"),
    ("unit", rf"(?P<rel3>{_RELATIVE}|rest of the|remainder of the) "
     r"(?P<of5>week(?:end)?|month|quarter|year|spring|summer|autumn|fall|winter)\b"),
    ("quarter", r"(?:the )?(?P<q>first|second|third|fourth|last|this|next) quarter\b"
     r"|\bq(?P<q2>[1-4])\b"),
    ("weekday", rf"(?:(?P<rel4>{_RELATIVE}) )?(?P<in>week (?:on )?)?"
     rf"(?P<wd>(?:{_WEEKDAYS})|weekend)s?\b(?P<off> (?:of )?next week| week| after next)?"
     rf"(?: the (?P<dom>{_NTH})| (?P<dom2>\d{{1,2}}(?:st|nd|rd|th)))?\b"),
    ("word", r"(?P<w>(?:the )?day after tomorrow|(?:the )?day before yesterday|today|tonight|"
     r"tomorrow|tmrw|tmr|tomorow|yesterday|"
     r"(?:(?<=from )|(?<=between )|(?<=til )|(?<=till )|(?<=until )|(?<=to ))now|"
     r"this (?:morning|afternoon|evening))\b"),
    ("holiday", "(?P<h>" + "|".join(_HOLIDAYS) + r")\b"),
    ("month_name", rf"(?:(?P<rel5>last|next|this) )?(?P<mn>{_MONTHS})\b" + _YEAR),
    ("nth", r"(?:the )(?P<dn>\d{1,2}(?:st|nd|rd|th))\b(?! (?:one|of|floor|time|of them))"),
    ("plain_year", r"(?:in|of|during|for) (?P<py>20\d\d)\b"),
)  # fmt: skip
_PATTERNS: Final = {
    name: re.compile(rf"\b(?:{pattern})", re.IGNORECASE) for name, pattern in _ATOMS
}
_BARE_NTH: Final = re.compile(rf"\b({_NTH})\b", re.IGNORECASE)
_JOINS: Final = (
    r"^\s*(?:,?\s*(?:to|until|till|til|through|thru|up to)(?: and including)?"
    r"|[-\u2013\u2014]|\band\b|&)"
)
_JOIN: Final = re.compile(_JOINS + r"\s*(?:the |on )?$", re.IGNORECASE)
_FROM: Final = re.compile(
    r"\b(?:from|between|starting(?: on| from)?|beginning)\s+(?:the )?$", re.IGNORECASE
)
_ONWARDS: Final = re.compile(r"^\s*(?:on(?:wards?)?\b(?! the)|and later|and after)", re.IGNORECASE)
_OPEN_START: Final = re.compile(
    r"\b(?:until|till|til|up to|before|by|no later than|not later than)\s+(?:the )?$", re.IGNORECASE
)
_LENGTH: Final = re.compile(
    rf"\bfor (?:the )?(?:next )?(?P<n>{_COUNT}) (?P<of>day|night|week|month)s?\b"
    rf"|\b(?P<n2>{_COUNT}) (?P<of2>day|night|week|month)s?,? (?:starting |beginning |from )",
    re.IGNORECASE,
)
_MAY: Final = re.compile(r"\bmay\b", re.IGNORECASE)
_MAY_BEFORE: Final = re.compile(
    r"(?:\b(?:in|of|for|since|until|till|from|to|and|or|during|by|last|next|this|early|late|mid)"
    r"\s|\d\s|[,(-]\s?|^)$",
    re.IGNORECASE,
)
_SUBJECT: Final = re.compile(r"^\s+(?:i|we|you|he|she|they|it|be|have|not|well)\b", re.IGNORECASE)


def periods(
    text: str, today: date, *, ahead: bool | None = None, then: date | None = None
) -> list[Period]:
    """Stretches of time that a text names, in order; none overlaps another.

    Args:
        text: what somebody wrote.
        today: the day that "tomorrow" and "last week" are seen from.
        ahead: whether days without a year lie ahead (True) or behind (False); None: the nearest.
        then: the day spoken of before, which "the week after" is seen from; None: today.
    """
    plain = text.translate(_LIKE)
    found: list[Period] = []
    free = 0
    matches = [(one, name) for name, each in _PATTERNS.items() for one in each.finditer(plain)]
    for match, name in sorted(matches, key=lambda one: (one[0].start(), -one[0].end())):
        if match.start() < free:
            continue
        seen = (then or today) if name == "beside" else today
        try:
            days = _READERS[name](match, plain, seen, ahead)
        except (ValueError, OverflowError):  # the 31st of June is no day, and not June
            free = match.end()
            continue
        if days is not None:
            first, last, unit = days
            found.append(Period(first, last, unit, match.start(), match.end()))
            free = match.end()
    return list(_joined(plain, found, today))


Days = tuple[date | None, date | None, Unit]


def _day(day: date) -> Days:
    return day, day, "day"


@lru_cache(512)
def _parsed(text: str, today: date) -> date:
    import dateparser  # noqa: PLC0415 - a quarter of a second, at the first date

    moment = datetime(today.year, today.month, today.day)  # noqa: DTZ001 - a day has no zone
    settings = {"RELATIVE_BASE": moment, "DATE_ORDER": "DMY", "REQUIRE_PARTS": ["day"]}
    found: datetime | None = dateparser.parse(text, languages=["en"], settings=settings)
    if found is None:
        raise ValueError(text)
    return found.date()


def _near(day: int, month: int, today: date, ahead: bool | None) -> date:
    """The day without a year that is meant: the nearest, or the next or last one."""
    years = [today.year + by for by in (-1, 0, 1)]
    days = [date(y, month, day) for y in years if day <= calendar.monthrange(y, month)[1]]
    if not days:
        raise ValueError(day)
    if ahead is True:
        days = [one for one in days if one >= today] or days
    if ahead is False:
        days = [one for one in days if one <= today] or days
    return min(days, key=lambda one: abs((one - today).days))


def _month_number(name: str) -> int:
    return [name.lower()[:3] in month.lower() for month in calendar.month_abbr].index(True, 1)


def _whole_month(year: int, month: int) -> Days:
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]), "month"


def _shifted(month: date, by: int) -> date:
    index = month.year * 12 + month.month - 1 + by
    year, number = divmod(index, 12)
    day = min(month.day, calendar.monthrange(year, number + 1)[1])
    return date(year, number + 1, day)


def _named_month(name: str, year: str | None, today: date, ahead: bool | None) -> Days:
    number = _month_number(name)
    if year:
        return _whole_month(int(year), number)
    if ahead is True and number == today.month:
        return _whole_month(today.year, number)
    day = _near(15, number, today, ahead)
    return _whole_month(day.year, number)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _week(day: date) -> Days:
    first = _monday(day)
    return first, first + timedelta(days=6), "week"


def _count(text: str) -> int:
    plain = " ".join(text.lower().split())
    return int(plain) if plain.isdigit() else _WORDS[plain]


def _iso(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days:
    return _day(date.fromisoformat(match["iso"]))


def _iso_month(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days:
    year, month = match["isomonth"].split("-")
    return _whole_month(int(year), int(month))


def _part(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days:
    whole, nth = match["whole"].lower(), _ORDINALS[match["nth"].lower()]
    if whole == "year":
        first = date(today.year, 1 if nth == 1 else 7, 1)
        return first, _shifted(first, 6) - timedelta(days=1), "quarter"
    month = (
        _whole_month(today.year, today.month)
        if whole == "month"
        else _named_month(whole, match["year"], today, ahead)
    )
    begin, end = month[0], month[1]
    assert begin is not None and end is not None
    if match["piece"].lower() == "day":
        return _day(end if nth == -1 else begin + timedelta(days=nth - 1))
    if match["piece"].lower() == "half":
        middle = begin + timedelta(days=14)
        return (begin, middle, "week") if nth == 1 else (middle + timedelta(days=1), end, "week")
    if nth == -1:
        return end - timedelta(days=6), end, "week"
    begin += timedelta(days=7 * (nth - 1))
    return begin, begin + timedelta(days=6), "week"


def _edge(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days:
    of, by = match["of"].lower(), {"next": 1, "last": -1}.get((match["rel"] or "").strip(), 0)
    first, last, _ = (
        _named_month(of, match["year"], today, ahead)
        if of not in ("month", "week", "year", "quarter")
        else _calendar(of, by, today)
    )
    assert first is not None and last is not None
    edge = match["edge"].lower()
    if edge == "middle":
        return _day(first + (last - first) / 2)
    return _day(last if edge == "end" else first)


def _calendar(unit: str, by: int, today: date) -> Days:
    """This, the last or the next unit of the calendar."""
    if unit == "week":
        return _week(today + timedelta(days=7 * by))
    if unit == "month":
        month = _shifted(today.replace(day=1), by)
        return _whole_month(month.year, month.month)
    if unit == "quarter":
        first = _shifted(date(today.year, 3 * ((today.month - 1) // 3) + 1, 1), 3 * by)
        return first, _shifted(first, 3) - timedelta(days=1), "quarter"
    return date(today.year + by, 1, 1), date(today.year + by, 12, 31), "year"


def _week_of(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days:
    day = int(re.sub(r"\D", "", match["wday"]))
    return _week(_near(day, _month_number(match["wmonth"]), today, ahead))


def _day_month(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days:
    day, month, year = match["day"], match["month"], match["year"]
    number = int(re.sub(r"\D", "", day))
    if year:
        return _day(_parsed(f"{number} {month} {year}", today))
    return _day(_near(number, _month_number(month), today, ahead))


def _numeric(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days | None:
    day, month = int(match["d"]), int(match["m"])
    dotted = "." in match[0]
    if match["y"]:
        return _day(_parsed(match[0].rstrip("."), today))
    if not 1 <= month <= 12 or (dotted and not match[0].endswith(".")):
        return None  # 12.50 is a sum
    return _day(_near(day, month, today, ahead))


def _counted(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days | None:
    number, unit = _count(match["n"]), match["of2"].lower()
    days = {"day": 1, "week": 7}.get(unit)
    if match["rel2"].lower() in _PAST:
        first = (
            today - timedelta(days=days * number) if days else _shifted(today, -number * _M[unit])
        )
        return first, today, "day"
    if match["rel2"].lower() in _FUTURE:
        last = today + timedelta(days=days * number) if days else _shifted(today, number * _M[unit])
        return today, last, "day"
    return None


_M: Final = {"month": 1, "year": 12}


def _distant(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days:
    number = _count(match["n2"] or match["n3"])
    unit = (match["of3"] or match["of4"]).lower()
    number = -number if (match["way"] or "").lower() == "ago" else number
    days = {"day": 1, "week": 7, "fortnight": 14}.get(unit)
    if days:
        return _day(today + timedelta(days=days * number))
    day = _shifted(today, number * _M[unit])
    return day, day, "month" if unit == "month" else "year"


def _relative(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days:
    word, unit = match["rel3"].lower(), match["of5"].lower()
    by = -1 if word in _PAST else 1 if word in _FUTURE else 0
    if unit == "weekend":
        return _weekend(word, today)
    if unit in _SEASONS:
        first = date(today.year, _SEASONS[unit], 1)
        return first, _shifted(first, 3) - timedelta(days=1), "quarter"
    first_, last, kind = _calendar(unit, by, today)
    return (today, last, "day") if word.startswith("re") else (first_, last, kind)


def _weekend(word: str, today: date) -> Days:
    by = -1 if word in _PAST else 1 if word in ("next", "following") else 0
    first = _monday(today) + timedelta(days=5 + 7 * by)
    return first, first + timedelta(days=1), "week"


_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


def _beside(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days:
    """The unit after or before the one spoken of."""
    unit, by = match["u"].lower(), 1 if match["way2"].lower() == "after" else -1
    if unit in ("week", "month"):
        return _calendar(unit, by, today)
    if unit == "weekend":
        return _weekend("this", today + timedelta(days=7 * by))
    if unit == "day":
        return _day(today + timedelta(days=by))
    number = [day[:3].lower() for day in calendar.day_name].index(unit[:3])
    gap = (number - today.weekday()) * by % 7 or 7
    return _day(today + timedelta(days=by * gap))


def _quarter(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days:
    word = (match["q"] or "").lower()
    if word in ("last", "this", "next"):
        return _calendar("quarter", {"last": -1, "this": 0, "next": 1}[word], today)
    number = int(match["q2"]) if match["q2"] else _ORDINALS[word]
    first = date(today.year, 3 * number - 2, 1)
    return first, _shifted(first, 3) - timedelta(days=1), "quarter"


def _weekday(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days | None:
    name, word = match["wd"].lower()[:3], (match["rel4"] or "").lower()
    if match["wd"].lower() == "weekend":
        return _weekend(word, today)
    if dom := match["dom"] or match["dom2"]:
        return _day(_day_of_month(int(re.sub(r"\D", "", dom)), today, ahead))
    if (
        match["wd"].islower()
        and match["wd"] in ("sat", "sun", "wed", "mon", "fri", "tue", "thu")
        and (
            not word
            and not re.search(
                r"\b(?:on|by|until|till|to|from|and|since|before)\s$", text[: match.start("wd")]
            )
        )
        and len(text.split()) > 4
    ):
        return None  # "it sat there"
    number = [day[:3].lower() for day in calendar.day_name].index(name)
    if match["in"] or (match["off"] or "").endswith("next week"):
        by = -1 if word in _PAST else 0 if word in ("this", "current") else 1
        return _day(_monday(today) + timedelta(days=7 * by + number))
    if word in _PAST or (ahead is False and not word):
        back = (today.weekday() - number) % 7 or 7
        return _day(today - timedelta(days=back))
    on = today + timedelta(days=(number - today.weekday()) % 7)
    on = on + timedelta(days=7) if on == today and word != "this" else on
    if word == "next" and on <= _week(today)[1] and on - today < timedelta(days=3):  # type: ignore[operator]
        on += timedelta(days=7)
    return _day(on + timedelta(days=7)) if match["off"] else _day(on)


def _word(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days:
    word = match["w"].lower().removeprefix("the ")
    by = {"day after tomorrow": 2, "day before yesterday": -2, "yesterday": -1}.get(word)
    by = by if by is not None else int(word.startswith(("tom", "tm")))
    return _day(today + timedelta(days=by))


def _holiday(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days:
    month, day = _HOLIDAYS[match["h"].lower()]
    return _day(_near(day, month, today, ahead))


def _month(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days | None:
    name = match["mn"]
    if _MAY.fullmatch(name) and not match["year"] and not _is_may(match, text):
        return None
    if (
        name.lower() in ("mar", "march")
        and not match["year"]
        and _SUBJECT.match(text[match.end() :])
    ):
        return None
    word = (match["rel5"] or "").lower()
    if word in ("last", "next"):
        return _named_month(name, match["year"], today, word == "next")
    return _named_month(name, match["year"], today, ahead)


def _is_may(match: re.Match[str], text: str) -> bool:
    """Whether "may" names the month, not what somebody may do."""
    if _SUBJECT.match(text[match.end() :]):
        return False
    before = text[: match.start("mn")]
    return bool(_MAY_BEFORE.search(before)) or (match["mn"][0].isupper() and bool(before.strip()))


_MONTH_FOLLOWS: Final = re.compile(
    rf"{_JOINS}\s*(?:the |on )?{_NTH}(?: of)?[ -](?:{_MONTHS})\b", re.IGNORECASE
)


def _nth(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days | None:
    if _MONTH_FOLLOWS.match(text[match.end() :]):
        return None  # "the 8th and 9th of August" are both in August
    return _day(_day_of_month(int(match["dn"][:-2]), today, ahead))


def _day_of_month(number: int, today: date, ahead: bool | None) -> date:
    if ahead is False and number <= today.day:
        return today.replace(day=number)
    month = today.replace(day=1)
    for by in range(4):
        first = _shifted(month, -by if ahead is False else by)
        if number <= calendar.monthrange(first.year, first.month)[1]:
            day = first.replace(day=number)
            if ahead is False or day >= today:
                return day
    raise ValueError(number)


def _plain_year(match: re.Match[str], text: str, today: date, ahead: bool | None) -> Days:
    year = int(match["py"])
    return date(year, 1, 1), date(year, 12, 31), "year"


_READERS: Final = {
    "iso": _iso, "iso_month": _iso_month, "part": _part, "edge": _edge, "week_of": _week_of,
    "beside": _beside, "day_month": _day_month, "month_day": _day_month, "numeric": _numeric,
    "count": _counted, "distance": _distant, "unit": _relative, "quarter": _quarter,
    "weekday": _weekday,
    "week_after": lambda match, text, today, ahead: _calendar("week", 2, today), "word": _word,
    "holiday": _holiday, "month_name": _month, "nth": _nth, "plain_year": _plain_year,
}  # fmt: skip


def _joined(text: str, atoms: list[Period], today: date) -> Iterator[Period]:
    """The atoms, two that are joined as one span, with what opens or lengthens them."""
    at = 0
    while at < len(atoms):
        one = _with_bare_start(text, atoms[at])
        following = atoms[at + 1] if at + 1 < len(atoms) else None
        if following is not None and _spans(text, one, following):
            one = _span(one, following, today)
            at += 1
        else:
            one = _opened(text, one, today)
        at += 1
        yield _lengthened(text, one)


def _spans(text: str, one: Period, other: Period) -> bool:
    between = text[one.stop : other.start]
    if not _JOIN.match(between) or one.first is None or other.last is None:
        return False
    listed = re.search(r"\band\b(?! including)|&", between)
    if not listed or _FROM.search(text[: one.start]):
        return True
    return one.unit == other.unit == "day" and other.last - one.first == timedelta(days=1)


def _span(one: Period, other: Period, today: date) -> Period:
    first, last = one.first, other.last
    if first and last and last < first:  # "from Monday to Wednesday", said on a Tuesday
        last = last + timedelta(days=7) if first - last < timedelta(days=7) else _shifted(last, 12)
        first, last = min(first, last), max(first, last)
    unit: Unit = "month" if one.unit == other.unit == "month" else "day"
    return Period(first, last, unit, one.start, other.stop)


def _with_bare_start(text: str, one: Period) -> Period:
    """The period with a number before it that lacks the month: "3 to 9 May"."""
    if one.unit != "day" or one.first is None:
        return one
    before = text[: one.start]
    numbers = list(_BARE_NTH.finditer(before))
    if not numbers or not _JOIN.match(before[numbers[-1].end() :]):
        return one
    number = int(re.sub(r"\D", "", numbers[-1][1]))
    if not 1 <= number <= 31:
        return one
    first = one.first
    start = first.replace(day=number) if number < first.day else _shifted(first.replace(day=1), -1)
    if number > first.day:
        try:
            start = start.replace(day=number)
        except ValueError:
            return one
    listed = re.match(r"\s*(?:and|&)", before[numbers[-1].end() :])
    if listed and not _FROM.search(before[: numbers[-1].start()]) and first.day - number != 1:
        return one
    return replace(one, first=start, start=numbers[-1].start())


def _opened(text: str, one: Period, today: date) -> Period:
    before, after = text[: one.start], text[one.stop :]
    if not one.is_day and one.unit == "day":
        return one  # a span has both its ends
    if _ONWARDS.match(after):
        return replace(one, last=None)
    if re.search(r"\b(?:since|after|as of)\s+(?:the )?$", before, re.IGNORECASE):
        later = re.search(r"\bafter\s+(?:the )?$", before, re.IGNORECASE)
        first = one.last + timedelta(days=1) if later and one.last else one.first
        return replace(one, first=first, last=None)
    if _OPEN_START.search(before):
        return replace(one, first=None)
    if _FROM.search(before) and one.is_day and not _LENGTH.search(text):
        return replace(one, last=None)
    return one


def _lengthened(text: str, one: Period) -> Period:
    """The period with a length said beside it: "three days from Monday"."""
    match = _LENGTH.search(text)
    if match is None or one.first is None or not (one.is_day or one.last is None):
        return one
    if match.start() < one.stop and one.start < match.end():
        return one
    number, unit = _count(match["n"] or match["n2"]), (match["of"] or match["of2"]).lower()
    if number == 0:
        return one
    if unit == "month":
        return replace(one, last=_shifted(one.first, number) - timedelta(days=1))
    days = number * (7 if unit == "week" else 1) - (0 if unit == "night" else 1)
    return replace(one, last=one.first + timedelta(days=days))
