"""A deterministic embedder for tests where speed matters: words hashed into a vector."""

import hashlib
from collections.abc import Sequence

import numpy as np

from memory.fulltext import query_terms
from models.embedding import Form, Vectors


class HashingEmbedder:
    """Unit vectors of word counts; texts without words have none."""

    def __init__(self, name: str = "hashing", dimension: int = 64) -> None:
        self.name = name
        self.dimension = dimension
        self.calls = 0

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self.encode(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self.encode(texts, "passage")

    def encode(self, texts: Sequence[str], form: Form = "query") -> Vectors:
        self.calls += 1
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in query_terms(text):
                place = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4])
                vectors[row, place % self.dimension] += 1.0
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vectors = vectors / np.maximum(lengths, 1e-9)
        return unit
