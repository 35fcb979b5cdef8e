"""LoCoMo: long conversations of two friends, and questions with the ids of their evidence."""

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

FOLDER: Final = "locomo"
CATEGORIES: Final = {1: "multi", 2: "temporal", 3: "open", 4: "single", 5: "adversarial"}
ADVERSARIAL: Final = 5
_SESSION: Final = re.compile(r"session_(\d+)")
_EVIDENCE: Final = re.compile(r"D\d+:\d+")


@dataclass(frozen=True, slots=True)
class Said:
    """One message; `at` is its session's beginning, `position` its place there."""

    id: str
    actor: str
    text: str
    session: int
    position: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the ids of the messages that answer it."""

    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One file: messages in order, and the questions whose evidence is among them."""

    name: str
    speakers: tuple[str, ...]
    said: tuple[Said, ...]
    asked: tuple[Asked, ...]

    @property
    def end(self) -> datetime:
        """When its last session took place."""
        return max(message.at for message in self.said)


def load_conversations(data: Path, limit: int | None = None) -> list[Conversation]:
    """The conversations by number; `limit` takes the first so many."""
    paths = sorted((data / FOLDER).glob("*.json.gz"), key=lambda path: int(path.name.split(".")[0]))
    return [_conversation(path) for path in paths[:limit]]


def _conversation(path: Path) -> Conversation:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        found: dict[str, Any] = json.load(lines)
    said = tuple(_said(found))
    ids = {message.id for message in said}
    asked = tuple(_asked(found["qa"], ids))
    return Conversation(
        path.name.split(".")[0], (found["speaker_a"], found["speaker_b"]), said, asked
    )


def _said(found: Mapping[str, Any]) -> Iterator[Said]:
    numbers = sorted(int(match[1]) for key in found if (match := _SESSION.fullmatch(key)))
    for number in numbers:
        at = _moment(found[f"session_{number}_date_time"])
        for position, turn in enumerate(found[f"session_{number}"]):
            text = turn["text"]
            if caption := turn.get("blip_caption"):
                text = f"{text} [shares {caption}]"
            yield Said(turn["dia_id"], turn["speaker"], text, number, position, at)


def _moment(written: str) -> datetime:
    """`1:56 pm on 8 May, 2023`."""
    return datetime.strptime(written, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _asked(questions: list[Mapping[str, Any]], ids: set[str]) -> Iterator[Asked]:
    """The questions with evidence; a few ids are written two in one or do not exist."""
    for question in questions:
        written = " ".join(str(one) for one in question.get("evidence") or ())
        evidence = ids & set(_EVIDENCE.findall(written))
        if evidence:
            yield Asked(question["question"], question["category"], frozenset(evidence))
