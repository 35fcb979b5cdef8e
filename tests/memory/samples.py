"""Turns and items as the tests need them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from memory.candidates import Candidate
from memory.episodes import EpisodeItem, item_id
from state import CallRecord, CallStatus, Effect, Scope, TurnRecord

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def candidate(key: str, cosine: float | None = 0.9, **more: object) -> Candidate:
    values: dict[str, Any] = {"lexical": 0.0, "coverage": 0.0, "age_days": 0.0, "kind": "turn"}
    return Candidate(id=key, cosine=cosine, **(values | more))


def item(scope: Scope, turn: str, text: str, **more: object) -> EpisodeItem:
    values: dict[str, Any] = {"thread": "t", "kind": "turn", "occurred_at": NOON} | more
    key = item_id(scope, values["thread"], turn, values["kind"])
    return EpisodeItem(**{"id": key, "text": text, "turn_id": turn, **values})


def call(
    name: str,
    args: dict[str, Any],
    status: CallStatus = "ok",
    note: str = "",
    effect: Effect = "irreversible",
) -> CallRecord:
    return {
        "id": "call_1",
        "name": name,
        "args": args,
        "effect": effect,
        "status": status,
        "artifact": None,
        "note": note,
    }


def turn(number: int, user: str, answer: str = "Done.", *calls: CallRecord) -> TurnRecord:
    return {
        "id": f"turn-{number}",
        "index": number,
        "at": (NOON + timedelta(days=number)).isoformat(),
        "user": user,
        "route": ["billing"],
        "modules": [
            {"expert": "billing", "question": user, "calls": list(calls), "output": answer}
        ],
        "answer": answer,
        "status": "done",
    }
