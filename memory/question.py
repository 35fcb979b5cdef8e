"""Reads a question: whom it names, and what it asks without the names.

A name says who spoke, not what about: matched as a word it finds every mention, matched by meaning
it pulls towards greetings. So names of known speakers leave the text and select by speaker.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from memory.fulltext import STOP_WORDS, query_terms

MIN_ACTORS: Final = 2
"""With fewer speakers in memory a name selects nothing."""

_FIRST_PERSON: Final = re.compile(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is searched.

    Attributes:
        text: Without the names of speakers.
        actors: The speakers it is about.
        named: Whether it names one of them, other than by "I".
    """

    text: str
    actors: frozenset[str] = frozenset()
    named: bool = False


def read_question(text: str, actors: Sequence[str], asker: str) -> Question:
    """Find the known speakers in a question; "I" is the asker.

    Args:
        text: The question as it was put.
        actors: Who has spoken in the scope's memory.
        asker: Who puts it.
    """
    text = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    if len(actors) < MIN_ACTORS:
        return Question(text)
    bare, named = _without_names(text, actors)
    about = set(named)
    if asker in actors and _FIRST_PERSON.search(text):
        about.add(asker)
    if not _has_content(bare):
        bare = text
    return Question(bare, frozenset(about), bool(named))


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


def _has_content(text: str) -> bool:
    return any(term not in STOP_WORDS for term in query_terms(text))
