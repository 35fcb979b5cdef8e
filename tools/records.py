"""Lean records of calls for State and the shared history: no payload, short notes."""

from typing import Any, Final

from memory.failing import EDITED
from state import CallRecord, CallStatus, Effect, ToolCall, canonical_json
from tools.checking import ARGUMENT_CHARS
from tools.effects import EffectRow, EffectStatus
from tools.results import CUT, one_line, plain_json

NAME_CHARS: Final = 64
MOST_NAMES: Final = 20

_STATUS: Final[dict[EffectStatus, CallStatus]] = {
    "done": "ok",
    "failed": "error",
    "rejected": "rejected",
    "responded": "responded",
    "expired": "expired",
    "superseded": "rejected",
    "started": "unsettled",
    "unsettled": "unsettled",
}


def call_record(
    call: ToolCall, effect: Effect, status: CallStatus, *, artifact: str | None = None, note: str
) -> CallRecord:
    """A record of a call that was asked for, whatever its arguments look like."""
    return {
        "id": call["id"],
        "name": call["name"],
        "args": _small(call["args"]),
        "effect": effect,
        "status": status,
        "artifact": artifact,
        "note": note,
    }


def _small(args: object) -> dict[str, Any]:
    plain = plain_json(args)
    if not isinstance(plain, dict):
        return {}
    if len(canonical_json(plain)) <= ARGUMENT_CHARS:
        return plain
    return dict.fromkeys((name[:NAME_CHARS] for name in list(plain)[:MOST_NAMES]), CUT)


def row_record(row: EffectRow, effect: Effect) -> CallRecord:
    """A record of an effect that has come as far as it will, or that nobody knows about.

    Raises:
        KeyError: the row still waits to be decided or run.
    """
    return {
        "id": row.tool_call_id,
        "name": row.tool,
        "args": row.args,
        "effect": effect,
        "status": _STATUS[row.status],
        "artifact": row.artifact,
        "note": _note(row),
    }


def _note(row: EffectRow) -> str:
    if row.status == "responded":
        return row.message
    if row.status == "superseded":
        return EDITED
    said = row.message if row.status == "rejected" and row.message else row.note
    if row.status == "done" and row.supersedes:
        said = f"{EDITED} to {canonical_json(row.args)}; {said}".rstrip("; ")
    return one_line(said)
