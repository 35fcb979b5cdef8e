"""Texts and vectors for a memory of any size, made from a pool that is really embedded.

Each text is a pool sentence with a case number of its own; its vector is the pool sentence's with a
little noise that depends on the number alone. So a hundred thousand items need no more embedding
than the pool, and differ as real ones of a support desk would: many near each other, none equal.
"""

import random
import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from models.embedding import Embedder, Form, Vectors

POOL: Final = 500
NOISE: Final = 0.25
_NUMBER: Final = re.compile(r"case C-(\d+)$")
_WHO: Final = ("customer", "reseller", "warehouse", "auditor", "driver", "accountant", "clinic")
_DID: Final = (
    "asked for a refund of", "reported damage to", "wanted to change", "paid twice for",
    "complained about the delay of", "cancelled", "asked when to expect", "lost the invoice of",
    "disputed the price of", "renewed",
)  # fmt: skip
_WHAT: Final = (
    "a box of copper fittings", "the annual licence", "two pallets of tiles", "a coffee machine",
    "the spare keyboard", "a wooden desk", "the cleaning contract", "forty name badges",
    "the data plan", "a crate of lemons", "the winter coats", "a projector", "the safety training",
    "three office chairs", "the server rack", "a litre of varnish",
)  # fmt: skip
_THEN: Final = (
    "it was approved by finance", "the carrier was to blame", "nobody had confirmed the address",
    "a credit note was sent", "they will call back on Monday", "the warranty had expired",
    "the contract allows it within thirty days", "the bank rejected the transfer",
    "it turned out to be a duplicate", "the team in Lyon took over", "a replacement was shipped",
    "the reason was never stated",
)  # fmt: skip
_WHERE: Final = ("Oslo", "Lyon", "Porto", "Graz", "Leeds", "Turku", "Ghent", "Zagreb", "Bern")


def pool_texts(number: int = POOL) -> list[str]:
    """Distinct sentences, the same in every run."""
    chosen = random.Random(7)
    found: dict[str, None] = {}
    while len(found) < number:
        who, did, what = chosen.choice(_WHO), chosen.choice(_DID), chosen.choice(_WHAT)
        where, then = chosen.choice(_WHERE), chosen.choice(_THEN)
        found[f"The {who} in {where} {did} {what}; {then}."] = None
    return list(found)


def questions(number: int) -> list[str]:
    """Questions about the pool's matters, no two equal."""
    chosen = random.Random(11)
    found: dict[str, None] = {}
    while len(found) < number:
        who, did, what = chosen.choice(_WHO), chosen.choice(_DID), chosen.choice(_WHAT)
        found[f"What happened when the {who} in {chosen.choice(_WHERE)} {did} {what}?"] = None
    return list(found)


class PoolEmbedder:
    """Really embeds questions; passages have vectors derived from the pool's."""

    def __init__(self, inner: Embedder, pool: Sequence[str], vectors: Vectors) -> None:
        """Use an embedder, and the pool as it embedded it."""
        self._inner = inner
        self._pool = pool
        self._vectors = vectors

    @property
    def name(self) -> str:
        """The vector space's name."""
        return self._inner.name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._inner.dimension

    def text(self, number: int) -> str:
        """The text of an item."""
        return f"{self._pool[number % len(self._pool)]} case C-{number:06d}"

    def vectors(self, numbers: Sequence[int]) -> Vectors:
        """The vectors of items by number."""
        made = np.empty((len(numbers), self.dimension), dtype=np.float32)
        for row, number in enumerate(numbers):
            noise = np.random.default_rng(number).normal(size=self.dimension)
            base = self._vectors[number % len(self._pool)]
            made[row] = base + NOISE * noise / np.linalg.norm(noise)
        unit: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
        return unit

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions, from the real embedder."""
        return await self._inner.embed_queries(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of items' texts."""
        return self.encode(texts, "passage")

    def encode(self, texts: Sequence[str], form: Form = "query") -> Vectors:
        """The same from a thread of the caller's."""
        found = [_NUMBER.search(text) for text in texts]
        if form == "query" or not all(found):
            return self._inner.encode(texts, form)
        return self.vectors([int(match[1]) for match in found if match])
