"""The terms of a text, which full-text indexes hold in its place; `memory.text_index` keeps them.

Folded words, the parts of compound names (`INV-1042` is found by `inv-1042`, `inv1042` and `1042`),
and pairs of characters for scripts without spaces. So ids, error codes, paths and Chinese are found
by one tokenizer rule, and a query can hold any character without being taken for query syntax.
"""

import re
import unicodedata
from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import chain
from typing import Final

LONG_TEXT_CHARS: Final = 50_000
MAX_QUERY_TERMS: Final = 32
EXCERPT_SEARCH_CHARS: Final = 200_000
KEPT_WORDS: Final = 16_384
KEPT_CHARS: Final = 64

_COMPOUND = re.compile(r"[^\W_]+(?:[-_./:@#+\\]+[^\W_]+)*")
_PART = re.compile(r"[^\W\d_]+|\d+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003134f]+"
)

# Ending, what stands in its place, and the letters that must be left.
_ENDINGS = (
    ("sses", "ss", 1),
    ("ies", "y", 2),
    ("ied", "y", 2),
    ("ing", "", 3),
    ("ed", "", 3),
    ("s", "", 2),
)

# Function words of English; dropped from queries only, and never from a query made of nothing else.
STOP_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        "a about again all also am an and any are as at be because been before being but by can "
        "could did do does doing done for from get go got had has have having he her hers him his "
        "how i if in into is it its just like me more most my no not now of on one or our out "
        "please really she should so some than that the their them then there these they thing "
        "things this those to too up us very was we well were what when where which who why will "
        "with would you your yes s t d ll m re ve",
    )
)


def fold(value: str) -> str:
    """The text as it is compared: compatibility forms unified, lower case, without accents."""
    if value.isascii():
        return value.lower()
    decomposed = unicodedata.normalize("NFKD", value.casefold())
    plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    return unicodedata.normalize("NFKC", plain)


def is_unspaced(value: str) -> bool:
    """Whether a text has characters of a script that is written without spaces."""
    return _UNSPACED.search(value) is not None


def terms(value: str) -> list[str]:
    """The text's search terms in order of appearance, with repetitions."""
    return list(chain.from_iterable(map(_word_terms, _COMPOUND.findall(fold(value)))))


def _word_terms(word: str) -> tuple[str, ...]:
    return _kept_terms(word) if len(word) <= KEPT_CHARS else _read_terms(word)


def _read_terms(word: str) -> tuple[str, ...]:
    found: list[str] = []
    for run in _UNSPACED.findall(word):
        found += run
        found += (run[at : at + 2] for at in range(len(run) - 1))
    for compound in _UNSPACED.sub(" ", word).split():
        parts = _PART.findall(compound)
        if len(parts) > 1:
            found.append("".join(parts))
        found += map(stem, parts)
    return tuple(found)


_kept_terms = lru_cache(KEPT_WORDS)(_read_terms)


def stem(word: str) -> str:
    """An English word without plural, -ed, -ing and final -e; anything else unchanged.

    Lighter than Porter's: endings that change a word's meaning stay.
    """
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    for ending, instead, left in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= left:
            if ending == "s" and word.endswith(("ss", "us", "is")):
                return word
            word = _undoubled(word.removesuffix(ending) + instead)
            break
    return word.removesuffix("e") if len(word) > 3 else word


def _undoubled(word: str) -> str:
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiolsz"
    return word[:-1] if doubled else word


_STOP_TERMS = STOP_WORDS | {stem(word) for word in STOP_WORDS}


def content_terms(value: str) -> list[str]:
    """The distinct terms of a text that are no function words; may be none."""
    return [
        term for term in dict.fromkeys(terms(value[:LONG_TEXT_CHARS])) if term not in _STOP_TERMS
    ]


def query_terms(value: str) -> list[str]:
    """The distinct terms of a question, function words left out unless there is nothing else."""
    chosen = content_terms(value) or list(dict.fromkeys(terms(value[:LONG_TEXT_CHARS])))
    # A single character of an unspaced script matches nearly everything; its pairs say more.
    pairs = [term for term in chosen if not (len(term) == 1 and _UNSPACED.match(term))]
    return (pairs or chosen)[:MAX_QUERY_TERMS]


def indexed_text(value: str) -> str:
    """What the index keeps of a text: all terms in order; of a very long one, each term once."""
    if len(value) <= LONG_TEXT_CHARS:
        return " ".join(terms(value))
    words = dict.fromkeys(_COMPOUND.findall(fold(value)))
    return " ".join(dict.fromkeys(chain.from_iterable(map(_word_terms, words))))


def coverage(wanted: Sequence[str], found: Set[str]) -> float:
    """Share of the wanted terms that are among the found ones, 0 to 1."""
    return sum(term in found for term in wanted) / len(wanted) if wanted else 0.0


def excerpt(value: str, query: str, limit_chars: int) -> str:
    """The passage of a text with most of the query's terms, marked where it is cut."""
    if len(value) <= limit_chars:
        return value
    wanted = set(query_terms(query))
    step = max(limit_chars // 2, 1)
    starts = range(0, min(len(value), EXCERPT_SEARCH_CHARS), step)
    start = max(
        starts, key=lambda at: (len(wanted & set(terms(value[at : at + limit_chars]))), -at)
    )
    end = start + limit_chars
    return f"{'…' if start else ''}{value[start:end]}{'…' if end < len(value) else ''}"
