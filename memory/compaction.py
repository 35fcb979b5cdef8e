"""Which turns to fold when the history passes its high-water mark, and what is kept of them.

Pure steps: the done-list and the user's standing constraints are copied by code, never written by a
model; the summary here is extractive. The originals stay in the SQL database.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.history import render_turn
from models.tokens import count, truncate
from state import DoneItem, TurnRecord

_CONSTRAINT = re.compile(
    r"\b(?:never|always|don't|do not|must not|must|only ever|from now on|in future)\b",
    re.IGNORECASE,
)
LINE_TOKENS = 40


@dataclass(frozen=True, slots=True)
class Folded:
    """The state after a fold; `history` is what stays verbatim."""

    history: list[TurnRecord]
    summary: str
    done: list[DoneItem]
    constraints: list[str]


def history_tokens(history: Sequence[TurnRecord]) -> int:
    """Exact size of the rendered history."""
    return sum(count(render_turn(record)) for record in history)


def turns_to_fold(history: Sequence[TurnRecord], low_water_tokens: int) -> int:
    """How many of the oldest turns to fold so that the rest fits under the low-water mark.

    The newest turn always stays.
    """
    left = 0
    for kept, record in enumerate(reversed(history)):
        left += count(render_turn(record))
        if left > low_water_tokens and kept:
            return len(history) - kept
    return 0


def done_items(record: TurnRecord) -> list[DoneItem]:
    """Request, action and result of every effect the turn made or tried."""
    return [
        {
            "turn": record["index"],
            "request": truncate(record["user"], LINE_TOKENS),
            "action": f"{call['name']} {sorted(call['args'].items())}",
            "result": " ".join(filter(None, [call["status"], call["artifact"], call["note"]])),
        }
        for module in record["modules"]
        for call in module["calls"]
        if call["effect"] != "read_only"
    ]


def stated_constraints(text: str) -> list[str]:
    """Sentences in which the user states a standing rule, verbatim."""
    sentences = re.split(r"(?<=[.!?])\s+|\n+", text)
    return [part.strip() for part in sentences if _CONSTRAINT.search(part)]


def summary_line(record: TurnRecord) -> str:
    """One old turn in one line, from its own words."""
    request = truncate(record["user"].replace("\n", " "), LINE_TOKENS)
    answer = truncate(record["answer"].replace("\n", " "), LINE_TOKENS)
    return f"[turn {record['index']}] {request} => {answer}"


def fold(
    history: Sequence[TurnRecord],
    summary: str,
    done: Sequence[DoneItem],
    constraints: Sequence[str],
    *,
    low_water_tokens: int,
    summary_tokens: int,
) -> Folded:
    """Fold the oldest turns into the summary, done-list and constraints."""
    n = turns_to_fold(history, low_water_tokens)
    old = history[:n]
    lines = [*summary.splitlines(), *map(summary_line, old)]
    while len(lines) > 1 and count("\n".join(lines)) > summary_tokens:
        lines.pop(0)
    said = [rule for record in old for rule in stated_constraints(record["user"])]
    return Folded(
        history=list(history[n:]),
        summary="\n".join(lines),
        done=[*done, *(item for record in old for item in done_items(record))],
        constraints=list(dict.fromkeys([*constraints, *said])),
    )
