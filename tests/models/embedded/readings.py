"""Readings without a model: which words of a text say which parameter is told by the test."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import cast

import numpy as np

from configs.expert import Effect
from models.embedded.acts import ACTS, Act, Reading
from models.embedded.chooser import Choice, Tool
from models.embedded.options import Features, OptionReader
from models.embedded.slot_reader import SlotReader, Span
from models.embedded.slots import Filler, Filling, utterance
from models.parameters import Parameter, parameters_of

TODAY = date(2026, 6, 30)
Schema = Mapping[str, object]


class ToldReader:
    """Reads what the test says that the words say: by parameter, or by `parameter=option`."""

    def __init__(self, said: Mapping[str, str]) -> None:
        self.said = said

    def _at(self, text: str, key: str) -> int:
        return text.find(self.said[key]) if key in self.said else -1

    def spans(self, text: str, some: Sequence[Parameter]) -> list[list[Span]]:
        found: list[list[Span]] = []
        for one in some:
            start = self._at(text, one.name)
            found.append([(start, start + len(self.said[one.name]), 0.99)] if start >= 0 else [])
        return found

    def likely(self, text: str, parameter: Parameter) -> Features:
        keys = [f"{parameter.name}={one}" for one in parameter.choices] or [parameter.name]
        return np.asarray([0.99 if self._at(text, key) >= 0 else 0.01 for key in keys])

    def place(self, text: str, parameter: Parameter) -> int:
        return self._at(text, parameter.name)


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
    reader = ToldReader(said or {})
    filler = Filler(cast("SlotReader", reader), cast("OptionReader", reader))
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
    return Choice(tool, sure, 0.99, 0.99, Reading(likely, same))
