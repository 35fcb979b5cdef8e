"""Demands for money that name no verb the app knows: "she is due 90 on INV-1020"."""

import re
from collections.abc import Collection
from typing import Final

from models.embedded.demand import clauses_of, names_deed, speculates
from models.embedded.speech import core
from models.embedded.sums import sums_of
from models.embedded.unspoken import DOUBTED, LOOKING
from models.embedded.words import word_set, words

_TOLD: Final = DOUBTED - {"would"}
_PARTS: Final = re.compile(r"\b(?:so|and|but|because|since)\b")
_DONE: Final = word_set("went sent took made left bounced")
_WISHED: Final = word_set("have be get gets")
_REPORTED: Final = re.compile(
    r"\b(?:for the record|fyi|note that|disput\w+|wonder\w*|expects?|confirm|remind|seems?)\b",
    re.IGNORECASE,
)


def may_demand(text: str, deeds: Collection[str]) -> bool:
    """Whether a text may demand that a sum is paid without a verb for it.

    Nothing may ask, doubt or report, and the clause with the sum tells nothing of the past: "both
    came back, so 90 of INV-1020 are theirs". A known verb of the deed that demands nothing as it
    stands, as in "the refund of 90 is missing", demands nothing here either.

    Args:
        text: one request.
        deeds: stems that name the deed.
    """
    if speculates(text) or _REPORTED.search(text) or "?" in text or names_deed(text, deeds):
        return False
    clauses = [part for clause in clauses_of(text) for part in _PARTS.split(clause)]
    telling = [words(core(one)) for one in clauses if sums_of(one)]
    looks = set(words(core(text))[:1]) & LOOKING
    return bool(telling) and not looks and not any(map(_is_told, telling))


def _is_told(said: list[str]) -> bool:
    """Whether a clause doubts, looks something up, or reports what was done."""
    done = any(one.endswith(("ed", "paid")) or one in _DONE for one in said)
    doubted = bool(set(said) & _TOLD or set(said[:1]) & LOOKING)
    return doubted or (done and not set(said) & _WISHED)
