"""What can be read off a text without a model: ids, amounts, shares, months, dates, e-mails.

Every value keeps its place in the text, so that grounding can point at it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from typing import Final

from models.embedded.bases import Base, base_of, fractions_in

ID: Final = re.compile(
    r"\b([A-Za-z]{2,6})[-_ ]?(\d{3,8})\b|\b([A-Z]{2,6})-(?=[A-Z]*\d)([A-Z0-9]{2,12})\b"
)
EMAIL: Final = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
QUOTED: Final = re.compile(r"[\"“”]([^\"“”]{2,200})[\"“”]|(?<!\w)'([^']{2,200})'(?!\w)")
ISO_DATE: Final = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
ISO_MONTH: Final = re.compile(r"\b(\d{4})[-/](0?[1-9]|1[0-2])\b(?![-/]\d)")
NUMBER: Final = r"\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?"
CURRENCY: Final = r"€|\$|£|eur(?:os?)?|usd|gbp|dollars?|pounds?|bucks|cents?"
AMOUNT: Final = re.compile(
    rf"(?:(?P<before>€|\$|£|\beur|\busd|\bgbp)\s*(?P<first>{NUMBER}))"
    rf"|(?:(?<![\w.,-])(?P<second>{NUMBER})\s*(?P<after>{CURRENCY})(?!\w))",
    re.IGNORECASE,
)
PERCENT: Final = re.compile(r"(\d{1,3}(?:[.,]\d+)?)\s*(?:%|per ?cent)", re.IGNORECASE)

_YEAR: Final = (
    "january february march april may june july august september october november december"
)
MONTHS: Final = _YEAR.split()
_MONTH_NAMES: Final = "|".join([*MONTHS, *(name[:3] for name in MONTHS), "sept"])
MONTH: Final = re.compile(
    rf"\b(?P<name>{_MONTH_NAMES})\b\.?(?:,?\s+(?:of\s+)?(?P<year>20\d\d))?", re.IGNORECASE
)
MONTH_SPAN: Final = re.compile(
    rf"\b({_MONTH_NAMES})\b(?:\s+20\d\d)?\s*(?:to|through|until|till|-|\u2013)\s*({_MONTH_NAMES})\b",
    re.IGNORECASE,
)
QUARTER: Final = re.compile(
    r"\bq([1-4])\b(?:\s+(?:of\s+)?(20\d\d))?|\b(first|second|third|fourth) quarter\b"
    r"(?:\s+(?:of\s+)?(20\d\d))?",
    re.IGNORECASE,
)
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_MONTH_OPENERS: Final = (
    "in for of during since from until till through to and or last this about early late mid by vs"
    " versus than"
)
_BEFORE_MONTH: Final = frozenset(_MONTH_OPENERS.split())
_AFTER_MONTH: Final = re.compile(
    r"\s*(?:$|[,.;:?!+&/-]|(?:too|also|as well|please|pls|and|or|instead|then|again|only|figures"
    r"|numbers|now|same|was|is|by|per|for|vs|to|both)\b)",
    re.I,
)
_COMPARED: Final = re.compile(
    r" (?:compare|look|go|do|turn out|vs|versus)\b(?! (?:i|we|you)\b)", re.I
)
_SUBJECTS: Final = frozenset({"you", "i", "we", "they", "he", "she", "it", "who", "that", "one"})
_ALL: Final = re.compile(
    r"\b(?:in full|full(?:y)?(?: amount| refund| sum)?|whole(?: amount| thing| sum| lot)?"
    r"|entire(?:ly)?(?: amount)?|completely|everything|all of (?:it|that)|the lot|all the money"
    r"|(?:their|his|her|the) money back|total amount"
    r"|(?:what|all|everything|the (?:money|sum|amount))(?: that| which)?"
    r" (?:they|he|she|(?-i:[A-Z])\w+)(?:['\u2019]ve| have| has|['\u2019]s)?(?: already)? paid"
    r"|^(?:(?:ok|then|so|please|and) )*(?:pay|give|send|transfer) that back"
    r"(?=\W*$|,? (?:same|please|then|too)))\b",
    re.IGNORECASE,
)
_PART_OF: Final = re.compile(
    r"\b(?:part|parts|some|bit|portion|share|piece|most|little|fraction|percentage) of (?:all )?$",
    re.I,
)
_REST: Final = re.compile(
    r"\b(?:the (?:rest|remainder|remaining(?: amount| sum| part)?)|what(?:ever)?(?:'s| is) left"
    r"|(?:the )?other half|remaining balance)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Identifier:
    """An id as the company writes it, such as INV-1042."""

    kind: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Amount:
    """A sum of money, or a part of a sum that has to be looked up.

    Attributes:
        remaining: a share of what is left, not of the whole.
        base: what the text says that a share is of.
    """

    value: Decimal | None
    share: Decimal | None
    start: int
    remaining: bool = False
    base: Base = ""


def identifiers(text: str, kinds: frozenset[str] | None = None) -> list[Identifier]:
    """Ids in the order of the text, once each.

    Args:
        text: any text.
        kinds: prefixes that count (INV, ORD …); without a hyphen only these are recognised.
    """
    found: dict[str, Identifier] = {}
    for match in ID.finditer(text):
        prefix, number = match.group(1) or match.group(3), match.group(2) or match.group(4)
        kind = prefix.upper()
        hyphened = "-" in match.group(0)
        if kinds is not None and kind not in kinds:
            continue
        if kinds is None and not (hyphened and prefix.isupper()):
            continue
        name = f"{kind}-{number.upper()}"
        found.setdefault(name, Identifier(kind, name, match.start()))
    return list(found.values())


def number(text: str) -> Decimal | None:
    """A number as people write it: 1,250.00, 1.250,00, 1 250, 75,5."""
    plain = re.sub(r"[ ']", "", text)
    last = max(plain.rfind("."), plain.rfind(","))
    if last >= 0:
        decimals = len(plain) - last - 1
        whole = re.sub(r"[.,]", "", plain[:last])
        plain = whole + plain[last + 1 :] if decimals == 3 else f"{whole}.{plain[last + 1 :]}"
    try:
        return Decimal(plain)
    except InvalidOperation:
        return None


def amounts(text: str) -> list[Amount]:
    """Sums of money and parts of one, in the order of the text."""
    found = [*_sums(text), *_shares(text)]
    return sorted(found, key=lambda amount: amount.start)


def _sums(text: str) -> Iterator[Amount]:
    for match in AMOUNT.finditer(text):
        value = number(match.group("first") or match.group("second"))
        unit = (match.group("after") or "").lower()
        if value is not None:
            yield Amount(value / 100 if unit.startswith("cent") else value, None, match.start())


def _shares(text: str) -> Iterator[Amount]:
    for part, start, end in fractions_in(text):
        yield _share(part, start, text[end:])
    for match in PERCENT.finditer(text):
        value = number(match.group(1))
        if value is not None and value != 50 and value <= 100:
            yield _share(value / 100, match.start(), text[match.end() :])
    yield from _wholes(text)


def _share(part: Decimal, start: int, after: str) -> Amount:
    base = base_of(after)
    return Amount(None, part, start, remaining=base == "left", base=base)


def _wholes(text: str) -> Iterator[Amount]:
    """All that is left, or the rest; "part of the money back" is no sum."""
    for pattern in (_ALL, _REST):
        for match in pattern.finditer(text):
            if not _PART_OF.search(text[: match.start()]):
                yield Amount(None, Decimal(1), match.start(), remaining=True)


def months(text: str, today: date) -> list[str]:
    """Months as YYYY-MM in the order of the text; a month without a year is the last such one."""
    found: list[tuple[int, str]] = [
        *((match.start(), f"{match[1]}-{int(match[2]):02d}") for match in ISO_MONTH.finditer(text)),
        *((match.start(), f"{match[1]}-{match[2]}") for match in ISO_DATE.finditer(text)),
        *_relative_months(text, today),
        *_named_months(text, today),
    ]
    found = found or list(_quarters(text, today))  # "February, for the Q1 recap"
    return list(dict.fromkeys(month for _, month in sorted(found)))


def shifted(month: str, by: int) -> str:
    """A month (YYYY-MM) so many months later."""
    year, number_ = (int(part) for part in month.split("-"))
    index = year * 12 + number_ - 1 + by
    return f"{index // 12}-{index % 12 + 1:02d}"


def _named_months(text: str, today: date) -> Iterator[tuple[int, str]]:
    for match in MONTH_SPAN.finditer(text):
        first, last = _month_number(match[1]), _month_number(match[2])
        year = _year_of(last, text[match.start() : match.end() + 6], today)
        for month in range(first, last + 1):
            yield match.start(), f"{year}-{month:02d}"
    for match in MONTH.finditer(text):
        if not _is_month(match, text):
            continue
        month = _month_number(match["name"])
        yield match.start(), f"{_year_of(month, match[0], today)}-{month:02d}"


def _is_month(match: re.Match[str], text: str) -> bool:
    """Whether "may" names a month, not what somebody may do; "march" always does."""
    if match["name"].lower() != "may":
        return True
    before, after = text[: match.start()].rstrip(), text[match.end() :]
    word = (re.findall(r"[\w']+$", before) or [""])[0].lower()
    if match["year"] or word in _BEFORE_MONTH or _COMPARED.match(after):
        return True
    if word in _SUBJECTS:
        return False
    return bool(_AFTER_MONTH.match(after) or (match["name"][0].isupper() and before))


def _month_number(name: str) -> int:
    return next(at for at, month in enumerate(MONTHS, 1) if month.startswith(name.lower()[:3]))


def _year_of(month: int, text: str, today: date) -> int:
    year = re.search(r"20\d\d", text)
    if year:
        return int(year[0])
    return today.year if month <= today.month else today.year - 1


def _quarters(text: str, today: date) -> Iterator[tuple[int, str]]:
    for match in QUARTER.finditer(text):
        quarter = int(match[1]) if match[1] else _ORDINALS[match[3].lower()]
        first = 3 * quarter - 2
        year = int(match[2] or match[4] or _year_of(first, "", today))
        for month in range(first, first + 3):
            yield match.start(), f"{year}-{month:02d}"


def _relative_months(text: str, today: date) -> Iterator[tuple[int, str]]:
    last = today.replace(day=1) - timedelta(days=1)
    before = last.replace(day=1) - timedelta(days=1)
    for pattern, day in (
        (r"\bmonth before last\b", before),
        (r"\b(?:last|previous|past) month\b", last),
        (r"\b(?:this|current) month\b|\bmonth to date\b", today),
    ):
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield match.start(), f"{day.year}-{day.month:02d}"


def dates(text: str, today: date) -> list[str]:
    """Days as YYYY-MM-DD in the order of the text."""
    found = [(match.start(), match[0]) for match in ISO_DATE.finditer(text)]
    day_first = rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_MONTH_NAMES})\b(?:,?\s+(20\d\d))?"
    month_first = rf"\b({_MONTH_NAMES})\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(20\d\d))?"
    for pattern, day_at, month_at in ((day_first, 1, 2), (month_first, 2, 1)):
        for match in re.finditer(pattern, text, re.IGNORECASE):
            month = _month_number(match[month_at])
            year = int(match[3] or _year_of(month, "", today))
            found.append((match.start(), f"{year}-{month:02d}-{int(match[day_at]):02d}"))
    for word, shift in (("yesterday", -1), ("today", 0), ("tomorrow", 1)):
        for match in re.finditer(rf"\b{word}\b", text, re.IGNORECASE):
            found.append((match.start(), (today + timedelta(days=shift)).isoformat()))
    return list(dict.fromkeys(day for _, day in sorted(found) if _exists(day)))


def _exists(day: str) -> bool:
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return True
