"""Vectors of texts that never change between starts, kept on disk by content.

Embedding a few hundred examples takes seconds, so their vectors are looked up in the data folder
and among those that come with this package; only the rest is embedded. All are rounded to half
precision, so that a looked-up vector and a fresh one are the same.
"""

import hashlib
import logging
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from models.embedding import Embedder, Vectors

log = logging.getLogger(__name__)

SHIPPED: Final = Path(__file__).resolve().parent / "vectors"
_KEY_BYTES: Final = 16


def stored_vectors(embedder: Embedder, texts: Sequence[str], folder: Path | None) -> Vectors:
    """Query vectors of the texts; those that were embedded here are left in the folder.

    A missing, damaged or read-only folder only costs time.
    """
    known = _read(SHIPPED / f"{embedder.name}.npz", embedder.dimension)
    file = folder / f"{embedder.name}.npz" if folder else None
    if file:
        known |= _read(file, embedder.dimension)
    keys = [_key(text) for text in texts]
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if missing:
        fresh = embedder.encode(list(missing.values())).astype(np.float16)
        known |= dict(zip(missing, fresh, strict=True))
        if file:
            _write(file, {key: known[key] for key in dict.fromkeys(keys)})
    found = np.stack([known[key] for key in keys]).astype(np.float32)
    unit: Vectors = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit


def write_shipped(embedder: Embedder, texts: Sequence[str]) -> None:
    """Write the vectors that come with the package."""
    vectors = embedder.encode(texts).astype(np.float16)
    file = SHIPPED / f"{embedder.name}.npz"
    _write(file, dict(zip(map(_key, texts), vectors, strict=True)))


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()[:_KEY_BYTES]


def _read(path: Path, dimension: int) -> dict[bytes, np.ndarray[tuple[int], np.dtype[np.float16]]]:
    try:
        with np.load(path, allow_pickle=False) as stored:
            keys, vectors = stored["keys"], stored["vectors"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return {}
    if keys.shape != (len(keys), _KEY_BYTES) or vectors.shape != (len(keys), dimension):
        return {}
    if vectors.dtype != np.float16 or not bool(np.isfinite(vectors).all()):
        return {}
    return {key.tobytes(): vector for key, vector in zip(keys, vectors, strict=True)}


def _write(path: Path, known: dict[bytes, np.ndarray[tuple[int], np.dtype[np.float16]]]) -> None:
    unfinished = path.with_name(f"{path.stem}.{os.getpid()}.npz")
    keys = np.frombuffer(b"".join(known), dtype=np.uint8).reshape(len(known), _KEY_BYTES)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(unfinished, keys=keys, vectors=np.stack(list(known.values())))
        unfinished.replace(path)
    except OSError as error:
        log.info("vectors are not kept: %s", error)
