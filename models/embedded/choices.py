"""Allowed values that a text names as a property: "open invoices", "by customer", "called off"."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from models.embedded.fields import Argument
from models.embedded.words import STOP_WORDS, word_set, words

_SAME: Final[Mapping[str, str]] = {
    "any": "all",
    "open": "unpaid outstanding unsettled owing owed due",
    "paid": "settled cleared",
    "void": "voided annulled struck nullified invalid",
    "cancelled": "canceled aborted",
    "delivered": "arrived received",
    "shipped": "dispatched sent",
    "processing": "pending processed unprocessed",
    "packed": "boxed",
    "customer": "client company account party",
    "product": "item article sku",
}
_PHRASES: Final[Mapping[str, re.Pattern[str]]] = {
    "shipped": re.compile(
        r"\b(?:shipped|sent|dispatched)(?: out)?,? (?:but|and|yet) (?:(?:has|have|is|are) )?not\b"
        r"|\bnot (?:yet )?arrived\b"
        r"|\bon (?:its|their|the) (?:way|road)\b|\bin transit\b|\bunder ?way\b|\bhave left the",
        re.I,
    ),
    "open": re.compile(
        r"\bnot (?:yet )?(?:been )?paid\b"
        r"|\b(?:have|has)n't (?:they|he|she|it|we|[A-Z]\w+) (?:paid|settled)\b"
        r"|\b(?:have|has)n't (?:yet )?(?:been )?paid\b"
        r"|\b(?:still )?(?:ow(?:e|es|ing)|to be paid|left to pay|(?:have|has|had) to pay"
        r"|waiting for payment|yet to pay|still to pay)\b(?! by)"
        r"|\b(?:has|have|had) [^?.,]{2,40} still to pay\b"
        r"|\b(?:what|anything|something|everything|whatever)(?:['\u2019]?s| is| else is| else)?"
        r"(?: still| else| yet)? (?:open|outstanding)\b"
        r"|\b(?:has|have) (?:still )?(?:got )?open\b"
        r"|\b(?:nobody|no one|none of them) (?:has|have) (?:yet )?(?:paid|settled)",
        re.I,
    ),
    "cancelled": re.compile(r"\bcalled off\b", re.IGNORECASE),
    "delivered": re.compile(
        r"\b(?:have|has|had|got)(?: \w+)? (?:had )?delivered\b(?! by)|\bdelivered so far\b", re.I
    ),
    "customer": re.compile(
        r"\bwho (?:brought|paid|spent|bought|earned|generated|gave|made)\b"
        r"|\bwho (?:are|were|was|is) (?:our )?(?:the )?(?:best|biggest|top)\b|\bfrom whom\b",
        re.IGNORECASE,
    ),
    "product": re.compile(r"\bwhat sold\b|\bwhat (?:did|do) we sell (?:best|most)\b", re.I),
    "void": re.compile(r"\b(?:struck|written) off\b", re.IGNORECASE),
    "paid": re.compile(
        r"\bpaid up\b|\b(?:they|he|she|it|we|that|and) (?:did|do) pay\b"
        r"|\balready paid\b|\b(?:everything|all) (?:that (?:was|is) )?paid\b"
        r"|\b(?:what|which (?:\w+)) (?:has|have|did) [^?.,]{2,40} (?:paid|pay)\b"
        r"|\b(?:what|everything|all)(?: that)? [^?.,]{2,40} (?:has|have) (?:already )?paid\b",
        re.IGNORECASE,
    ),
}
EVERYBODY: Final = re.compile(
    r"\b(?:everyone|everybody|all (?:the |our )?(?:customers|clients|companies|accounts)"
    r"|(?:each|every) (?:customer|client|company)|all of (?:them|the customers)"
    r"|(?:whole|entire) (?:customer|client) base|nobody left out|across the board)\b",
    re.IGNORECASE,
)
_GROUPING: Final = word_set("by per each every which best biggest top largest strongest")
_ADJECTIVES: Final = word_set(
    "unpaid outstanding unsettled settled voided annulled cancelled canceled undelivered"
)
_NO_CHOICE: Final = word_set("any total")
_NARROWING: Final = word_set("only just")
_IS: Final = word_set(
    "anything something everything"
    " are is still already currently yet not were was in being only just been get got"
)


def status_forms(word: str) -> frozenset[str]:
    """The states that a word stands for: "unpaid" is open."""
    lowered = word.lower()
    return frozenset(
        value
        for value, others in _SAME.items()
        if value not in ("any", "customer", "product") and lowered in (value, *others.split())
    )


def _forms(value: str) -> set[str]:
    return {value.lower(), *_SAME.get(value, "").split()}


def choice_forms(argument: Argument) -> list[str]:
    """All words that stand for one of the argument's allowed values."""
    return [form for value in argument.choices for form in sorted(_forms(value))]


def phrase_of(argument: Argument) -> re.Pattern[str] | None:
    """The phrases of several words for the argument's allowed values; None without any."""
    found = [_PHRASES[value].pattern for value in argument.choices if value in _PHRASES]
    return re.compile("|".join(found), re.IGNORECASE) if found else None


def read_choice(text: str, argument: Argument) -> str:
    """An allowed value that the text names as a property: "open invoices", "by customer"."""
    tokens = words(text)
    for value, phrase in _PHRASES.items():
        if value in argument.choices and phrase.search(text):
            return value
    for value in sorted(argument.choices, key=_NO_CHOICE.__contains__):
        forms = _forms(value)
        for at, token in enumerate(tokens):
            if (token in forms or token.removesuffix("s") in forms) and _is_property(
                tokens, at, argument
            ):
                return value
    return ""


def _is_property(tokens: Sequence[str], at: int, argument: Argument) -> bool:
    before = tokens[at - 1] if at else ""
    if argument.name.endswith("_by") or argument.name.startswith("by_"):
        split = before in _GROUPING or tokens[at + 1 : at + 2] == ["wise"]  # "item-wise"
        return split or tokens[max(0, at - 2) : at] == ["by", "each"]
    after = tokens[at + 1] if at + 1 < len(tokens) else ""
    if not [one for one in tokens if one != tokens[at] and one not in STOP_WORDS]:
        return tokens[at] not in ("all", "any")  # "and paid?"
    if {"not", "aren't", "isn't", "wasn't", "weren't", "hasn't", "haven't"} & set(
        tokens[max(0, at - 3) : at]
    ):
        return False
    if tokens[at] in _ADJECTIVES:
        return True
    if tokens[at] in ("all", "any"):
        return tokens[at + 1 : at + 2] in (["of"], ["status"], ["states"])
    if not after and before in _NARROWING | {"the"}:
        return True  # "just the delivered"
    plural = after.endswith("s") and after not in ("this", "is", "was", "us")
    return plural or before in _IS | _NARROWING or after in ("and", "ones", "one", "stuff")
