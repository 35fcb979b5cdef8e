"""When something happened, as far as a statement says so, seen from the time it was said."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

_MONTHS: Final = (
    "january|januar|janvier|enero|gennaio|januari|janeiro|stycznia|styczniu|jan",
    "february|februar|février|fevrier|febrero|febbraio|februari|fevereiro|lutego|lutym|feb",
    "march|märz|maerz|mars|marzo|maart|março|marts|marca|marcu|mar",
    "april|avril|abril|aprile|kwietnia|kwietniu|apr",
    "may|mai|mayo|maggio|mei|maio|maja|maju|maj",
    "june|juni|juin|junio|giugno|junho|czerwca|czerwcu|jun",
    "july|juli|juillet|julio|luglio|julho|lipca|lipcu|jul",
    "august|août|aout|agosto|augustus|augusti|sierpnia|sierpniu|aug",
    "september|septembre|septiembre|settembre|setembro|września|wrześniu|sept|sep",
    "october|oktober|octobre|octubre|ottobre|outubro|października|październiku|oct|okt",
    "november|novembre|noviembre|novembro|listopada|listopadzie|nov",
    "december|dezember|décembre|decembre|diciembre|dicembre|dezembro|grudnia|grudniu|dec|dez",
)
_MONTH: Final = "|".join(name for names in _MONTHS for name in names.split("|"))
_ORDINALS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth", "twentieth", "twenty-first", "twenty-second", "twenty-third",
    "twenty-fourth", "twenty-fifth", "twenty-sixth", "twenty-seventh", "twenty-eighth",
    "twenty-ninth", "thirtieth", "thirty-first",
)  # fmt: skip
_DAY_IN_WORDS: Final = re.compile(
    rf"\b({'|'.join(reversed(_ORDINALS))})(?= (?:of )?(?:{_MONTH})\b)", re.IGNORECASE
)
_YEAR: Final = r"(?:19|20)\d\d"
_ISO: Final = re.compile(rf"\b({_YEAR})-(\d\d)(?:-(\d\d))?\b")
_DOTTED: Final = re.compile(rf"\b(\d\d?)[./](\d\d?)[./]({_YEAR})\b")
_DAY_FIRST: Final = re.compile(
    rf"\b(\d\d?)(?:st|nd|rd|th|er|\.|º)?\s+(?:of\s+|de\s+|di\s+)?({_MONTH})\b"
    rf"(?:,?\s+(?:of\s+|de\s+|del\s+)?({_YEAR}))?",
    re.IGNORECASE,
)
_MONTH_FIRST: Final = re.compile(
    rf"\b({_MONTH})\s+(?:the\s+)?(\d\d?)(?:st|nd|rd|th)?\b(?!\d)(?:,?\s+({_YEAR}))?", re.IGNORECASE
)
_WHOLE_MONTH: Final = re.compile(
    rf"\b(?:(?P<last>last|letzten|passado)\s+)?(?P<month>{_MONTH})\b\.?"
    rf"(?:,?\s+(?:of\s+|de\s+|del\s+)?(?P<year>{_YEAR}))?",
    re.IGNORECASE,
)
_WHOLE_YEAR: Final = re.compile(
    rf"\b(?:in|since|during|back in|from|until|till|of|im jahr|seit|en|depuis|desde|nel|dal|sinds|em"
    rf"|early|late|mid)[ -]({_YEAR})\b",
    re.IGNORECASE,
)
_DAYS_BACK: Final = (
    (r"the day before yesterday|vorgestern|avant-hier|anteayer|eergisteren|l'altro ieri", 2),
    (r"yesterday|gestern|hier soir|\bhier\b(?=,|$| (?:j'|je|nous))|\bayer\b|\bieri\b|\bontem\b"
     r"|\bgisteren\b|\bigår\b|last night", 1),
    (r"today|this morning|heute|aujourd'hui|\bhoy\b|\boggi\b|\bhoje\b|vandaag", 0),
)  # fmt: skip
_COUNTS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "four": 4, "five": 5,
    "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
}  # fmt: skip
_AGO: Final = re.compile(
    rf"\b(\d[\d,.]*|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})\s+"
    r"(day|week|month|year)s?\s+(?:ago|back)\b",
    re.IGNORECASE,
)
_WEEKDAYS: Final = (
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"
)  # fmt: skip
_WEEKDAY: Final = re.compile(rf"\b(?:last|on|this past)\s+({'|'.join(_WEEKDAYS)})\b", re.IGNORECASE)
_LAST: Final = re.compile(
    r"\b(?:last|letzte[rsnm]?|vorige[rsnm]?|le mois|la semaine|l'année|l'an)\s+"
    r"(week|month|year|woche|monat|jahr|dernier|dernière|passado)\b",
    re.IGNORECASE,
)
_FEWEST_DAYS: Final = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}


@dataclass(frozen=True, slots=True)
class Period:
    """A stated day, month or year.

    Attributes:
        name: ISO, as exact as it was stated: `2026-05-04`, `2026-05` or `2026`.
    """

    name: str

    @property
    def start(self) -> datetime:
        """Its first moment, in UTC."""
        year, month, day = (*map(int, self.name.split("-")), 1, 1)[:3]
        return datetime(year, month, day, tzinfo=UTC)


def stated_period(text: str, at: datetime) -> Period | None:
    """The first time that a text states; None if it states none or one that no calendar has.

    Args:
        text: A statement.
        at: When it was said: what "yesterday" is counted from.
    """
    text = _with_numbers(text)
    found = [*_days(text, at), *_longer(text, at)]
    return Period(min(found)[1]) if found else None


def _with_numbers(text: str) -> str:
    """The text with the days of months in numbers: "the first of May"."""
    return _DAY_IN_WORDS.sub(lambda day: str(_ORDINALS.index(day[0].lower()) + 1), text)


def without_period(text: str) -> str:
    """The text without the times that it states."""
    left = _with_numbers(text)
    for pattern in (_ISO, _DOTTED, _DAY_FIRST, _MONTH_FIRST, _AGO, _WEEKDAY, _LAST, _WHOLE_YEAR):
        left = pattern.sub(" ", left)
    for words, _ in _DAYS_BACK:
        left = re.sub(rf"(?:{words})", " ", left, flags=re.IGNORECASE)
    left = _WHOLE_MONTH.sub(lambda match: " " if _is_month(match.string, match) else match[0], left)
    left = re.sub(r"\b(?:on|in|since|at|am|im|den|le|el|il|em|op|of)\s*(?=[,.;]|$|\s\s)", " ", left)
    return " ".join(left.split()).strip(" ,.;")


def _days(text: str, at: datetime) -> Iterator[tuple[int, str]]:
    for match in _ISO.finditer(text):
        yield from _valid(match.start(), match[1], match[2], match[3])
    for match in _DOTTED.finditer(text):
        yield from _valid(match.start(), match[3], match[2], match[1])
    for match in _DAY_FIRST.finditer(text):
        year = match[3] or _latest(at, _month(match[2]), int(match[1]))
        yield from _valid(match.start(), year, _month(match[2]), match[1])
    for match in _MONTH_FIRST.finditer(text):
        year = match[3] or _latest(at, _month(match[1]), int(match[2]))
        yield from _valid(match.start(), year, _month(match[1]), match[2])
    for pattern, days in _DAYS_BACK:
        for match in re.finditer(rf"(?:{pattern})", text, re.IGNORECASE):
            yield match.start(), (at - timedelta(days=days)).date().isoformat()
    for match in _WEEKDAY.finditer(text):
        back = (at.weekday() - _WEEKDAYS.index(match[1].lower()) - 1) % 7 + 1
        yield match.start(), (at - timedelta(days=back)).date().isoformat()


def _longer(text: str, at: datetime) -> Iterator[tuple[int, str]]:
    for match in _AGO.finditer(text):
        yield from _ago(match, at)
    for match in _LAST.finditer(text):
        yield match.start(), _last(match[0].lower(), at)
    for match in _WHOLE_MONTH.finditer(text):
        if _is_month(text, match):
            year = match["year"] or _latest(at, _month(match["month"]), 1)
            yield from _valid(match.start(), year, _month(match["month"]), None)
    for match in _WHOLE_YEAR.finditer(text):
        # After what names a month or a day of the same year.
        yield match.start() + 1, match[1]


def _ago(match: re.Match[str], at: datetime) -> Iterator[tuple[int, str]]:
    digits = re.sub(r"[,.]", "", match[1])
    number = int(digits) if digits.isdigit() else _COUNTS[match[1].lower()]
    unit = match[2].lower()
    try:
        day = at - timedelta(days=number * _FEWEST_DAYS[unit])
    except OverflowError:
        return
    exact = {"day": 10, "week": 10, "month": 7, "year": 4}[unit]
    if day.year >= 1900:
        yield match.start(), day.date().isoformat()[:exact]


def _last(words: str, at: datetime) -> str:
    if re.search(r"year|jahr|année|l'an", words):
        return str(at.year - 1)
    if re.search(r"week|woche|semaine", words):
        return (at - timedelta(days=7)).date().isoformat()[:7]
    return (at.replace(day=1) - timedelta(days=1)).date().isoformat()[:7]


def _is_month(text: str, match: re.Match[str]) -> bool:
    """Whether "may", "mar" or "mei" names a month: with a year, or after a word like "in"."""
    if match["year"] or match["last"]:
        return True
    before = text[: match.start()].rstrip().lower()
    opener = re.search(
        r"\b(?:in|since|of|from|until|till|im|seit|en|depuis|desde|a|nel|dal|sinds|em|early|late|mid"
        r"|back in|this|anfang|ende)$",
        before,
    )
    return opener is not None and (match["month"][0].isupper() or len(match["month"]) > 3)


def _month(name: str) -> int:
    plain = name.lower()
    return next(at for at, names in enumerate(_MONTHS, 1) if plain in names.split("|"))


def _latest(at: datetime, month: int, day: int) -> int:
    """The year of the latest such day that is not after the time of speaking."""
    return at.year if (month, day) <= (at.month, at.day) else at.year - 1


def _valid(
    place: int, year: str | int, month: str | int, day: str | int | None
) -> Iterator[tuple[int, str]]:
    try:
        found = date(int(year), int(month), int(day or 1))
    except ValueError:
        return
    yield place, found.isoformat() if day else found.isoformat()[:7]
