"""Fit the weights of `memory/boundary_weights.py` again: `python -m evals.segmentation_fit DATA`.

A logistic regression over the product's own signs at every place where a segment may begin. Fitted
on DialSeg711's dialogues at even places, TIAGE's training part, and SGD's first two of every four,
with the router's agents and, at twice the weight, the true ones.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from configs.segmenting import SegmentationSettings
from evals.registry import Request
from evals.segmentation_data import DIALSEG, TIAGE, Thread, load_threads
from evals.segmentation_services import Services
from evals.vector_cache import open_cached
from memory.boundary_signs import Signs
from memory.boundary_weights import AGENT, DEPTH, WORDS
from memory.entities import EntityFinder
from memory.thread_view import Lens, ThreadView
from models.openers import OpenerScale, opener_vectors

TIAGE_TRAINING: Final = 300
TRUE_WEIGHT: Final = 2.0
THRESHOLDS: Final = {"WITH_DEPTH": -0.9, "WITHOUT_DEPTH": -1.2}
"""Log odds that are enough: below even, since a missed boundary costs Pk more than one too many."""
FIXED: Final = "entity_shift"
STEPS: Final = 30

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    """One place where a segment may begin."""

    signs: Signs
    gold: bool
    weight: float


def samples(threads: Iterable[Thread], lens: Lens, weight: float = 1.0) -> Iterator[Sample]:
    """All places of the threads with what the product sees there."""
    for thread in threads:
        view = ThreadView(lens)
        view.add(thread.messages)
        for one in view.candidates:
            signs = view.text_signs(one) | view.agent_signs(one)
            yield Sample(signs, one.at in thread.gold, weight)


def fit(rows: Numbers, gold: Numbers, weights: Numbers, ridge: float = 1.0) -> Numbers:
    """Coefficients of a ridge logistic regression by Newton's method, the constant last."""
    given = np.column_stack([rows, np.ones(len(rows))])
    found = np.zeros(given.shape[1])
    penalty = np.eye(len(found)) * ridge
    penalty[-1, -1] = 0.0
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-given @ found))
        slope = given.T @ (weights * (chance - gold)) + penalty @ found
        curve = (given * (weights * chance * (1 - chance))[:, None]).T @ given + penalty
        found = found - np.linalg.solve(curve, slope)
    return found


def describe(name: str, found: Sequence[Sample], text: Sequence[str]) -> str:
    """The constant of `boundary_weights` that the samples give for these signs."""
    columns = [*text, *AGENT]
    rows = np.array([[one.signs.get(name, 0.0) for name in columns] for one in found])
    weights = np.array([one.weight for one in found])
    usual, spread = np.average(rows, axis=0, weights=weights), rows.std(axis=0) + 1e-9
    usual[len(text) :], spread[len(text) :] = 0.0, 1.0
    gold = np.array([float(one.gold) for one in found])
    fitted = fit((rows - usual) / spread, gold, weights)
    lines = [f"{name}: base={fitted[-1] - THRESHOLDS[name]:.3f}"]
    for column, value, each, scale in zip(columns, usual, fitted[:-1], spread, strict=True):
        lines.append(f"  {column}: usual {value:.3f}, weight {each / scale:.3f}")
    return "\n".join(lines)


def main() -> None:
    """Print both sets of weights."""
    console = Console()
    request = Request(data=Path(sys.argv[1]), limit=None, progress=console)
    embedder = open_cached()
    finder = EntityFinder(SegmentationSettings().known_names)
    lens = Lens(embedder.encode, OpenerScale(opener_vectors(embedder)), finder)
    services = Services(request, embedder)
    chosen = [at for at in services.places if at % 4 < 2]
    routed, true = list(services.threads(services.routed)), list(services.threads(services.true))
    found = [
        *samples(load_threads(request.data / DIALSEG)[::2], lens),
        *samples(load_threads(request.data / TIAGE)[:TIAGE_TRAINING], lens),
        *samples((routed[at] for at in chosen), lens),
        *samples((true[at] for at in chosen), lens, TRUE_WEIGHT),
    ]
    words = [name for name in WORDS if name != FIXED]
    console.print(describe("WITH_DEPTH", found, [*words, *DEPTH]))
    console.print(describe("WITHOUT_DEPTH", found, words))


if __name__ == "__main__":
    main()
