"""How an expert's part ends before its work is done: what was done, what not and why, what next."""

from collections.abc import Sequence

from nodes.expert_state import made_calls
from state import CallRecord, canonical_json

AGAIN = "What was found is kept; ask again to go on from here, or ask for a smaller part."
_ARGUMENT_CHARS = 80


def broken(error: Exception, rounds: Sequence[Sequence[CallRecord]]) -> str:
    """The model could not be asked; the error's own text ends with what to do next."""
    return _joined(f"I could not finish: {error}", rounds, "")


def stopped(reason: str, rounds: Sequence[Sequence[CallRecord]]) -> str:
    """The work was ended, for a reason that completes the sentence `I stopped …`."""
    return _joined(f"I stopped {reason}.", rounds, AGAIN)


def _joined(opening: str, rounds: Sequence[Sequence[CallRecord]], closing: str) -> str:
    calls = made_calls(rounds)
    done = [f"{record['name']}: ok" for record in calls if record["status"] == "ok"]
    open_ = [_undone(record) for record in calls if record["status"] != "ok"]
    parts = [
        opening,
        f"Done before that: {', '.join(done)}." if done else "",
        f"Not done: {'; '.join(dict.fromkeys(open_))}." if open_ else "",
        closing,
    ]
    return " ".join(part for part in parts if part)


def _undone(record: CallRecord) -> str:
    args = canonical_json(record["args"])
    shown = args if len(args) <= _ARGUMENT_CHARS else f"{args[:_ARGUMENT_CHARS]}…"
    why = f" ({record['note'][:_ARGUMENT_CHARS]})" if record["note"] else ""
    return f"{record['name']} {shown} {record['status']}{why}"
