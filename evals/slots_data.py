"""The labelled requests that slots are learned from, as rows with their answers.

`evals/data/slots/*.jsonl`: one desk a line, with its parameters (kind name, text, choice or flag)
and utterances, each with the values that it states: parts of its text, options, or true and false.
"""

import json
import random
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from models.embedded.slot_reader import LONGEST_CHARS, told_of

SLOTS: Final = Path(__file__).parent / "data" / "slots"
LOWERED: Final = 0.3
"""Share of requests that are read in small letters."""
BARE: Final = 0.3
"""Share of parameters shown without their description."""
SOME: Final = 0.5
"""Share of requests that are read with some of their desk's parameters, as one tool has them."""
MOST_QUERIES: Final = 14
"""Parameters of a row."""


@dataclass(frozen=True, slots=True)
class Row:
    """A request with some names and texts that a tool may want, and where each stands in it."""

    text: str
    queries: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]


def desks(out: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Every desk with the name of its file, without those of files held out."""
    for file in sorted(SLOTS.glob("*.jsonl")):
        if file.stem not in out:
            for line in file.read_text("utf-8").splitlines():
                if line.strip():
                    yield {**json.loads(line), "file": file.stem}


def drawn(out: Collection[str], chance: random.Random) -> list[Row]:
    """Every utterance of the desks, each in some spelling and with some parameters."""
    return [_row(one, desk, chance) for desk in desks(out) for one in desk["utterances"]]


def plain(desk: Mapping[str, Any]) -> list[Row]:
    """A desk's utterances as they are, each with all names and texts."""
    return [_row(one, desk, None) for one in desk["utterances"]]


def texts(out: Collection[str] = ()) -> Iterator[str]:
    """Whatever may stand in a row: requests, also in small letters, and parameters."""
    for desk in desks(out):
        for one in desk["utterances"]:
            text = " ".join(one["text"].split())[:LONGEST_CHARS]
            yield from (text, text.lower())
        for one in desk["params"]:
            yield from (told_of(one["name"], ""), told_of(one["name"], one["description"]))


def _row(one: Mapping[str, Any], desk: Mapping[str, Any], chance: random.Random | None) -> Row:
    text = " ".join(one["text"].split())[:LONGEST_CHARS]
    parameters = [each for each in desk["params"] if each["kind"] in ("name", "text")]
    if chance:
        text = text.lower() if chance.random() < LOWERED else text
        chance.shuffle(parameters)
        if chance.random() < SOME and len(parameters) > 1:
            parameters = parameters[: chance.randint(1, len(parameters))]
    queries = []
    for each in parameters[:MOST_QUERIES]:
        bare = chance is not None and chance.random() < BARE
        value = one["values"].get(each["name"])
        values = value if isinstance(value, list) else [] if value is None else [value]
        places = tuple(place for said in values for place in _places(str(said), text))
        queries.append((told_of(each["name"], "" if bare else each["description"]), places))
    return Row(text, tuple(queries))


def _places(value: str, text: str) -> list[tuple[int, int]]:
    spoken = " ".join(value.split())
    match = re.search(rf"(?<!\w){re.escape(spoken)}(?!\w)", text, re.IGNORECASE)
    return [match.span()] if match else []
