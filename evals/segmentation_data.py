"""Dialogues with known boundaries as threads of the product, and where the boundaries are."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.segment_scores import starts
from evals.sgd_dialogues import ServiceDialogue
from memory.segment_shapes import Role, SourceMessage

DIALSEG = "dialseg711/dialogues.jsonl.gz"
TIAGE = "tiage/dialogues.jsonl.gz"
AT = "2030-01-01T00:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Thread:
    """A dialogue as messages, and where its true segments begin."""

    messages: tuple[SourceMessage, ...]
    gold: frozenset[int]


def load_threads(path: Path, limit: int | None = None) -> list[Thread]:
    """Dialogues without roles: every utterance may begin a topic, whoever says it."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for _, line in zip(range(limit or 1_000_000), lines, strict=False)]
    return [_thread(path.parent.name, row) for row in rows]


def _thread(name: str, row: dict[str, Any]) -> Thread:
    messages = tuple(
        _message(f"{name}_{row['dial_id']}_{row['set']}", at, at, text, "user", ())
        for at, text in enumerate(row["utterances"])
    )
    return Thread(messages, starts(row["segments"]))


def service_thread(
    dialogue: ServiceDialogue, agents: Sequence[Sequence[str]], services: Sequence[str]
) -> Thread:
    """A dialogue with a service, as turns that the given agents served.

    Args:
        dialogue: user and system in turns.
        agents: who served each turn; nobody where the desk answered itself or asked back.
        services: the true service of each turn; where it changes there is a boundary.
    """
    messages: list[SourceMessage] = []
    for turn, (exchange, agent) in enumerate(zip(dialogue.exchanges, agents, strict=True)):
        said: list[tuple[Role, str]] = [("user", exchange.user), ("assistant", exchange.answer)]
        for role, text in said:
            messages.append(_message(dialogue.name, len(messages), turn, text, role, agent))
    gold = {2 * at for at in range(1, len(services)) if services[at] != services[at - 1]}
    return Thread(tuple(messages), frozenset(gold))


def _message(
    name: str, at: int, turn: int, text: str, role: Role, agent: Sequence[str]
) -> SourceMessage:
    return {
        "id": f"{name}_{at}",
        "turn_id": f"{name}_turn_{turn}",
        "role": role,
        "source": "agent" if role == "assistant" else role,
        "text": text,
        "at": AT,
        "agent": sorted(agent),
        "position": at,
    }
