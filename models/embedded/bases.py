"""Shares of a sum, and what they are of: "half of what came in", "a fifth of the workshop"."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final, Literal

from models.embedded.words import word_set, words

Base = Literal["", "whole", "paid", "left", "other"]

_OF: Final = re.compile(
    r"\s*(?:back )?(?:of|from|on) (?P<what>[^,.;:!?()]+?)(?=\s*(?:$|[,.;:!?()]|\s[-\u2013\u2014]\s"
    r"|\b(?:back|goes|go|went|to|as|because|since|please|pls|within|never|and|for)\b))",
    re.IGNORECASE,
)
_PAID: Final = re.compile(
    r"\b(?:paid|payments?|came in|come in|has in|received|transferred|sent us|gave us|deposit)\b",
    re.IGNORECASE,
)
_LEFT: Final = re.compile(r"\b(?:rest|remaind\w*|remaining|left|refundable)\b", re.IGNORECASE)
_GIVEN: Final = re.compile(r"(?<=\w) (?:we|you|i) (?:give|send|pay|refund|return|owe)\b.*", re.I)
RECORD: Final = re.compile(r"\b[A-Za-z]{2,6}-\d{3,8}\b")
_BARE: Final = word_set("it that this them one ones money invoice bill order lot")
_SUM: Final = word_set("amount sum total price value whole invoiced billed full")
_BESIDE: Final = word_set(
    "the a an their his her its our that this of on in for entire original latest last first second"
    " new newest old june may april march february january july august september october november"
    " december"
)

_AFTER_SHARE: Final = re.compile(
    r"\s*(?:$|[,.;:?!)]|(?:of|back|off|on|to|for|please|as|because|since|from|again|refund"
    r"|refunded|the|its|that|too|and|then)\b)"
)
_SHARES: Final[Sequence[tuple[str, str]]] = (
    (r"\b(?:a |one )?half\b|\b50 ?%", "0.5"),
    (r"\b(?:a|one)[ -]third\b", "1/3"),
    (r"\btwo[ -]thirds\b", "2/3"),
    (r"\b(?:a|one)[ -]quarter\b", "0.25"),
    (r"\bthree[ -]quarters\b", "0.75"),
    (r"\b(?:a|one)[ -](?:fourth|4th)\b", "0.25"),
    (r"\b(?:a|one)[ -]fifth\b", "0.2"),
    (r"\b(?:a|one)[ -]tenth\b", "0.1"),
    (r"\b(?:a|one)[ -]eighth\b", "0.125"),
)


def base_of(after: str) -> Base:
    """What the words after a share say that it is of; empty where they leave it open.

    Args:
        after: the text behind the share.
    """
    found = _OF.match(after)
    if found is None:
        return ""
    what = _GIVEN.sub("", found["what"])
    if _LEFT.search(what):
        return "left"
    if _PAID.search(what):
        return "paid"
    said = [word for word in words(RECORD.sub(" ", what)) if word not in _BESIDE]
    if not said or set(said) <= _BARE:
        return ""
    return "whole" if set(said) <= _SUM | _BARE else "other"


def fractions_in(text: str) -> Iterator[tuple[Decimal, int, int]]:
    """Shares in words, each with its place: "a third", "half"."""
    lowered = text.lower()
    for pattern, share in _SHARES:
        for match in re.finditer(pattern, lowered):
            if _is_share(lowered[match.end() :], share):
                top, _, bottom = share.partition("/")
                yield Decimal(top) / Decimal(bottom or 1), match.start(), match.end()


def _is_share(after: str, share: str) -> bool:
    """Not "half a year", and not "a third seat"."""
    if share == "0.5":
        return not re.match(r"\s+(?:year|hour|day|month|an? )", after)
    return _AFTER_SHARE.match(after) is not None
