"""Pure: how well a text's terms fit a question, by BM25."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

# Saturation and length normalisation of BM25, as measured on LoCoMo.
K1: Final = 0.9
B: Final = 0.4
# A search matches its rarest terms up to so many postings: about 30 ms, however big the scope is.
MAX_POSTINGS: Final = 16_000


def bm25(found: Sequence[str], weights: Mapping[str, float], relative_length: float) -> float:
    """Score of a text's terms: `weights` is each wanted term's rarity."""
    counts = Counter([term for term in found if term in weights])
    if not counts:
        return 0.0
    base = K1 * (1.0 - B + B * relative_length)
    return sum(
        weights[term] * times * (K1 + 1.0) / (times + base) for term, times in counts.items()
    )


def rarity(count: int, rows: int) -> float:
    """Inverse document frequency; never negative, even for a term of every row."""
    return math.log(1.0 + (max(rows, count) - count + 0.5) / (count + 0.5))


def rarest(frequencies: Mapping[str, int]) -> list[str]:
    """The rarest terms, as many as the budget of postings allows; at least one if any occurs."""
    chosen: list[str] = []
    postings = 0
    for term, count in sorted(frequencies.items(), key=lambda item: (item[1], item[0])):
        postings += count
        if chosen and postings > MAX_POSTINGS:
            break
        chosen.append(term)
    return chosen
