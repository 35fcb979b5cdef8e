"""Vectors that come with the package, of texts that only change with it."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from models.embedding import Embedder, Form, Vectors

SHIPPED: Final = Path(__file__).resolve().parent / "vectors"


def shipped_vectors(
    embedder: Embedder, name: str, texts: Sequence[str], form: Form = "query"
) -> Vectors:
    """The texts' unit vectors: those that come with the package, or made now; blocks then.

    Args:
        embedder: whose vectors.
        name: what the file is called before the embedder's name.
        texts: the texts the file was written for.
        form: how they are embedded.
    """
    try:
        with np.load(_file(name, embedder), allow_pickle=False) as stored:
            vectors = stored["vectors"].astype(np.float32)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return embedder.encode(texts, form)
    if vectors.shape != (len(texts), embedder.dimension):
        return embedder.encode(texts, form)
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def ship_vectors(embedder: Embedder, name: str, texts: Sequence[str], form: Form = "query") -> None:
    """Write the file that `shipped_vectors` reads, in half precision."""
    SHIPPED.mkdir(exist_ok=True)
    vectors = embedder.encode(texts, form).astype(np.float16)
    np.savez(_file(name, embedder), vectors=vectors)


def _file(name: str, embedder: Embedder) -> Path:
    return SHIPPED / f"{name}-{embedder.name}.npz"
