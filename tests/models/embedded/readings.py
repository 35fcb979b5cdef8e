"""Readings without a model: which words of a text say which parameter is told by the test."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import cast

import numpy as np

from configs.expert import Effect
from models.embedded.acts import ACTS, Act, Reading
from models.embedded.chooser import Choice, Tool
from models.embedded.slot_reader import WIDTH, SlotReader, Words
from models.embedded.slots import Filler, Filling, utterance
from models.embedding import Embedder, Vectors
from models.parameters import Parameter, parameters_of

TODAY = date(2026, 6, 30)
CLEAR = 50.0
Schema = Mapping[str, object]


class ToldReader:
    """Reads what the test says that the words say: by parameter, or by `parameter=option`."""

    def __init__(self, said: Mapping[str, str]) -> None:
        self.said = said
        self.columns = {key: at for at, key in enumerate(said)}

    def read(self, text: str) -> Words:
        places = [match.span() for match in re.finditer(r"\w+", text)]
        vectors = np.zeros((len(places), WIDTH), np.float32)
        for key, words in self.said.items():
            start = text.find(words)
            for at, (a, b) in enumerate(places):
                if start >= 0 and start <= a and b <= start + len(words):
                    vectors[at, self.columns[key]] = CLEAR
        return Words(text, places, vectors)

    def queries(self, parameter: Parameter, embedder: object) -> Vectors:
        keys = [f"{parameter.name}={one}" for one in parameter.choices] or [parameter.name]
        found = np.zeros((len(keys), WIDTH), np.float32)
        for at, key in enumerate(keys):
            if key in self.columns:
                found[at, self.columns[key]] = CLEAR
        return found


def parameters(required: str = "", **properties: Schema) -> list[Parameter]:
    """Parameters by their schemas; `required` names those that are."""
    body = {"properties": properties, "required": required.split()}
    return parameters_of({"parameters": body})


def filled(
    text: str,
    own: Sequence[Parameter],
    said: Mapping[str, str] | None = None,
    *,
    ahead: bool = True,
) -> Filling:
    """What a text says of parameters."""
    filler = Filler(cast("SlotReader", ToldReader(said or {})), cast("Embedder", None))
    shapes = [one.shape for one in own if one.shape]
    return filler.fill(own, utterance(text, shapes, TODAY, ahead=ahead), TODAY)


def choice(
    name: str = "send_back",
    effect: Effect = "irreversible",
    *,
    sure: float = 0.99,
    same: float = 0.0,
    **acts: float,
) -> Choice:
    """A tool that was chosen, with how likely the text does what; by default it wants a change."""
    likely = cast("Mapping[Act, float]", dict.fromkeys(ACTS, 0.0) | (acts or {"change": 1.0}))
    tool = Tool(name, "yard", effect, "Send a crate back", ())
    return Choice(tool, sure, 0.99, 0.99, None, Reading(likely, same))
