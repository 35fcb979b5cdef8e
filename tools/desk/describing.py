"""Customers by what people call them: "the Ottawa clinics", "Ingrid's lot", "the games ppl"."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final

from tools.desk.books import Row

_WORD: Final = re.compile(r"[^\W_]+")
_CAPITAL: Final = re.compile(r"\b[A-Z][^\W_]+")
_NO_NAME_TEXT: Final = (
    "the a an our of in at from and one ones lot people ppl folks guys team shop firm company"
    " customer client account business office s ltd inc gmbh sa as ab oy nv bv llp sas kk spa aps"
    " sl"
)
_NO_NAME: Final = frozenset(_NO_NAME_TEXT.split())
_FIELDS: Final = ("name", "contact", "city")
_ENDING: Final = re.compile(r"(?<=\w{3})(?:ists?|[eo]rs?|[ae]nces?|ics?|als?|ings?|i?es|s|y|e)$")
SHORTEST: Final = 4
LONG: Final = 6
ALIKE: Final = 0.85
"""Of two words with a slip between them, in `difflib`'s ratio."""


def described(customers: Iterable[Row], wanted: str) -> list[Row]:
    """The customers of whom every telling word of a description is a name, a contact or a place.

    A trade that nobody's name has may stand beside a name or a place: "the lawyers in London".

    Args:
        customers: the known ones.
        wanted: what somebody calls one of them.
    """
    said = [word for word in plain_words(wanted) if word not in _NO_NAME]
    if not said:
        return []
    known = [
        (one, [word for name in _FIELDS for word in plain_words(one[name])]) for one in customers
    ]
    for alike in (_same_stem, _one_slip):
        if found := [one for one, own in known if _all_of(said, own, alike)]:
            return found
    written = [word for part in _CAPITAL.findall(wanted) for word in plain_words(part)]
    named = [word for word in said if word in written]
    others = [word for word in said if word not in written]
    if any(_same_stem(word, other) for word in others for _, own in known for other in own):
        return []
    return [one for one, own in known if named and others and _all_of(named, own, _same_stem)]


def plain_words(text: str) -> list[str]:
    """The words of a text in lower case, without accents."""
    bare = unicodedata.normalize("NFKD", text.casefold())
    return _WORD.findall("".join(one for one in bare if not unicodedata.combining(one)))


def _all_of(said: Sequence[str], own: Sequence[str], alike: Callable[[str, str], bool]) -> bool:
    return all(any(alike(word, other) for other in own) for word in said)


def _same_stem(said: str, own: str) -> bool:
    shorter = min(len(said), len(own))
    begins = shorter >= SHORTEST and (own.startswith(said) or said.startswith(own))
    begins = begins or (shorter >= LONG and said[:LONG] == own[:LONG])  # "architects"
    return begins or _stem(said) == _stem(own)


def _stem(word: str) -> str:
    return _ENDING.sub("", word)


def _one_slip(said: str, own: str) -> bool:
    long = min(len(said), len(own)) >= SHORTEST
    return _same_stem(said, own) or (long and SequenceMatcher(None, said, own).ratio() >= ALIKE)
