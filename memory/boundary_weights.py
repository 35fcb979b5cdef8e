"""How much each sign counts, as log odds; fixed, and the same for every kind of conversation.

The weights are a logistic regression on public dialogues with known boundaries: of DialSeg711 the
dialogues at even places, of TIAGE its training part, of SGD the first two of every four, there with
the embedded router's experts and, at twice the weight, with the true ones. `evals segmentation`
publishes what they reach on all of it and on the rest.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from memory.boundary_signs import Signs

WORDS: Final = ("shared_words", "words", "asked", "closed", "adds", "entity_shift", "entity_kept")
DEPTH: Final = ("blocks_alike", "most_alike", "opens")
AGENT: Final = (
    "changed", "disjoint", "lasting", "settled", "back", "lone", "lone_settled", "lone_lasting",
    "same", "same_settled", "same_steady",
)  # fmt: skip
CLEAR: Final = 0.5
"""Log odds from which a group of signs is named as a cause."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Log odds for a boundary, by what speaks for it."""

    base: float
    agent: float
    entity: float
    depth: float

    @property
    def total(self) -> float:
        """Above 0 there is a boundary."""
        return self.base + self.agent + self.entity + self.depth

    @property
    def score(self) -> float:
        """The same from 0 to 1."""
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, self.total))))

    @property
    def cause(self) -> str:
        """What speaks clearly, joined by "+"; the strongest where nothing does."""
        found = {"agent": self.agent, "entity": self.entity, "depth": self.depth}
        clear = [name for name, value in found.items() if value >= CLEAR]
        return "+".join(clear) or max(found, key=lambda name: found[name])


@dataclass(frozen=True, slots=True)
class Weights:
    """A calibrated sum: `base` at the usual values, and for each sign usual value and weight."""

    base: float
    usual: Mapping[str, float]
    weight: Mapping[str, float]

    def evidence(self, text: Signs, agent: Signs) -> Evidence:
        """What the signs of one place come to.

        Other words and entities count for a boundary only past the gate: where a user says at least
        two contentful things, and does not just follow up on "it" or "that".
        """
        words = self._sum(text, WORDS)
        return Evidence(
            base=self.base,
            agent=self._sum(agent, AGENT),
            entity=min(0.0, words) if text.get("gated") else words,
            depth=self._sum(text, DEPTH),
        )

    def _sum(self, signs: Signs, names: tuple[str, ...]) -> float:
        return sum(
            self.weight[name] * (signs[name] - self.usual.get(name, 0.0))
            for name in names
            if name in signs and name in self.weight
        )


WITH_DEPTH: Final = Weights(
    base=-3.077,
    usual={
        "shared_words": 0.189,
        "words": 3.190,
        "asked": 0.373,
        "closed": 0.087,
        "adds": 0.076,
        "entity_kept": 0.027,
        "blocks_alike": 0.268,
        "most_alike": 0.310,
        "opens": -0.093,
    },
    weight={
        "shared_words": -5.455,
        "words": 0.220,
        "asked": -1.485,
        "closed": 0.438,
        "adds": 0.874,
        "entity_kept": -0.239,
        "blocks_alike": -2.098,
        "most_alike": -2.183,
        "opens": 13.865,
        "changed": -0.120,
        "disjoint": 1.621,
        "lasting": 1.885,
        "settled": 0.724,
        "back": -0.682,
        "lone": 0.709,
        "lone_settled": 1.216,
        "lone_lasting": 2.787,
        "same": -2.090,
        "same_settled": -1.460,
        "same_steady": -2.842,
        "entity_shift": 0.400,
    },
)
WITHOUT_DEPTH: Final = Weights(
    base=-1.707,
    usual={
        "shared_words": 0.189,
        "words": 3.190,
        "asked": 0.373,
        "closed": 0.087,
        "adds": 0.076,
        "entity_kept": 0.027,
    },
    weight={
        "shared_words": -6.301,
        "words": 0.401,
        "asked": -1.085,
        "closed": 0.737,
        "adds": 0.705,
        "entity_kept": -0.369,
        "changed": -0.147,
        "disjoint": 1.574,
        "lasting": 1.911,
        "settled": 0.689,
        "back": -0.732,
        "lone": 0.163,
        "lone_settled": 1.344,
        "lone_lasting": 3.298,
        "same": -2.040,
        "same_settled": -1.747,
        "same_steady": -2.218,
        "entity_shift": 0.400,
    },
)
