"""Reads a question: whom it names, and what it asks without the names.

A name says who spoke, not what about: matched as a word it finds every mention, matched by meaning
it pulls towards greetings. So names of known speakers leave the text and select by speaker.
"""

import calendar
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from memory.fulltext import STOP_WORDS, content_terms, terms

MIN_ACTORS: Final = 2
"""With fewer speakers in memory a name selects nothing."""

MIN_NAME: Final = 2

_WORD: Final = re.compile(r"[^\W_](?:[\w'./-]*[^\W_])?")
_SENTENCE_END: Final = ".?!:\n"
_CALENDAR: Final = frozenset(
    name.casefold() for name in (*calendar.month_name, *calendar.day_name) if name
)
_FIRST_PERSON: Final = re.compile(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is searched.

    Attributes:
        text: Without the names of speakers.
        actors: The speakers it is about.
        named: Whether it names one of them, other than by "I".
        names: The other proper names and ids in it, each as its search terms.
    """

    text: str
    actors: frozenset[str] = frozenset()
    named: bool = False
    names: tuple[frozenset[str], ...] = ()


def read_question(text: str, actors: Sequence[str], asker: str) -> Question:
    """Find the known speakers in a question; "I" is the asker.

    Args:
        text: The question as it was put.
        actors: Who has spoken in the scope's memory.
        asker: Who puts it.
    """
    text = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    if len(actors) < MIN_ACTORS:
        return Question(text, names=proper_names(text))
    bare, named = _without_names(text, actors)
    about = set(named)
    if asker in actors and _FIRST_PERSON.search(text):
        about.add(asker)
    if not content_terms(bare):
        bare = text
    return Question(bare, frozenset(about), bool(named), proper_names(bare))


def proper_names(text: str) -> tuple[frozenset[str], ...]:
    """Words written as names (a capital inside a sentence, no day or month) and ids with digits."""
    found: dict[frozenset[str], None] = {}
    for match in _WORD.finditer(text):
        word = re.sub(r"'s$", "", match.group())
        before = text[: match.start()].rstrip(" \t\"'(")
        starts = not before or before[-1] in _SENTENCE_END
        if _is_id(word) or (word[0].isupper() and not starts and not _is_common(word)):
            found[frozenset(terms(word))] = None
    return tuple(name for name in found if name)


def _is_id(word: str) -> bool:
    return any(char.isdigit() for char in word) and any(char.isalpha() for char in word)


def _is_common(word: str) -> bool:
    lower = word.casefold()
    return len(word) < MIN_NAME or lower in _CALENDAR or lower.partition("'")[0] in STOP_WORDS


def _without_names(text: str, actors: Collection[str]) -> tuple[str, set[str]]:
    """The text without the actors' full or first names, and whom it names."""
    named: set[str] = set()
    for actor in sorted(actors, key=len, reverse=True):
        for form in dict.fromkeys((actor, actor.split()[0] if actor.split() else actor)):
            pattern = rf"(?<!\w){re.escape(form)}(?:'s)?(?!\w)\s*"
            shorter = re.sub(pattern, "", text, flags=re.IGNORECASE)
            if shorter != text:
                named.add(actor)
                text = shorter
    return text.strip(), named
