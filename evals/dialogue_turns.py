"""Public dialogues as turns of a desk: what the user said, who served it, the calls, the answer."""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.tau.tasks import Run, load_runs

SGD_FILE = "sgd/dialogues.jsonl.gz"


@dataclass(frozen=True, slots=True)
class DialogueCall:
    """A tool call with what it returned."""

    name: str
    args: dict[str, Any]
    result: str


@dataclass(frozen=True, slots=True)
class DialogueTurn:
    """One user message with what it led to."""

    user: str
    expert: str
    calls: tuple[DialogueCall, ...]
    answer: str


Dialogue = tuple[DialogueTurn, ...]


def sgd_dialogues(data: Path, limit: int | None = None) -> list[Dialogue]:
    """Schema-Guided dialogues; the expert is the service of the system's last frame."""
    with gzip.open(data / SGD_FILE, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for _, line in zip(range(limit or 1_000_000), lines, strict=False)]
    return [tuple(_sgd_turns(row["turns"])) for row in rows]


def tau_dialogues(data: Path, limit: int | None = None) -> list[Dialogue]:
    """The recorded airline runs; one expert serves all of them."""
    return [tuple(_tau_turns(run)) for run in load_runs(data)[:limit]]


def _sgd_turns(turns: Sequence[dict[str, Any]]) -> Iterator[DialogueTurn]:
    for user, system in zip(turns[::2], turns[1::2], strict=False):
        frames = system["frames"]
        calls = tuple(
            DialogueCall(
                frame["service_call"]["method"],
                frame["service_call"]["parameters"],
                json.dumps(frame.get("service_results", []), ensure_ascii=False),
            )
            for frame in frames
            if "service_call" in frame
        )
        expert = frames[-1]["service"] if frames else user["frames"][-1]["service"]
        yield DialogueTurn(user["utterance"], expert, calls, system["utterance"])


def _tau_turns(run: Run) -> Iterator[DialogueTurn]:
    for exchange in run.exchanges:
        calls = tuple(
            DialogueCall(action.name, dict(action.arguments), observed)
            for action, observed in zip(exchange.actions, exchange.observed, strict=False)
        )
        yield DialogueTurn(exchange.text, "airline", calls, exchange.reply or "")
