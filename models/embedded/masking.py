"""Texts for the embedder: one word for each id, sum and date, whose values say nothing."""

import re

from models.embedded.patterns import AMOUNT, EMAIL, ID, ISO_DATE, ISO_MONTH, identifiers


def _same_sum(found: re.Match[str]) -> str:
    """One sum for all, its currency as it was written: a request can be about that."""
    return found[0].replace(found["first"] or found["second"], "100")


def masked(text: str, kinds: frozenset[str] | None = None) -> str:
    """The text with one word for every id, amount, date and e-mail, for the embedder."""
    plain = EMAIL.sub("the e-mail address", text)
    for found in reversed(identifiers(plain, kinds)):
        end = ID.match(plain, found.start)
        if end:
            plain = f"{plain[: found.start]}{found.kind}-1000{plain[end.end() :]}"
    plain = AMOUNT.sub(_same_sum, plain)
    plain = ISO_DATE.sub("May 5", plain)
    return " ".join(ISO_MONTH.sub("May", plain).split())
