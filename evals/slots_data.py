"""The labelled requests that the slot reader is learned from, as rows with their answers.

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

from models.embedded.slot_reader import LONGEST_CHARS, query_text

SLOTS: Final = Path(__file__).parent / "data" / "slots"
LOWERED: Final = 0.2
"""Share of requests that are read in small letters."""
BARE: Final = 0.2
"""Share of parameters shown without their description."""
MOST_QUERIES: Final = 28
"""Of a row."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked about a text: a parameter, or an option of one.

    Attributes:
        pooled: whether it is said or not, wherever; otherwise the places are wanted.
        said: 1, 0, or -1 where that is not learned.
    """

    text: str
    pooled: bool = False
    said: int = 0
    places: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A request with a query for each parameter and option of its desk."""

    text: str
    queries: tuple[Query, ...]


def slot_rows(out: Collection[str] = (), seed: int = 0) -> list[Row]:
    """Every utterance of the desks, without those of files held out."""
    chance = random.Random(seed)
    return [_row(one, desk, chance) for desk in _desks(out) for one in desk["utterances"]]


def _desks(out: Collection[str]) -> Iterator[dict[str, Any]]:
    for file in sorted(SLOTS.glob("*.jsonl")):
        if file.stem not in out:
            for line in file.read_text("utf-8").splitlines():
                if line.strip():
                    yield json.loads(line)


def _row(one: Mapping[str, Any], desk: Mapping[str, Any], chance: random.Random) -> Row:
    text = one["text"].lower() if chance.random() < LOWERED else one["text"]
    text = " ".join(text.split())[:LONGEST_CHARS]
    queries: list[Query] = []
    for parameter in desk["params"]:
        value = one["values"].get(parameter["name"])
        told = "" if chance.random() < BARE else parameter["description"]
        queries += _queries(parameter, told, value, text)
    return Row(text, tuple(queries))


def _queries(parameter: Mapping[str, Any], told: str, value: object, text: str) -> Iterator[Query]:
    name = parameter["name"]
    values = value if isinstance(value, list) else [] if value is None else [value]
    if parameter.get("options"):
        for option in parameter["options"]:
            asked = query_text(name, told, option)
            yield Query(asked, pooled=True, said=int(option in values))
    elif parameter["kind"] == "flag":
        said = -1 if value is False else int(value is True)
        yield Query(query_text(name, told), pooled=True, said=said)
    else:
        places = tuple(place for said in values for place in _places(str(said), text))
        yield Query(query_text(name, told), places=places)


def _places(value: str, text: str) -> list[tuple[int, int]]:
    plain = " ".join(value.split())
    match = re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", text, re.IGNORECASE)
    return [match.span()] if match else []
