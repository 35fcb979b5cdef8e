"""Sums of money in a request, and the numbers that may be one."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from models.embedded.patterns import CURRENCY, ISO_DATE, ISO_MONTH, NUMBER, Amount, amounts, number

PLAIN_NUMBER: Final = re.compile(rf"(?<![\w.,/-])({NUMBER})(?![\w%/]|[.,-]\d|-\w)")
_ID: Final = re.compile(
    r"\b[A-Za-z]{2,6}[-_]?\d{3,8}\b|\b[A-Z]{2,6}-(?=[A-Z]*\d)[A-Z0-9]{2,12}\b"
    r"|\b(?!pay|for|and|the|get|add|off|put|her|him|say|was|are|has|not|but|its|his)"
    r"(?:[A-Z]{3,6}|[a-z]{3}) \d{3,8}\b"
)
_SMALL: Final = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    "|sixteen|seventeen|eighteen|nineteen"
)
_TENS: Final = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_NUMBERS: Final = {
    **{word: at for at, word in enumerate(_SMALL.split("|"), 1)},
    **{word: 10 * at for at, word in enumerate(_TENS.split("|"), 2)},
}
_WORDS: Final = f"{_SMALL}|{_TENS}"
_NO_KIND: Final = (
    r"(?:for|on|of|off|to|from|and|back|because|as|since|due|with|in|at|or|but|so|only|plus|less"
    r"|extra|more|again|today|now|total|please|pls|is|was|the|goodwill|refund|per|over|than)\b"
)
_COUNTED: Final = re.compile(
    r"\b\d{1,3} (?!(?:was|is|has|goes|gets|this|as|less|plus)\b)[a-z]{2,}s\b"
    rf"|\b\d{{1,3}} (?!{_NO_KIND})[a-z]{{2,}} (?!(?:was|is|has|goes|gets|this|as|thanks|yes)\b)"
    r"[a-z]{2,}s\b"
    rf"|\b1 (?!{_NO_KIND})[a-z]{{3,}}\b"
    r"|\b(?:ticket|case|ref(?:erence)?|po|claim|complaint) ?(?:no\.? ?|number |# ?)?\d+\b"
    r"|\b\d{1,3} (?:out )?of (?:the |their |those )?\d{1,3} (?=[a-z]{2,}s\b)"
    r"|\b\d{1,2}(?:st|nd|rd|th)\b|\b\d{1,2} (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov"
    r"|dec)[a-z]*\b",
    re.IGNORECASE,
)
_MONTH_OF_YEAR: Final = re.compile(r"(?<![\d/.-])(0?[1-9]|1[0-2])/(20\d\d)(?![\d/-])")
_SPELLED: Final = re.compile(
    rf"\b(?:(?:{_WORDS}|a) hundred(?:(?: and)? (?:{_WORDS})(?:[ -](?:{_WORDS}))?)?"
    rf"|(?:{_WORDS})(?:[ -](?:{_WORDS}))?)"
    rf"(?= (?:{CURRENCY}|days?|weeks?|percent|per cent)\b)",
    re.IGNORECASE,
)


def plain_numbers(text: str) -> list[tuple[Decimal, int]]:
    """Numbers that are no part of an id, a date or a percentage, with their place."""
    blanked = ISO_DATE.sub(_blank, ISO_MONTH.sub(_blank, _ID.sub(_blank, text)))
    found = [(number(match.group(1)), match.start(1)) for match in PLAIN_NUMBER.finditer(blanked)]
    return [(value, start) for value, start in found if value is not None]


def with_digits(text: str) -> str:
    """The text with spelled numbers before a currency or a length as digits, 05/2026 as 2026-05."""
    text = _MONTH_OF_YEAR.sub(lambda found: f"{found[2]}-{int(found[1]):02d}", text)
    return _SPELLED.sub(lambda found: str(_value(found[0])), text)


def _value(spelled: str) -> int:
    total = 0
    for word in spelled.lower().replace("-", " ").split():
        if word == "hundred":
            total = max(total, 1) * 100
        elif word not in ("a", "and"):
            total += _NUMBERS[word]
    return total


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group(0))


def sums_of(text: str) -> list[Amount]:
    """Sums of money; where none has a currency, bare numbers that count no things or days."""
    return amounts(text) or bare_sums(text)


def bare_sums(text: str) -> list[Amount]:
    """Numbers without a currency that count no things or days."""
    bare = plain_numbers(_COUNTED.sub(_blank, text))
    return [Amount(value, None, start) for value, start in bare]


def share_in(sums: Sequence[Amount]) -> Amount | None:
    """The one share that counts: "some of their money back: half of it" is half of it."""
    shares = [one for one in sums if one.share is not None]
    shares.sort(key=lambda one: (one.base == "other", one.remaining and one.base == ""))
    return shares[0] if shares else None
