"""Words of short English texts: tokens, stems, hours, and which of them carry no content."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_FILLERS: Final = (
    "a about above after again ah all also am an and any are as at be been before being but by can"
    " could did do does doing done don't down during each either else ever every few for from get"
    " gets getting give go going got had has have having he hello hey hi her here hers him his how"
    " i i'd i'll i'm i've if in into is isn't it it's its just kindly let let's like look me might"
    " mine more most my need needs no nor not now of off oh ok okay on once one only or other our"
    " ours out over own please pls quick quickly really right same say see she should show so some"
    " still such take tell than thank thanks that that's the their theirs them then there there's"
    " these they this those through to too under until up us use very want wants was we we'd we're"
    " we've well were what what's when where where's which while who who's whom whose why will with"
    " would you your yours"
)


def word_set(text: str) -> frozenset[str]:
    """The words of a list written as one text."""
    return frozenset(text.split())


STOP_WORDS: Final = word_set(_FILLERS)
_KEPT_STEMS: Final = 8192
_SUFFIXES: Final = ("ations", "ation", "ings", "ing", "edly", "ments", "ment", "ed", "es", "s", "e")


def words(text: str) -> list[str]:
    """Lower-case words in the order of the text."""
    return WORD.findall(text.lower().replace("\u2019", "'"))


@lru_cache(_KEPT_STEMS)
def stem(word: str) -> str:
    """A word without its usual endings: refunded, refunds and refunding are one."""
    plain = word.removesuffix("'s")
    for suffix in _SUFFIXES:
        if plain.endswith(suffix) and len(plain) - len(suffix) >= 3:
            plain = plain.removesuffix(suffix)
            plain = plain.removesuffix("e") if suffix.startswith("ment") else plain
            break
    if len(plain) > 3 and plain[-1] == plain[-2] and plain[-1] not in "lsz":
        plain = plain[:-1]
    if len(plain) > 4 and plain.endswith("ll"):
        plain = plain[:-1]
    return f"{plain[:-1]}i" if len(plain) > 3 and plain.endswith("y") else plain


def stem_set(text: str) -> frozenset[str]:
    """The stems of a list written as one text."""
    return frozenset(stem(word) for word in text.split())


def stems(text: str) -> list[str]:
    """Stems of all words, in order."""
    return [stem(word) for word in words(text)]


def content_stems(text: str) -> list[str]:
    """Stems of the words that carry content, in order."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


def overlap(left: Iterable[str], right: Iterable[str]) -> float:
    """Share of the left words that are among the right ones; 0 when there are none."""
    wanted, known = set(left), set(right)
    return len(wanted & known) / len(wanted) if wanted else 0.0


_FULL_HOUR: Final = re.compile(r"\b([01]?\d|2[0-4])[:.h]00\b")
_AFTERNOON: Final = re.compile(r"\b([1-9]|1[01]) ?p\.?m\b\.?", re.IGNORECASE)


def with_hours(text: str) -> str:
    """A text with its hours from 0 to 24: "6 pm" and "18:00" are 18."""
    return _AFTERNOON.sub(lambda hour: str(int(hour[1]) + 12), _FULL_HOUR.sub(r"\1", text))
