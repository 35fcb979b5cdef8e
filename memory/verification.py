"""Whether a model's summary may stand for the turns it folds.

A summary is refused when it is empty, degenerate, too long, or names a figure, a date or an id
that its sources do not hold. What passes is still unverified prose: exact values are looked up.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Final

from memory.fulltext import fold
from models.tokens import count

MIN_WORDS: Final = 4
MAX_REPEATED_SHARE: Final = 0.5
"""Largest share of a summary's words that may be one word."""
MIN_DISTINCT_SHARE: Final = 0.2
SHOWN: Final = 5
MAX_ID_LETTERS: Final = 2
"""A lower-case part of a compound that is longer is a word."""

_COMPOUND = re.compile(r"[^\W_]+(?:[-_]+[^\W_]+|(?<=\d)[.,:/](?=\d)[^\W_]+)*")
_DIGIT = re.compile(r"\d")
_GROUPED = re.compile(r"(?<=\d)[,'\u2019_ ](?=\d{3}(?:\D|$))")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")
_DECIMAL = re.compile(r"\d+[.,]\d+")
_SEPARATOR = re.compile(r"[:/_-]+")
_WORD = re.compile(r"\w+")


def objection(summary: str, sources: str, *, original_tokens: int, limit_tokens: int) -> str:
    """Why the summary is refused; empty when it may be used.

    Args:
        summary: what the model wrote.
        sources: everything the model was shown of the thread.
        original_tokens: size of what the summary replaces.
        limit_tokens: what it may have at most.
    """
    words = _WORD.findall(fold(summary))
    if len(words) < MIN_WORDS:
        return f"empty or degenerate: {summary[:60]!r}"
    if _is_degenerate(words):
        return "degenerate: the same words again and again"
    size = count(summary)
    if size >= original_tokens:
        return f"not shorter: {size} tokens for {original_tokens}"
    if size > limit_tokens:
        return f"too long: {size} tokens, {limit_tokens} wanted"
    if invented := unknown_figures(summary, sources):
        return f"not in its sources: {', '.join(invented[:SHOWN])}"
    return ""


def unknown_figures(summary: str, sources: str) -> list[str]:
    """Figures, dates and ids of a summary that its sources do not hold, in order.

    Compared without case, grouping marks and ordinal endings. A date or a compound word, such as
    `3-day`, may be put together from numbers that the sources hold; an id may not.
    """
    known = {_normal(figure) for figure in _figures(sources)}
    numbers = {part for figure in known for part in _SEPARATOR.split(figure)}
    found = dict.fromkeys(_figures(summary))
    return [one for one in found if _normal(one) not in known and not _is_composed(one, numbers)]


def _figures(text: str) -> Iterable[str]:
    plain = _GROUPED.sub("", unicodedata.normalize("NFKC", text))
    return (figure for figure in _COMPOUND.findall(plain) if _DIGIT.search(figure))


def _normal(figure: str) -> str:
    figure = _ORDINAL.sub("", fold(figure))
    if _DECIMAL.fullmatch(figure):
        return figure.replace(",", ".").rstrip("0").rstrip(".")
    return figure


def _is_composed(figure: str, numbers: set[str]) -> bool:
    """Whether it is made of known numbers and ordinary words."""
    parts = [_ORDINAL.sub("", part) for part in _SEPARATOR.split(figure)]
    return all(part in numbers if _DIGIT.search(part) else _is_word(part) for part in parts)


def _is_word(part: str) -> bool:
    return part.isalpha() and part.islower() and len(part) > MAX_ID_LETTERS


def _is_degenerate(words: list[str]) -> bool:
    most = Counter(words).most_common(1)[0][1]
    if most / len(words) > MAX_REPEATED_SHARE:
        return True
    return len(words) >= 50 and len(set(words)) / len(words) < MIN_DISTINCT_SHARE
