"""The summariser's own input, cut to its window at turn borders."""

from collections.abc import Sequence
from typing import Final

from memory.history import render_turn
from models.tokens import count, truncate
from state import TurnRecord

CUT: Final = " … (cut; the rest is in the transcript)"


def chunks(history: Sequence[TurnRecord], limit_tokens: int) -> list[list[TurnRecord]]:
    """Turns in order, in groups of at most so many tokens; a turn that is larger alone is cut.

    Every turn is in exactly one group. What is cut is the user's text, and it says so.
    """
    groups: list[list[TurnRecord]] = []
    left = 0
    for record in history:
        whole = _fitted(record, limit_tokens)
        size = count(render_turn(whole))
        if not groups or size > left:
            groups.append([])
            left = limit_tokens
        groups[-1].append(whole)
        left -= size
    return groups


def _fitted(record: TurnRecord, limit_tokens: int) -> TurnRecord:
    excess = count(render_turn(record)) - limit_tokens
    if excess <= 0:
        return record
    kept = count(record["user"]) - excess - count(CUT)
    user = f"{truncate(record['user'], max(kept, 0))}{CUT}"
    return {**record, "user": user}
