"""Sums of money in a request, and the numbers that may be one."""

import re
from decimal import Decimal
from typing import Final

from models.embedded.patterns import ISO_DATE, ISO_MONTH, NUMBER, Amount, amounts, number

PLAIN_NUMBER: Final = re.compile(rf"(?<![\w.,/-])({NUMBER})(?![\w%/]|[.,-]\d|-\w)")
_ID: Final = re.compile(
    r"\b[A-Za-z]{2,6}[-_]?\d{3,8}\b|\b[A-Z]{2,6}-(?=[A-Z]*\d)[A-Z0-9]{2,12}\b"
    r"|\b(?!pay|for|and|the|get|add|off|put|her|him|say)(?:[A-Z]{3,6}|[a-z]{3}) \d{3,8}\b"
)


def plain_numbers(text: str) -> list[tuple[Decimal, int]]:
    """Numbers that are no part of an id, a date or a percentage, with their place."""
    blanked = ISO_DATE.sub(_blank, ISO_MONTH.sub(_blank, _ID.sub(_blank, text)))
    found = [(number(match.group(1)), match.start(1)) for match in PLAIN_NUMBER.finditer(blanked)]
    return [(value, start) for value, start in found if value is not None]


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group(0))


def sums_of(text: str) -> list[Amount]:
    """Sums of money; bare numbers where no sum has a currency."""
    money = amounts(text)
    if money:
        return money
    return [Amount(value, None, start) for value, start in plain_numbers(text)]
