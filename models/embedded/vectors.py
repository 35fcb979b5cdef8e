"""Vectors of texts that never change between starts, kept on disk by content.

Reading a few hundred examples takes seconds, so their vectors are looked up in the data folder and
in what comes with this package; only the rest is read. All are rounded to half precision, so that a
looked-up row and a fresh one are the same. `python -m models.embedded.vectors` writes the rows that
come with the package, after the sample company's examples or the background have changed.
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
from models.shipped_vectors import SHIPPED

log = logging.getLogger(__name__)

_KEY_BYTES: Final = 16
Rows = dict[bytes, np.ndarray[tuple[int], np.dtype[np.float16]]]


def stored_vectors(embedder: Embedder, texts: Sequence[str], folder: Path | None) -> Vectors:
    """Query vectors of the texts: (texts, dimension); those read here are left in the folder.

    A missing, damaged or read-only folder only costs time.

    Args:
        embedder: reads the texts; another name is another file.
        texts: the texts.
        folder: where rows are kept between starts; None keeps none.
    """
    name = f"examples-{embedder.name}.npz"
    known = _read(SHIPPED / name, embedder.dimension)
    if folder:
        known |= _read(folder / name, embedder.dimension)
    keys = [hashlib.sha256(one.encode("utf-8", "replace")).digest()[:_KEY_BYTES] for one in texts]
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if missing:
        fresh = embedder.encode(list(missing.values())).astype(np.float16)
        known |= dict(zip(missing, fresh, strict=True))
        if folder:
            _write(folder / name, {key: known[key] for key in dict.fromkeys(keys)})
    found = np.stack([known[key] for key in keys]).astype(np.float32)
    unit: Vectors = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit


def _read(path: Path, dimension: int) -> Rows:
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


def _write(path: Path, known: Rows) -> None:
    unfinished = path.with_name(f"{path.stem}.{os.getpid()}.npz")
    keys = np.frombuffer(b"".join(known), dtype=np.uint8).reshape(len(known), _KEY_BYTES)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(unfinished, keys=keys, vectors=np.stack(list(known.values())))
        unfinished.replace(path)
    except OSError as error:
        log.info("vectors are not kept: %s", error)


def main() -> None:
    """Write the rows of the sample company's examples and of the background."""
    from configs.settings import SHIPPED_APP, read_experts  # noqa: PLC0415 - for developers only
    from models.embedded.acts import shared_act_reader  # noqa: PLC0415 - for developers only
    from models.embedded.chooser import Chooser  # noqa: PLC0415 - for developers only
    from models.embedding import open_embedder  # noqa: PLC0415 - for developers only

    embedder = open_embedder()
    chooser = Chooser(read_experts(SHIPPED_APP / "experts"), embedder, shared_act_reader())
    (SHIPPED / f"examples-{embedder.name}.npz").unlink(missing_ok=True)
    stored_vectors(embedder, chooser.texts(), SHIPPED)


if __name__ == "__main__":
    main()
