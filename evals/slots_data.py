"""The labelled requests that the slot reader is learned from, as questions with their answers.

`evals/data/slots/*.jsonl`: one desk a line, with its parameters (kind name, text, choice or flag) and
utterances; an utterance gives the value of each parameter it states, as a part of its text, one of
the options, or true or false. The desks for development (`evals/data/desks`) and the labelled
requests of the sample company that are for tuning are read the same way.
"""

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from models.embedded.slot_reader import SlotQuestion, asked

FOLDER: Final = Path(__file__).parent / "data" / "slots"


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter and what a request says of it.

    Attributes:
        values: parts of the request that say it.
        chosen: the options meant.
        said: None where nothing is said; False where it is denied.
    """

    name: str
    description: str
    options: tuple[str, ...]
    text: str
    values: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    said: bool | None = None
    desk: str = ""

    def question(self, chance: random.Random | None = None) -> SlotQuestion:
        """What the model reads; drawn anew, options are in another order and names vary."""
        options, text, description = list(self.options), self.text, self.description
        if chance is not None:
            chance.shuffle(options)
            if chance.random() < LOWERED:
                text = text.lower()
            if chance.random() < BARE:
                description = ""
        return asked(self.name, description, options, text)

    def places(self, question: SlotQuestion) -> list[tuple[int, int]]:
        """Where the answer stands in the question."""
        if self.options:
            wanted = {one.replace("_", " ") for one in self.chosen}
            return [(a, b) for a, b in question.options if question.text[a:b] in wanted]
        request = question.text[question.start : question.stop]
        found = []
        for value in self.values:
            match = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", request, re.IGNORECASE)
            if match:
                found.append((question.start + match.start(), question.start + match.end()))
        return found


LOWERED: Final = 0.25
BARE: Final = 0.15


def read_slots(file: Path) -> list[Slot]:
    """Every parameter of every utterance of a file."""
    lines = [line for line in file.read_text("utf-8").splitlines() if line.strip()]
    return [slot for line in lines for slot in _slots_of(json.loads(line))]


def _slots_of(desk: Mapping[str, Any]) -> Iterator[Slot]:
    for utterance in desk["utterances"]:
        for parameter in desk["params"]:
            value = utterance["values"].get(parameter["name"])
            yield slot_of(
                parameter["name"],
                parameter["description"],
                parameter.get("options") or (),
                utterance["text"],
                value,
                desk["domain"],
            )


def slot_of(
    name: str,
    description: str,
    options: Sequence[str],
    text: str,
    value: object,
    desk: str = "",
) -> Slot:
    """A parameter with its labelled value: text, option, truth, a list of them, or None."""
    given = list(value) if isinstance(value, list | tuple) else [] if value is None else [value]
    words = tuple(str(one) for one in given if not isinstance(one, bool))
    said = None if not given else not (given[0] is False)
    return Slot(
        name=name,
        description=description,
        options=tuple(map(str, options)),
        text=text,
        values=() if options else words,
        chosen=words if options else (),
        said=said,
        desk=desk,
    )


def balanced(slots: Iterable[Slot], chance: random.Random, unsaid: float = 0.5) -> list[Slot]:
    """The slots, with a share of those of which nothing is said."""
    return [one for one in slots if one.said is not None or chance.random() < unsaid]
