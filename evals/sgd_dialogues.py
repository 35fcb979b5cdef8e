"""Schema-Guided dialogues with their gold: which service a user message belongs to, and why."""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

DIALOGUES: Final = "sgd/dialogues.jsonl.gz"
SCHEMA: Final = "sgd/schema.json"
NO_INTENT: Final = "NONE"


@dataclass(frozen=True, slots=True)
class ServiceCall:
    """A call of a service."""

    service: str
    intent: str
    arguments: Mapping[str, Any]
    transactional: bool


@dataclass(frozen=True, slots=True)
class Exchange:
    """One user message and the answer to it.

    Attributes:
        service: the service of the last frame with an intent; the one before where there is none.
        active: services with an intent in the message's frames.
        opened: service and intent that the message comes up with.
        calls: what the recorded system called to answer.
    """

    user: str
    answer: str
    service: str
    active: tuple[str, ...]
    opened: tuple[tuple[str, str], ...]
    calls: tuple[ServiceCall, ...]


@dataclass(frozen=True, slots=True)
class ServiceDialogue:
    """One dialogue; user and system take turns."""

    name: str
    exchanges: tuple[Exchange, ...]


def load_schema(data: Path) -> list[dict[str, Any]]:
    """The services with their intents and slots."""
    found: list[dict[str, Any]] = json.loads((data / SCHEMA).read_text(encoding="utf-8"))
    return found


def load_dialogues(data: Path, limit: int | None = None) -> list[ServiceDialogue]:
    """The dialogues in the order of the file; `limit` takes the first so many."""
    effects = {
        (service["service_name"], intent["name"])
        for service in load_schema(data)
        for intent in service["intents"]
        if intent["is_transactional"]
    }
    with gzip.open(data / DIALOGUES, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for _, line in zip(range(limit or 1_000_000), lines, strict=False)]
    return [
        ServiceDialogue(row["dialogue_id"], tuple(_exchanges(row["turns"], effects)))
        for row in rows
    ]


def active_services(dialogue: ServiceDialogue) -> list[str]:
    """The service that each user message is about.

    It is the one the message comes up with, until another message comes up with another. A message
    that thanks one service and asks for the next has a frame for either, and which of them stands
    last says nothing; so `Exchange.service` lags behind in about a third of the changes.
    """
    found: list[str] = []
    for exchange in dialogue.exchanges:
        opened = exchange.opened[-1][0] if exchange.opened else ""
        last = found[-1] if found else ""
        kept = last if not exchange.active or last in exchange.active else ""
        found.append(opened or kept or exchange.service)
    return found


def _exchanges(
    turns: Sequence[Mapping[str, Any]], effects: set[tuple[str, str]]
) -> Iterator[Exchange]:
    service = ""
    for user, system in zip(turns[::2], turns[1::2], strict=False):
        active = [one for one in user["frames"] if one["state"]["active_intent"] != NO_INTENT]
        service = active[-1]["service"] if active else service or user["frames"][-1]["service"]
        yield Exchange(
            user["utterance"],
            system["utterance"],
            service,
            tuple(one["service"] for one in active),
            tuple(_opened(user)),
            tuple(_calls(system, effects)),
        )


def _opened(turn: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for frame in turn["frames"]:
        for action in frame["actions"]:
            if action["act"] == "INFORM_INTENT":
                yield frame["service"], action["values"][0]


def _calls(turn: Mapping[str, Any], effects: set[tuple[str, str]]) -> Iterator[ServiceCall]:
    for frame in turn["frames"]:
        if call := frame.get("service_call"):
            place = (frame["service"], call["method"])
            yield ServiceCall(*place, call["parameters"], place in effects)
