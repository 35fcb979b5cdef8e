"""Corrections that name a value and not its slot: "make that Danish", "a spreadsheet, please"."""

import re
from collections.abc import Callable
from typing import Final

from models.embedded.patterns import EMAIL, identifiers
from models.embedded.stating.clauses import Clause
from models.embedded.stating.lexicon import FORMAT, LANGUAGE
from models.embedded.stating.values import names_in
from models.embedded.stating.wishes import OLD

MOST_WORDS: Final = 8
_MARK: Final = re.compile(
    r"^(?:(?:no|sorry|actually|ok|so|and|please|now|well|instead),? )*(?:make (?:it|that|this)|change (?:it|that|this|my [\w ]+?) (?:back )?to|set (?:it|that|my [\w ]+?) to|update (?:it|my [\w ]+?) to"
    r"|it's|it is|that's now|I meant|I mean|it should be|should be|let's (?:return|go back|switch|change|move) to|go back to|back to|switch (?:it )?(?:back )?to|return to|the new one is)\b"
    r"|\b(?:from now on|from here on|please|instead|again|going forward|it is|now)[.!]?$",
    re.IGNORECASE,
)
_TASK: Final = re.compile(
    r"\b(?:invoice|order|ticket|refund|customer|client|show|list|send|open|export|draft|create|translate|of|for|about|with|one|weather|from (?!now|here))\b",
    re.IGNORECASE,
)


def corrected(clause: Clause, is_place: Callable[[str], bool]) -> list[tuple[str, str]]:
    """The slot and the value that a short clause puts in place of another."""
    text = OLD.sub(" ", clause.text).strip(" ,")
    turned = text != clause.text.strip(" ,")
    if len(text.split()) > MOST_WORDS or clause.ended or not (turned or _MARK.search(text)):
        return []
    if identifiers(text) or _TASK.search(text):
        return []
    for slot, pattern in (("email", EMAIL), ("language", LANGUAGE), ("report_format", FORMAT)):
        if found := pattern.search(text):
            return [(slot, found[0])]
    return [("location", name) for name in names_in(text)[:1] if is_place(name)]
