"""What must be settled before an effect is proposed: which record, whose, and which sum.

Everything here fails closed: where a message leaves a doubt, the expert asks back.
"""

import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from models.embedded.bases import RECORD
from models.embedded.demand import clauses_of, demands
from models.embedded.patterns import (
    CURRENCY,
    ID,
    MONTH,
    NUMBER,
    PERCENT,
    amounts,
    identifiers,
)
from models.embedded.selection import picking
from models.embedded.speech import core, states
from models.embedded.sums import bare_sums, sums_of
from models.embedded.unspoken import money_back
from models.embedded.words import stem, words

_PARTS: Final = re.compile(
    r"\b(?:but|so|because|while|whereas)\b|\band\b(?= (?:then |please )?\w)", re.I
)
_KEPT: Final = re.compile(
    r"\b(?:keep|leave|stays?|remains?|replaces?|untouched|alone|hands off|is (?:fine|right|ok)"
    r"|must not|don't|not)\b",
    re.IGNORECASE,
)
_MANY: Final = re.compile(
    r"\b(?:both|them|they|all|all three|these|those|each|every one|the two|the lot)\b", re.I
)
_POINTS: Final = re.compile(r"\b(?:it|that|this|them|both|those|these)\b", re.IGNORECASE)
_ONE_OF: Final = re.compile(r"\b(?:one|either|any) of (?:them|those|these|the two)\b", re.I)
_MONEY: Final = rf"(?:€|\$|£|eur )? ?(?:{NUMBER})(?: ?(?:{CURRENCY}))?(?!\w)"
_HEDGED: Final = re.compile(
    rf"\b(?:up to|at most|at least|between|around|about|roughly|approximately|approx\.?|maybe"
    rf"|perhaps|minus|less|plus) {_MONEY}"
    rf"|{_MONEY} (?:or|to|minus|less|plus) {_MONEY}"
    rf"|{_MONEY} (?:twice|a (?:day|week|month|year)|monthly)\b"
    rf"|\b(?:all|everything) (?:but|except) {_MONEY}|\bless (?:the|what) "
    rf"|{_MONEY},? (?:no|sorry|i mean|make (?:that|it)|rather)\b.*{_MONEY}"
    rf"|{_MONEY} (?:or so|or more|or less|apiece|a piece|per \w+)\b",
    re.IGNORECASE,
)
_TOTAL: Final = re.compile(
    rf"(?<=\d)(?: ?(?:{CURRENCY}))? (?:out )?of (?:the |their |its |a total of )?{_MONEY}",
    re.IGNORECASE,
)  # "20 of the 240"
_EACH: Final = re.compile(rf"{_MONEY} each\b|\beach {_MONEY}", re.IGNORECASE)
_DIFFERENCE: Final = re.compile(
    r"\bthe difference\b(?! (?:of|is) \S*\d)|\binstead of\s+\S{0,4}\d"
    r"|\bshould have been\s+\S{0,4}\d",
    re.IGNORECASE,
)
_EARLIER: Final = re.compile(
    r"\bthe one before\b|\bthe previous one\b|\bnot the other\b", re.IGNORECASE
)
_OWNER: Final = re.compile(
    r"\b(?:of|from) (?:the )?(?P<of>(?-i:[A-Z][a-z])[\w&-]*)"
    r"|\b(?P<own>(?-i:[A-Z][a-z])[\w&-]*)['\u2019]s (?!been\b|not\b)",
    re.IGNORECASE,
)


def meant_ids(text: str, ids: Sequence[str], deeds: Collection[str]) -> list[str]:
    """The ids that a demand is about: not those that other clauses keep or tell something of.

    "INV-1044 stays as it is, void INV-1045" is about one record.

    Args:
        text: one request.
        ids: the ids it names.
        deeds: stems that name the deed.
    """
    parts = _parts(text)
    asked = {one for part in parts if demands(part, deeds) for one in _ids(part)}
    for part, after in itertools.pairwise(parts):
        if demands(after, deeds) and not _ids(after) and _POINTS.search(after):
            asked |= set(_ids(part))  # "INV-1044 was issued twice, void it, and …"
    told = {one for part in parts if _tells(part, deeds) for one in _ids(part)} - asked
    return [one for one in ids if one not in told] if asked else list(ids)


def torn(text: str, deeds: Collection[str]) -> bool:
    """Whether ids stand in one clause and the demand picks another, or none of them.

    "Not 7, undo the first"; "7 and 8 are the same, cancel one of them".
    """
    clauses = _with_apposed(clauses_of(text)) if identifiers(text) else []
    demanding = [one for one in clauses if demands(one, deeds)]
    if not demanding or any(map(_ids, demanding)):
        return False
    told = {name for one in clauses if states(core(one)) for name in _ids(one)}
    several = len(told) > 1 and not any(map(_MANY.search, demanding))
    return several or all(picking(one) or _ONE_OF.search(one) for one in demanding)


def _with_apposed(clauses: Sequence[str]) -> list[str]:
    """The clauses, an id that stands alone with the one before: "the newest, INV-1047"."""
    found: list[str] = []
    for one in clauses:
        if found and ID.fullmatch(one.strip()) and not identifiers(found[-1]):
            found[-1] = f"{found[-1]} {one.strip()}"
        else:
            found.append(one)
    return found


def others_record(text: str, deeds: Collection[str], said: Sequence[str]) -> str:
    """Whose record a demand without an id names, if nobody was talking of them; else empty.

    Args:
        text: one request.
        deeds: stems that name the deed.
        said: what was said and shown before.
    """
    shown = " ".join(said).casefold()
    for clause in clauses_of(text):
        for found in _OWNER.finditer(ID.sub(" ", clause)) if demands(clause, deeds) else ():
            name = found["of"] or found["own"]
            if name.casefold() not in shown and not MONTH.fullmatch(name):
                return name
    return ""


def earlier_meant(text: str) -> bool:
    """Whether a text without an id means another record than the one at hand."""
    return _EARLIER.search(text) is not None and not identifiers(text)


def unsure_sum(text: str, deeds: Collection[str], *, several: bool) -> bool:
    """Whether a text leaves open which sum is meant: "up to 45", "1240 instead of 930".

    Of several sums one must follow the deed, or stand alone in the clause that demands it.

    Args:
        text: one request.
        deeds: stems that name the deed.
        several: whether there are several calls, each with a sum of its own.
    """
    plain = RECORD.sub(" ", text)
    if _HEDGED.search(plain) or _DIFFERENCE.search(plain):
        return True
    if several:
        return False
    if _EACH.search(plain):
        return True
    text = _TOTAL.sub(" ", text)
    values = _values(text)
    if len(set(values)) < 2:
        return False
    clauses = [one for one in clauses_of(text) if demands(one, deeds) or money_back(one)]
    asked = {value for one in clauses for value in _values(one)}
    return len(asked) != 1 and len(_led(text, deeds)) != 1


def unaccounted(text: str, record: Mapping[str, Any], value: Decimal) -> bool:
    """Whether a text with a share has a sum that is neither the result nor the record's.

    Args:
        text: one request.
        record: what the share was taken of.
        value: what it comes to.
    """
    known = {
        Decimal(str(one))
        for one in record.values()
        if isinstance(one, int | float) and not isinstance(one, bool)
    }
    return bool(set(_values(PERCENT.sub(" ", text))) - known - {value})


def _parts(text: str) -> list[str]:
    """Clauses, also apart at "but" and "and"; an id alone belongs to what stands before it."""
    found = [part for clause in clauses_of(text) for part in _PARTS.split(clause)]
    return [part for part in found if part.strip()]


def _tells(part: str, deeds: Collection[str]) -> bool:
    kept = bool(_KEPT.search(core(part))) and not amounts(part)
    return not demands(part, deeds) and (kept or states(core(part)))


def _ids(part: str) -> list[str]:
    return [one.text for one in identifiers(part)]


def _values(text: str) -> list[Decimal]:
    """All sums, with or without a currency; counts of things and days are none."""
    bare = re.sub(rf"(?i)(?<=\d) ?(?:{CURRENCY})(?!\w)|€|\$|£|\beur(?= ?\d)", " ", text)
    return [one.value for one in bare_sums(bare) if one.value is not None]


def _led(text: str, deeds: Collection[str]) -> set[Decimal]:
    leads = {*deeds, "of"}
    return {
        one.value
        for one in sums_of(text)
        if one.value is not None and {stem(w) for w in words(text[: one.start])[-2:]} & leads
    }
