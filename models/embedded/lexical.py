"""Overlap of words between a text and the examples of a class: tf-idf over stems and pairs."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from text.words import stems


def _features(text: str) -> set[str]:
    found = [word for word in stems(text) if not word.isdigit()]  # sums are masked by one number
    return {*found, *(f"{a} {b}" for a, b in pairwise(found))}


class WordIndex:
    """Centroids of the classes in the space of their words."""

    def __init__(self, examples: Sequence[str], owners: Sequence[int]) -> None:
        """Weigh words by how few texts use them.

        Args:
            examples: texts of all classes.
            owners: the class of each example, counted from 0 without gaps.
        """
        documents = [_features(text) for text in examples]
        counts = Counter(word for words in documents for word in words)
        total = len(documents)
        self._columns = {word: at for at, word in enumerate(counts)}
        self._weights = np.array([math.log((1 + total) / (1 + n)) for n in counts.values()])
        self._owners = np.asarray(owners)
        self._vectors = np.stack([self._vector(text) for text in documents])
        sums = [self._vectors[self._owners == at].sum(axis=0) for at in range(max(owners) + 1)]
        self._sums = np.stack(sums)
        self._centroids = self._sums / _lengths(self._sums)

    def _vector(self, words: set[str]) -> NDArray[np.float64]:
        vector = np.zeros(len(self._columns))
        for word in words:
            at = self._columns.get(word)
            if at is not None:
                vector[at] = self._weights[at]
        length = float(np.linalg.norm(vector))
        return vector / length if length else vector

    def scores(self, text: str) -> NDArray[np.float64]:
        """Cosine to each class, 0 to 1."""
        scores: NDArray[np.float64] = self._centroids @ self._vector(_features(text))
        return scores

    def left_out(self) -> NDArray[np.float64]:
        """Cosines of the examples to each class, each example left out of its own class."""
        cosines: NDArray[np.float64] = self._vectors @ self._centroids.T
        for at, vector in enumerate(self._vectors):
            rest = self._sums[self._owners[at]] - vector
            cosines[at, self._owners[at]] = float(vector @ rest) / float(_lengths(rest[None])[0, 0])
        return cosines


def _lengths(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return lengths
