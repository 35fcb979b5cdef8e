"""Vectors of texts that never change between starts, kept on disk by content.

Reading a few hundred examples takes seconds, so what a model says of them is looked up in the data
folder and in what comes with this package; only the rest is asked for. All are rounded to half
precision, so that a looked-up row and a fresh one are the same.
"""

import hashlib
import logging
import os
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from models.embedding import Embedder, Vectors

log = logging.getLogger(__name__)

SHIPPED: Final = Path(__file__).resolve().parent / "vectors"
Make: TypeAlias = Callable[[Sequence[str]], Vectors]
_KEY_BYTES: Final = 16


def stored_vectors(embedder: Embedder, texts: Sequence[str], folder: Path | None) -> Vectors:
    """Query vectors of the texts; those that were embedded here are left in the folder."""
    found = stored_rows(embedder.name, embedder.dimension, embedder.encode, texts, folder)
    unit: Vectors = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit


def stored_rows(
    name: str, width: int, make: Make, texts: Sequence[str], folder: Path | None
) -> Vectors:
    """What a model says of each text: (texts, width); what was made here is left in the folder.

    A missing, damaged or read-only folder only costs time.

    Args:
        name: of the model: another name is another file.
        width: numbers for each text.
        make: asks the model.
        texts: the texts.
        folder: where rows are kept between starts; None keeps none.
    """
    known = _read(SHIPPED / f"{name}.npz", width)
    file = folder / f"{name}.npz" if folder else None
    if file:
        known |= _read(file, width)
    keys = [_key(text) for text in texts]
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if missing:
        fresh = make(list(missing.values())).astype(np.float16)
        known |= dict(zip(missing, fresh, strict=True))
        if file:
            _write(file, {key: known[key] for key in dict.fromkeys(keys)})
    return np.stack([known[key] for key in keys]).astype(np.float32)


def write_shipped(name: str, make: Make, texts: Sequence[str]) -> None:
    """Write the rows that come with the package."""
    rows = make(texts).astype(np.float16)
    _write(SHIPPED / f"{name}.npz", dict(zip(map(_key, texts), rows, strict=True)))


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
