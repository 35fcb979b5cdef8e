"""Schema-guided dialogues as what a gate sees: reads, writes that are proposed, and the answers."""

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

Turn: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Intent:
    """One method of a service: a write where it is transactional, and its slots."""

    service: str
    name: str
    description: str
    writes: bool
    required: tuple[str, ...]
    optional: tuple[str, ...]

    @property
    def tool(self) -> str:
        """Its name as a tool."""
        return re.sub(r"[^a-z0-9]+", "_", f"{self.service}_{self.name}".lower())


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a method with its values by slot."""

    intent: Intent
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing the user wants: reads, and at most one write with the user's yes or no to it."""

    text: str
    reads: tuple[Call, ...] = ()
    write: Call | None = None
    agreed: bool = False


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The events of a dialogue, in order."""

    id: str
    events: tuple[Event, ...] = field(default=())


def load_intents(file: Path) -> dict[tuple[str, str], Intent]:
    """Every method of `schema.json`, by service and name."""
    found = {}
    for service in json.loads(file.read_text(encoding="utf-8")):
        for intent in service["intents"]:
            one = Intent(
                service["service_name"],
                intent["name"],
                intent["description"],
                bool(intent["is_transactional"]),
                tuple(intent["required_slots"]),
                tuple(intent["optional_slots"]),
            )
            found[one.service, one.name] = one
    return found


def load_dialogues(
    file: Path, intents: Mapping[tuple[str, str], Intent], limit: int | None
) -> Iterator[Dialogue]:
    """The dialogues that have any call, in file order."""
    taken = 0
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            if limit is not None and taken >= limit:
                return
            raw = json.loads(line)
            events = tuple(events_of(raw["turns"], intents))
            if events:
                taken += 1
                yield Dialogue(raw["dialogue_id"], events)


def events_of(turns: Sequence[Turn], intents: Mapping[tuple[str, str], Intent]) -> Iterator[Event]:
    """A dialogue's events.

    A write is proposed where the system asks the user to confirm it, or makes it after a yes; the
    user's next words decide. What a refused proposal would have called is what was to be confirmed.
    """
    text, reads = "", list[Call]()
    for at, turn in enumerate(turns):
        if turn["speaker"] == "USER":
            text = text or turn["utterance"]
            refused = _refused(turns, at, intents)
            if refused is not None:
                yield Event(text, tuple(reads), refused)
                text, reads = "", []
            continue
        for call in _calls(turn, intents):
            if not call.intent.writes:
                reads.append(call)
                continue
            yield Event(text or turn["utterance"], tuple(reads), call, agreed=True)
            text, reads = "", []
    if reads:
        yield Event(text, tuple(reads))


def _calls(turn: Turn, intents: Mapping[tuple[str, str], Intent]) -> Iterator[Call]:
    for frame in turn["frames"]:
        made = frame.get("service_call")
        if made is not None:
            yield Call(intents[frame["service"], made["method"]], dict(made["parameters"]))


def _refused(
    turns: Sequence[Turn], at: int, intents: Mapping[tuple[str, str], Intent]
) -> Call | None:
    """The write that the user says no to in this turn, if it is one that was to be confirmed."""
    if at == 0 or "NEGATE" not in _acts(turns[at]) or "CONFIRM" not in _acts(turns[at - 1]):
        return None
    for frame in turns[at - 1]["frames"]:
        intent = _wanted(turns[: at - 1], frame["service"], intents)
        if intent is not None and intent.writes:
            values = {
                act["slot"]: (act["canonical_values"] or act["values"] or [""])[0]
                for act in frame["actions"]
                if act["act"] == "CONFIRM"
            }
            return Call(intent, values)
    return None


def _wanted(
    before: Sequence[Turn], service: str, intents: Mapping[tuple[str, str], Intent]
) -> Intent | None:
    """What the user last wanted from a service."""
    for turn in reversed(before):
        for frame in turn["frames"]:
            active = frame.get("state", {}).get("active_intent")
            if frame["service"] == service and active:
                return intents.get((service, active))
    return None


def _acts(turn: Turn) -> set[str]:
    return {act["act"] for frame in turn["frames"] for act in frame["actions"]}
