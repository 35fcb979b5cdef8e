"""A value as it is compared."""

import re
import unicodedata
from typing import Final

from memory.fulltext import fold

# Marks that tell values apart, as in C#, 50 % and R&D.
KEPT_MARKS: Final = frozenset("#%&@*")

_UNMARKED: Final = re.compile(r"\b(ca|could|did|do|does|is|must|need|should|was|wo|would)nt\b")
"""Denials typed without their apostrophe."""
_PLAIN: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe"})
"""Letters that are often typed without what they have beside an accent."""
_SPAN: Final = re.compile(r"(?<=\d)(?: (?:to|bis|til|till|tot) | ?[\u2013\u2014-] ?)(?=\d)")
"""Between two numbers: "1 to 6", "1-6"."""


def normalise(value: str) -> str:
    """A value as it is compared: folded, without articles and the punctuation round words."""
    told = _UNMARKED.sub(r"\1n't", fold(value).translate(_PLAIN))
    told = _SPAN.sub("-", told)
    bare = (_without_punctuation(word) for word in told.split())
    return " ".join(word for word in bare if word and word not in ("a", "an", "the"))


def _without_punctuation(word: str) -> str:
    marks = "".join({char for char in word if unicodedata.category(char)[0] == "P"} - KEPT_MARKS)
    return word.strip(marks) if marks else word
