"""What an old turn shrinks to: its telling sentences, or the bare words of them.

Extractive by rule: whole sentences in their own order, chosen by what they say per token, so that
nothing stands in a digest that nobody said. Code is left out; it lies in the transcript.
"""

import re
from functools import lru_cache
from typing import Final

from memory.fulltext import STOP_WORDS, stem, terms
from models.tokens import count, truncate

CORRECTION: Final = re.compile(
    r"\b(?:no,|not that|that'?s (?:not|wrong)|wrong|actually|instead|rather than|i meant|correction"
    r"|sorry,|changed? (?:it |that )?(?:to|from)|no longer|moved to|updated? (?:it |that )?to)",
    re.IGNORECASE,
)
RESULT: Final = re.compile(
    r"\b(?:done|finished|completed|decided|agreed|fixed|resolved|approved|rejected|failed|shipped"
    r"|deployed|booked|paid|signed|merged|scheduled|cancelled|canceled|refunded|sent)\b",
    re.IGNORECASE,
)
FACTORS: Final = ((CORRECTION, 1.5), (RESULT, 1.3))
FIGURE_WEIGHT: Final = 2.0
MAX_CHARS: Final = 20_000
"""A text is judged by its opening of this length."""

_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_WORD = re.compile(r"[\w#@$€£(.][\w#@$€£%.,:/+'\u2019-]*[\w%+]|\w")
_OWN = re.compile(r"\b(?:i|i'm|i've|i'd|we|we're|we've|my|our)\b", re.IGNORECASE)
# What turns a statement round or bounds it stays, though it is a function word.
_MEANT = frozenset(
    ("no", "not", "nor", "only", "own", "off", "over", "up", "down", "before", "after", "because")
)
_FILLERS = STOP_WORDS - _MEANT
_IGNORED = STOP_WORDS | {stem(word) for word in STOP_WORDS}


def prose(text: str) -> str:
    """The text without blocks of code; all of it when there is nothing else."""
    opening = text[:MAX_CHARS]
    return _FENCED.sub("\n", opening).strip() or opening.strip()


def sentences(text: str) -> list[str]:
    """Sentences and list entries, in order, each on one line."""
    parts = (" ".join(part.split()) for part in _SENTENCE_END.split(prose(text)))
    return [part for part in parts if part]


@lru_cache(maxsize=4096)
def content_terms(text: str) -> frozenset[str]:
    """The distinct words and numbers of a text that carry content."""
    return frozenset(term for term in terms(text) if term not in _IGNORED)


def weigh(text: str, known: frozenset[str] = frozenset()) -> float:
    """How much a text says beside what is known: content words, figures double.

    Corrections and results weigh more.
    """
    found = content_terms(text) - known
    weight = sum(FIGURE_WEIGHT if term[0].isdigit() else 1.0 for term in found)
    for pattern, factor in FACTORS:
        if pattern.search(text):
            weight *= factor
    return weight


@lru_cache(maxsize=4096)
def telling(text: str, budget_tokens: int) -> str:
    """The sentences that say most per token, in their order, within the budget.

    The opening of the best one when not even that fits.
    """
    if budget_tokens <= 0:
        return ""
    found = sentences(text)
    sizes = [count(sentence) + 1 for sentence in found]
    if sum(sizes) <= budget_tokens:
        return " ".join(found)
    density = [weigh(one) / size for one, size in zip(found, sizes, strict=True)]
    order = sorted(range(len(found)), key=lambda at: (-density[at], at))
    chosen: list[int] = []
    left = budget_tokens
    for at in order:
        if sizes[at] <= left:
            chosen.append(at)
            left -= sizes[at]
    if not chosen:
        return truncate(found[order[0]], budget_tokens)
    return " ".join(found[at] for at in sorted(chosen))


@lru_cache(maxsize=4096)
def bare(text: str) -> str:
    """The text without words that carry no content, sentence by sentence; negations stay."""
    return " ".join(f"{short}." for short in map(_bare, sentences(text)) if short)


def statements(text: str) -> str:
    """The sentences in which the user tells about themselves instead of asking or ordering."""
    return " ".join(one for one in sentences(text) if _OWN.search(one) and not one.endswith("?"))


def _bare(sentence: str) -> str:
    words: list[str] = _WORD.findall(sentence)
    return " ".join(word for word in words if word.casefold() not in _FILLERS) or " ".join(words)
