"""How a result is to look: in which unit, with which columns alone, with ids as its numbers."""

import re
from dataclasses import replace
from typing import Final

from models.embedded.tables.selects import Select

_UNIT: Final = re.compile(
    r",?\s*\b(?:(?:given|shown|stated|all) )?in (?P<unit>euros?|eur|cents?)\b(?!\s*\d)"
    r"(?: (?:is|are|will be|would be) (?:fine|ok|okay|enough|good))?",
    re.IGNORECASE,
)
_START: Final = r"^|[,.:;?!(]\s*|\s[-\u2013]\s"
_ENOUGH: Final = (
    r"(?:only|alone|(?:is|are|would be|will be) (?:enough|fine|plenty)|will do|suffices?)"
)
_ALONE: Final = re.compile(
    rf"(?:{_START}|\band )(?:just|only|simply|nothing but)\s+(?P<led>[^.?!;:]{{3,50}})\W*$"
    rf"|(?:{_START}|\b(?:the|their) )(?P<ended>[\w ,&-]{{3,40}}?) {_ENOUGH}\W*$",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(
    r"(?:(?<=with )|(?<=with the )|(?<=with their )|(?<=and )|(?<=, )|(?<=just )|(?<=only )|^)"
    r"numbers?(?=\s*(?:,|\band\b|\bwith\b|[.?!]|$))"
    r"(?! and (?:the |their )?(?:sum|total|average|value))",
    re.IGNORECASE,
)
_WHICH: Final = (
    r"(?:the )?(?:ones?|those|customers|orders|invoices) (?:that|who|which)"
    r" (?:have |are |were |has |is )?"
)
_LEFT_OUT: Final = re.compile(
    rf"\b(?:without|excluding|excl\.?|except(?: for)?|minus|leaving out|not counting) {_WHICH}"
    r"|\b(?:leaving out|(?:please )?(?:don't|dont|do not) count|(?:please )?(?:exclude|ignore|skip"
    r"|disregard|leave out)) (?:the |those |any |all )*"
    rf"(?:{_WHICH})?",
    re.IGNORECASE,
)
_PUT_BEHIND: Final = re.compile(
    r"(?:the )?\b(\w+)(?: ones| customers| orders| invoices)?,? (?:excluded|left out|excepted|aside"
    r"|not (?:counted|included)|ignored|omitted"
    r"|(?<!,)(?<!, )(?:don't|dont|do not|shouldn't|should not) (?:count|be counted)(?=\W*$))\b",
    re.IGNORECASE,
)
_SHEET: Final = re.compile(
    r",? (?:and )?(?:please )?without (?:the )?(?:whole|entire|full|complete)"
    r" [^.?!]*(?=[.?!]*\s*$)"
    r"|, for (?:the|my|our|a) [\w ]{3,25}(?=[.?!]*\s*$)",
    re.IGNORECASE,
)
_EACH: Final = re.compile(r"\b(?:per|by|each|every|how many)\b", re.IGNORECASE)
_BOTH: Final = re.compile(
    r"\b(?:number|count) and (?:the |their )?(?:sum|total|total amount|total value)\b"
    r"|(?:^|(?<=\band ))(?:what|how much) (?:do |did )?(?:they|those|these) (?:do )?"
    r"(?:add up to|come to|amount to|sum up to|total)(?: in total| altogether)?",
    re.IGNORECASE,
)


def plainly(text: str) -> tuple[str, bool]:
    """The question without the unit of its sums, its numbers called ids; whether it is euros.

    "Number and address" asks for ids, "number and sum" for a count.
    """
    unit = _UNIT.search(text)
    plain = _SHEET.sub("", _UNIT.sub("", text))
    plain = _LEFT_OUT.sub("excluding ", _PUT_BEHIND.sub(r"excluding \1", plain))
    if not _EACH.search(plain):
        plain = _NUMBERED.sub("ids", plain)
    plain = _BOTH.sub(_count_and_sum, plain)
    return plain, bool(unit and unit["unit"].lower().startswith("eur"))


def _count_and_sum(found: re.Match[str]) -> str:
    both = found[0].lower().startswith(("number", "count"))
    return "how many and the total" if both else "the total"


def alone(text: str) -> tuple[int, int] | None:
    """Where a question says which columns it wants and no more: "just the names"."""
    found = _ALONE.search(text)
    if found is None:
        return None
    return found.span("led" if found["led"] else "ended")


def in_euros(select: Select) -> Select:
    """The query with its sums in euros instead of cents."""
    return replace(select, what=tuple(map(_euros, select.what)))


def _euros(column: str) -> str:
    money = "_cents" in column and "/" not in column and not column.startswith("COUNT")
    return f"{column} / 100.0" if money else column
