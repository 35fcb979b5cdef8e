"""The protocol of vector indexes: rows of the database are the truth, an index makes them findable.

It imports nothing of the desk, so that a process that only looks at an index starts at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class VectorMatch:
    """An item found by meaning."""

    id: str
    cosine: float


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What a vector index is told of an item; no text, only scalars."""

    id: str
    audience: str
    kind: str


class VectorIndex(Protocol):
    """An index over items' vectors, bound to one embedder and rebuilt when it differs.

    Every method may raise `IndexUnavailable`; the caller then goes on by full text.
    """

    async def open(self) -> str:
        """Open it, once; return its generation: rows carrying another one are not in it."""

    async def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Add or replace entries."""

    async def search(
        self, audiences: Sequence[str], vector: Vectors, limit: int
    ) -> list[VectorMatch]:
        """The nearest items of the audiences, nearest first."""

    async def cosines(
        self, audiences: Sequence[str], ids: Sequence[str], vector: Vectors
    ) -> dict[str, float]:
        """The similarity of given items, for those found by full text alone."""

    async def remove(self, entries: Sequence[IndexEntry]) -> None:
        """Take entries out; unknown ones are no error."""

    async def erase(self) -> bool:
        """Take what was removed off the disk too; return whether there was anything to erase."""

    async def clear(self) -> None:
        """Throw it away; the next opening gives an empty one of another generation."""

    async def close(self) -> None:
        """Close it and give up its ownership."""
