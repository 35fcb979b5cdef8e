"""What a request mentions besides days: sums, shares, counts, times, each where it stands."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import chain
from typing import Final, Literal

Measure = Literal["money", "share", "number", "time", "part"]

_NUMBER: Final = r"\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d{1,2})?(?!\d)"
_CURRENCY: Final = r"€|\$|£|eur(?:os?)?|usd|gbp|chf|dollars?|pounds?|quid|bucks|francs"
_MONEY: Final = re.compile(
    rf"(?:(?:€|\$|£|\b(?:eur|usd|gbp|chf))\s*(?P<one>{_NUMBER})(?P<k>k\b)?)"
    rf"|(?<![\w.,-])(?P<other>{_NUMBER})(?P<k2>k)?\s*(?:{_CURRENCY})(?!\w)",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(rf"(?<![\w.,])({_NUMBER})\s*(?:%|per ?cent\b)", re.IGNORECASE)
_CLOCK: Final = re.compile(
    r"(?<![\d.,:])(?P<h>[01]?\d|2[0-3])(?:[:.h](?P<m>[0-5]\d)(?![\d.,]))?\s*"
    r"(?P<half>am\b|pm\b|a\.m\.|p\.m\.|o'?clock\b)"
    r"|(?<![\d.,:])(?P<h2>[01]?\d|2[0-3])[:h](?P<m2>[0-5]\d)(?!\d)"
    r"|\b(?:at|by|before|after|from|around|about|until|till|for) "
    r"(?P<h3>[01]?\d|2[0-3])(?:\.(?P<m3>[0-5]\d))?"
    r"(?![\d.,:%/-]|\w| ?(?:am\b|pm\b|a\.m|p\.m|o'?clock|€|\$|£|eur|gbp|usd|per|day|week"
    r"|month|year|people|person|hour|minute|kg|st|nd|rd|th)"
    r"| (?:to|and|or)? ?\d| [a-z]+s\b| (?:of|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))",
    re.IGNORECASE,
)
_SPOKEN_CLOCK: Final = re.compile(
    r"\b(?P<part>half past|half|quarter past|quarter to) (?P<h>\d{1,2})\b"
    r"|\b(?P<noon>noon|midday|midnight)\b",
    re.IGNORECASE,
)
_PART: Final = re.compile(
    r"\b(?P<half>half(?! (?:past|a? ?day|an? hour|day|\d))|a third|one third|two thirds|a quarter"
    r"|three quarters|a tenth)\b|\b(?P<whole>in full|full amount|the whole (?:sum|amount|lot|thing)"
    r"|all of it|everything|completely|entire amount)\b"
    r"|\b(?P<rest>the rest|the remainder|what(?:'s| is) left|remaining)\b",
    re.IGNORECASE | re.ASCII,
)
_PARTS: Final = {
    "half": "0.5", "a third": "0.3333333333", "one third": "0.3333333333",
    "two thirds": "0.6666666667", "a quarter": "0.25", "three quarters": "0.75", "a tenth": "0.1",
}  # fmt: skip
_PLAIN: Final = re.compile(rf"(?<![\w.,:/#-])({_NUMBER})(?![\w:/-]|[.,]\d)")
_UNITS: Final = {"dozen": 12, "couple": 2, "pair": 2, "score": 20}
_SMALL: Final = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_DOZEN: Final = re.compile(
    rf"\b(?P<n>\d+|a|half a|{_SMALL})? ?"
    r"(?P<unit>dozen|couple(?: of)?|pair of|score)\b",
    re.IGNORECASE | re.ASCII,
)
EARLIEST: Final = 7
"""Hour of the working day: "at 3" is in the afternoon."""
_WORD: Final = re.compile(rf"\b({_SMALL})\b", re.IGNORECASE | re.ASCII)
_NOT_COUNTED: Final = re.compile(
    r"(?:\b(?:this|that|which|the|no|any|every|each|other|another|last|next|first|second|third|latest"
    r"|wrong|right|new|old|same|big|small|red|blue) )$",
    re.IGNORECASE,
)
_ONE_OF: Final = re.compile(
    r"^ (?:of|more|thing|is|was|that|for|in|on|from|about|at|with|who)\b|^\W*$", re.I
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A measure that a text mentions.

    Attributes:
        value: the number; of a part of something 0 to 1; a time of day is in minutes.
        left: whether a part is of what is left.
    """

    measure: Measure
    value: Decimal
    start: int
    stop: int
    left: bool = False

    @property
    def clock(self) -> str:
        """A time of day as HH:MM."""
        return f"{int(self.value) // 60:02d}:{int(self.value) % 60:02d}"


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


@lru_cache(256)
def with_digits(text: str) -> str:
    """The text with its larger number words as digits: "twenty-five boxes" is "25 boxes"."""
    from text_to_num import alpha2digit  # noqa: PLC0415 - at the first request

    return "".join(
        alpha2digit(part, "en") if part.strip() else part
        for part in re.split(r"(\s*[\n,;:!?()\"]\s*|\.\s)", text)
    )


def mentions(text: str, taken: Sequence[tuple[int, int]] = ()) -> list[Mention]:
    """Sums, shares, times, parts and plain numbers of a text, in order; none overlaps.

    Args:
        text: what somebody wrote, its number words as digits.
        taken: stretches that are ids or days.
    """
    found: list[Mention] = []
    for one in chain.from_iterable(read(text) for read in _READERS):
        spans = [*taken, *((other.start, other.stop) for other in found)]
        if not any(start < one.stop and one.start < stop for start, stop in spans):
            found.append(one)
    return sorted(found, key=lambda one: one.start)


def _sums(text: str) -> Iterator[Mention]:
    for match in _MONEY.finditer(text):
        value = number(match["one"] or match["other"])
        if value is not None:
            thousands = match["k"] or match["k2"]
            yield Mention("money", value * 1000 if thousands else value, *match.span())


def _shares(text: str) -> Iterator[Mention]:
    for match in _SHARE.finditer(text):
        if (value := number(match[1])) is not None:
            yield Mention("share", value, *match.span())


def _times(text: str) -> Iterator[Mention]:
    for match in _CLOCK.finditer(text):
        yield Mention("time", _minutes(match), *match.span())
    for match in _SPOKEN_CLOCK.finditer(text):
        yield Mention("time", _spoken(match), *match.span())


def _dozens(text: str) -> Iterator[Mention]:
    for match in _DOZEN.finditer(text):
        word = (match["n"] or "a").lower()
        many = {"half a": Decimal("0.5"), "a": Decimal(1)}.get(word)
        many = Decimal(_small(word)) if word in _SMALL.split("|") else many
        unit = _UNITS[match["unit"].split()[0].lower()]
        value = (many if many is not None else Decimal(match["n"])) * unit
        yield Mention("number", value, *match.span())


def _parts(text: str) -> Iterator[Mention]:
    for match in _PART.finditer(text):
        part = match["half"]
        value = Decimal(_PARTS[part.lower()]) if part else Decimal(1)
        yield Mention("part", value, *match.span(), left=bool(match["rest"]))


def _numbers(text: str) -> Iterator[Mention]:
    for match in _PLAIN.finditer(text):
        if (value := number(match[1])) is not None:
            yield Mention("number", value, *match.span())
    for match in _WORD.finditer(text):
        small = _small(match[1].lower())
        pronoun = small == 1 and (
            _NOT_COUNTED.search(text[: match.start()]) or _ONE_OF.match(text[match.end() :])
        )
        if not pronoun:
            yield Mention("number", Decimal(small), *match.span())


def _small(word: str) -> int:
    return _SMALL.split("|").index(word) + 1


_READERS: Final = (_sums, _shares, _times, _dozens, _parts, _numbers)
"""The earlier ones win where two would overlap."""


def _minutes(match: re.Match[str]) -> Decimal:
    hour = int(match["h"] or match["h2"] or match["h3"])
    minute = int(match["m"] or match["m2"] or match["m3"] or 0)
    half = (match["half"] or "").lower().replace(".", "")
    if half == "pm" and hour < 12:
        hour += 12
    if half == "am" and hour == 12:
        hour = 0
    if not half and hour < EARLIEST and not (match["h2"] or "").startswith("0"):
        hour += 12
    return Decimal(hour * 60 + minute)


def _spoken(match: re.Match[str]) -> Decimal:
    if match["noon"]:
        return Decimal(0 if match["noon"].lower() == "midnight" else 720)
    hour = (int(match["h"]) + 12 * (int(match["h"]) < EARLIEST)) * 60
    part = match["part"].lower()
    return Decimal(hour + (30 if part.startswith("half") else 15 if part.endswith("past") else -15))
