"""The labelled requests that the reader of requests is learned from, as rows with their answers.

`evals/data/tools/*.jsonl`: one desk a line, its tools with examples, and utterances each with the tool
it is for ("none" for none). `evals/data/slots/*.jsonl`: one desk a line, its parameters (kind name,
text, choice or flag) and utterances, each with the values that it states: parts of its text, options,
or true and false. Written by nine authors who knew neither the code nor each other.
"""

import json
import random
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from models.embedded.request_reader import ACTS, ASKED, LONGEST_CHARS, joined, query_text

from evals.acts_data import Turn, drawn, load_acts, requests_of
from evals.embedded_set import load_conversations

TOOLS: Final = Path(__file__).parent / "data" / "tools"
SLOTS: Final = Path(__file__).parent / "data" / "slots"
MOST_LOOSE: Final = 3200
LOWERED: Final = 0.2
BARE: Final = 0.2
"""Share of parameters shown without their description."""


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
    """A text with what is known of it.

    Attributes:
        tool: number of its tool at its desk; -1 where it is for none, -2 where that is not known.
        example: whether it is an example of the tool.
        acts: the acts that it may be of; empty where that is not known.
        same: 1 or 0; -1 where it is not known.
        stop: where the request ends and the turn before it begins.
    """

    text: str
    tool: int = -2
    example: bool = False
    acts: tuple[int, ...] = ()
    same: int = -1
    stop: int = 0
    queries: tuple[Query, ...] = ()


def lines_of(folder: Path, out: Collection[str]) -> Iterator[dict[str, Any]]:
    """The desks of a folder's files, without those held out."""
    for file in sorted(folder.glob("*.jsonl")):
        if file.stem not in out:
            for line in file.read_text("utf-8").splitlines():
                if line.strip():
                    yield json.loads(line)


def tool_desks(out: Collection[str] = ()) -> list[list[Row]]:
    """The rows of each desk: its tools' examples, then its utterances."""
    return [list(_tool_rows(desk)) for desk in lines_of(TOOLS, out)]


def _tool_rows(desk: Mapping[str, Any]) -> Iterator[Row]:
    numbers = {tool["name"]: at for at, tool in enumerate(desk["tools"])}
    change = {tool["name"]: tool["change"] for tool in desk["tools"]}
    for name, at in numbers.items():
        tool = next(one for one in desk["tools"] if one["name"] == name)
        for text in [*tool["examples"], f"{tool['description']} {tool['when']}"]:
            yield Row(joined(text), at, example=True)
    for one in desk["utterances"]:
        tool, before = one["tool"], one.get("before") or ""
        done = {"asked back": ASKED, "none": ""}.get(
            one.get("before_tool") or "", one.get("before_tool") or ""
        )
        asks = ("change",) if change.get(tool) else ("records", "rules")
        acts = ("talk", "unrelated") if tool == "none" else asks
        same = -1 if done == ASKED else int(bool(done) and tool == done)
        numbers_of = tuple(ACTS.index(act) for act in acts)
        yield Row(
            joined(one["text"], before, done), numbers.get(tool, -1), acts=numbers_of, same=same
        )


def slot_rows(out: Collection[str] = (), seed: int = 0) -> list[Row]:
    """Every utterance of the slots' desks, with a query for each parameter and option."""
    chance = random.Random(seed)
    return [
        _slot_row(one, desk, chance) for desk in lines_of(SLOTS, out) for one in desk["utterances"]
    ]


def _slot_row(one: Mapping[str, Any], desk: Mapping[str, Any], chance: random.Random) -> Row:
    text = one["text"].lower() if chance.random() < LOWERED else one["text"]
    text = " ".join(text.split())[:LONGEST_CHARS]
    queries: list[Query] = []
    for parameter in desk["params"]:
        name = parameter["name"]
        told = "" if chance.random() < BARE else parameter["description"]
        value = one["values"].get(name)
        values = value if isinstance(value, list) else [] if value is None else [value]
        if parameter.get("options"):
            queries += [
                Query(query_text(name, told, option), pooled=True, said=int(option in values))
                for option in parameter["options"]
            ]
        elif parameter["kind"] == "flag":
            said = -1 if value is False else int(value is True)
            queries.append(Query(query_text(name, told), pooled=True, said=said))
        else:
            places = tuple(place for one_ in values for place in _places(str(one_), text))
            queries.append(Query(query_text(name, told), places=places))
    whole = joined(text, one.get("before") or "")
    return Row(whole, stop=len(text), queries=tuple(queries))


def _places(value: str, text: str) -> list[tuple[int, int]]:
    plain = " ".join(value.split())
    match = re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", text, re.IGNORECASE)
    return [match.span()] if match else []


def loose_rows(seed: int = 0) -> list[Row]:
    """Turns whose act is known, some of the sample company's drawn at chance."""
    chance = random.Random(seed)
    tuned = requests_of(one for one in load_conversations() if one.half == "tune")
    acts = load_acts()
    some = chance.sample(tuned, min(len(tuned), MOST_LOOSE - len(acts)))
    return [_row_of(turn) for turn in drawn([*acts, *some], chance)]


def _row_of(turn: Turn) -> Row:
    acts = (ACTS.index(turn.act),) if turn.act else ()
    same = -1 if turn.same is None else int(turn.same)
    return Row(joined(turn.text, turn.before, turn.done), acts=acts, same=same)
