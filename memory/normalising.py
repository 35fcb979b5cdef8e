"""A value as it is compared."""

import unicodedata
from typing import Final

from memory.fulltext import fold

# Marks that tell values apart, as in C#, 50 % and R&D.
KEPT_MARKS: Final = frozenset("#%&@*")


def normalise(value: str) -> str:
    """A value as it is compared: folded, without articles and the punctuation round words."""
    bare = (_without_punctuation(word) for word in fold(value).split())
    return " ".join(word for word in bare if word and word not in ("a", "an", "the"))


def _without_punctuation(word: str) -> str:
    marks = "".join({char for char in word if unicodedata.category(char)[0] == "P"} - KEPT_MARKS)
    return word.strip(marks) if marks else word
