"""BEAM: long chats with probing questions, and the messages each question was made from."""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FOLDER = "beam/100K"
# Stands for the time of what is said before any date is given.
START = datetime(2024, 1, 1, tzinfo=UTC)
# Fields of a question that hold what a right answer says.
GOLD = (
    "answer",
    "ideal_answer",
    "ideal_response",
    "ideal_summary",
    "rubric",
    "instruction_being_tested",
    "preference_being_tested",
    "expected_compliance",
    "key_facts_tested",
    "time_points",
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One user message and its answer; `first_id` is the user message's number in the chat.

    A batch is one session; `at` is the last date that was given before it.
    """

    first_id: int
    user: str
    answer: str
    batch: int = 0
    at: datetime = START


@dataclass(frozen=True, slots=True)
class Probe:
    """A probing question with its gold texts and the numbers of its source messages.

    Of an update `older` and `newer` are its sources before and after.
    """

    kind: str
    question: str
    gold: str
    sources: tuple[int, ...]
    older: tuple[int, ...] = ()
    newer: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Chat:
    """One conversation."""

    name: str
    exchanges: tuple[Exchange, ...]
    probes: tuple[Probe, ...]

    def message(self, number: int) -> str:
        """The text of a message by its number."""
        exchange = self.exchanges[number // 2]
        return exchange.answer if number % 2 else exchange.user


def load_chats(data: Path, limit: int | None = None) -> list[Chat]:
    """The chats in the order of their numbers; `limit` takes the first so many."""
    paths = sorted((data / FOLDER).glob("*.json.gz"), key=lambda path: int(path.name.split(".")[0]))
    return [_chat(path) for path in paths[:limit]]


def _chat(path: Path) -> Chat:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        found = json.load(lines)
    probes = tuple(
        _probe(kind, question)
        for kind, questions in found["probing_questions"].items()
        for question in questions
    )
    return Chat(path.name.split(".")[0], tuple(_exchanges(found["chat"])), probes)


def _exchanges(batches: Sequence[Mapping[str, Any]]) -> Iterator[Exchange]:
    at = START
    for number, batch in enumerate(batches):
        said = [message for turn in batch["turns"] for message in turn]
        for user, answer in zip(said[::2], said[1::2], strict=True):
            if anchor := user.get("time_anchor"):
                at = datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC)
            texts = (_plain(user["content"]), _plain(answer["content"]))
            yield Exchange(user["id"], *texts, batch=number, at=at)


def _plain(content: str) -> str:
    return content.partition("->->")[0].strip()


def _probe(kind: str, question: Mapping[str, Any]) -> Probe:
    gold = " ".join(text for key in GOLD for text in _texts(question.get(key)))
    sources = sorted(set(_numbers(question.get("source_chat_ids"))))
    named = question.get("source_chat_ids")
    older, newer = (
        tuple(_numbers(named.get(key) if isinstance(named, dict) else None))
        for key in ("original_info", "updated_info")
    )
    return Probe(kind, question["question"], gold, tuple(sources), older, newer)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (text for one in value for text in _texts(one))


def _numbers(value: object) -> Iterator[int]:
    if isinstance(value, int):
        yield value
    elif isinstance(value, list):
        yield from (number for one in value for number in _numbers(one))
    elif isinstance(value, dict):
        yield from (number for one in value.values() for number in _numbers(one))
