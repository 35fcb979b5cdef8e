"""What the product is compared with in the same run: textbook BM25, and cosines alone."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from memory.bm25 import rarity
from memory.fulltext import query_terms, terms
from models.embedding import Vectors

K1: Final = 1.5
B: Final = 0.75


class PlainBm25:
    """Okapi BM25 with its usual k1 and b, over the product's terms, whole texts and no context."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Count the terms of all texts."""
        self._counts = [Counter(terms(text)) for text in texts]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._mean = sum(self._lengths) / max(len(texts), 1) or 1.0
        self._rows = Counter(term for counts in self._counts for term in counts)

    def best(self, query: str, limit: int) -> list[int]:
        """Places of the best texts, best first."""
        weights = {
            term: rarity(self._rows[term], len(self._counts))
            for term in query_terms(query)
            if term in self._rows
        }
        scores = [
            self._score(counts, length, weights)
            for counts, length in zip(self._counts, self._lengths, strict=True)
        ]
        order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
        return [place for place in order[:limit] if scores[place] > 0.0]

    def _score(self, counts: Counter[str], length: int, weights: dict[str, float]) -> float:
        base = K1 * (1.0 - B + B * length / self._mean)
        return sum(
            weight * counts[term] * (K1 + 1.0) / (counts[term] + base)
            for term, weight in weights.items()
            if counts[term]
        )


def nearest(vector: Vectors, vectors: Vectors, limit: int) -> list[int]:
    """Places of the nearest vectors, nearest first, by looking at all."""
    cosines = vectors @ vector
    return [int(place) for place in np.argsort(-cosines, kind="stable")[:limit]]
