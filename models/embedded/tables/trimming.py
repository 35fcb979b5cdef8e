"""A question without the remarks around it: what it is for, who waits for it, where it was lost."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from models.embedded.patterns import identifiers
from models.embedded.speech import QUESTION_WORDS, core, speech_act
from models.embedded.tables.periods import periods
from models.embedded.tables.ranks import ranked, sorting
from models.embedded.tables.schema import Schema
from models.embedded.words import content_stems, words

_SENTENCE: Final = re.compile(r"(?<=[.?!;])\s+|\n+")
_CLAUSE: Final = re.compile(r",\s+|\s+[-\u2013\u2014]+\s+")
_MEANT: Final = re.compile(r"^i mean(?! (?:of|in|for|by|per|only)\b)\b", re.IGNORECASE)
_OTHER: Final = re.compile(
    r"\b(?:cancel|refund|void|reopen|ship|send|deliver|change|report|polic(?:y|ies)|rules?|only"
    r"|just|except|without|both|every(?:one|body)?|all)\b",
    re.IGNORECASE,
)
_CAPITAL: Final = re.compile(r"(?<=\w )(?!I\b)[A-Z]\w+|\d")
_SAID: Final = re.compile(
    r"^(?:and )?(?:i|we|i'm|i've|i'd|we're|it's|its|it|this is|that's|they|he|she|my|our"
    r"|want(?:ed)?|need(?:ed)?|have to|got|am|to|for|as|because|since|so that|before|in case"
    r"|thanks|cheers"
    r"|putting|preparing|working|doing|making|writing)\b",
    re.IGNORECASE,
)


def without_remarks(text: str, schema: Schema, today: date) -> Iterator[str]:
    """The question without sentences, then without clauses, that the tables know nothing of.

    Args:
        text: one request.
        schema: the tables.
        today: what times count from.
    """
    sentences = _SENTENCE.split(text.strip())
    kept = [one for one in sentences if not _is_remark(one, schema, today)]
    plain = " ".join(kept)
    if kept and len(kept) < len(sentences):
        yield plain
    clauses = _CLAUSE.split(plain)
    asked = [one for one in clauses if not (_SAID.match(one) and _is_remark(one, schema, today))]
    if asked and len(asked) < len(clauses):
        yield ", ".join(asked)


def _is_remark(text: str, schema: Schema, today: date) -> bool:
    """Whether a text says nothing of rows, and asks for nothing else either."""
    if _MEANT.match(text):
        return True
    first = next(iter(words(core(text))), "")
    if first in QUESTION_WORDS or text.rstrip().endswith("?"):
        return False
    if identifiers(text) or _OTHER.search(text) or _CAPITAL.search(text):
        return False
    if not (_SAID.match(text) or speech_act(text) == "comment"):
        return False
    named = [one for one in schema.mentions(text) if not text[: one.start].endswith("to ")]
    known = named or periods(text, today) or ranked(text) or sorting(text)
    return not known and not set(content_stems(text)) & schema.reported
