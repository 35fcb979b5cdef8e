"""Words that take a demand back or only ask about it, where its verb stands all the same."""

import re
from typing import Final

from models.embedded.choices import status_forms
from models.embedded.patterns import ID
from models.embedded.speech import QUESTION_WORDS, core, is_request
from models.embedded.words import words

_RETRACTED: Final = re.compile(
    r"\b(?:but|then|yet|however)\b[^.;]*?\b(?:(?:wants? to |wanted to |to |will |we'll |they'll )?"
    r"(?:keep|leave) (?:it|that|this|them|the \w+)(?! but)(?=\s*(?:$|[,.;!]|after all|as|for now"
    r"|open|now))|changed (?:his|her|their|my|our) minds?"
    r"|(?:forget|never ?mind)(?: it)?\s*(?:$|[.,])"
    r"|(?:took|takes) (?:it|that) back|want(?:s|ed)? it after all)",
    re.IGNORECASE,
)
_TAG: Final = re.compile(
    r"(?:,|\s)\s*(?:please|pls|ok(?:ay)?|yes|right|will you|can you|could you|would you|thanks"
    r"|thank you|alright)\s*\?+\s*$",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(r"[.;!]\s+\S")
_PLURALS: Final = frozenset({"ones", "invoices", "bills", "orders", "items", "entries", "stuff"})


def retracted(text: str) -> bool:
    """Whether a text takes a demand back: "… but then he called and wants to keep it"."""
    found = _RETRACTED.search(text)
    return found is not None and not ID.search(text[found.start() :])


def only_asked(text: str) -> bool:
    """Whether one bare sentence with a question mark weighs a deed: "cancel it?"."""
    asks = text.rstrip().endswith("?") and not _TAG.search(text)
    asks = asks and not any(set(words(core(one))[:1]) & QUESTION_WORDS for one in text.split(","))
    return asks and not is_request(text) and not _ASIDE.search(text) and "please" not in words(text)


def narrows(text: str) -> bool:
    """Whether a verb that is also a state picks rows of a list: "and void ones", "and void?"."""
    said = words(core(text))
    states = bool(said) and bool(status_forms(said[0])) and not ID.search(text)
    alone = said[1:] == [] and text.rstrip().endswith("?")
    return states and (alone or bool(set(said[1:2]) & _PLURALS))
