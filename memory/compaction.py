"""Which turns to fold when the history passes its high-water mark, and what is kept of them.

Pure steps: the done-list and the user's standing constraints are copied by code, never written by a
model. The originals stay in the SQL database.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.done_list import done_item, settle
from memory.history import render_turn
from models.tokens import count
from state import DoneItem, TurnRecord

_CONSTRAINT = re.compile(
    r"\b(?:never|always|don't|do not|must not|must|only ever|from now on|in future)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Folded:
    """The state after a fold; `history` is what stays verbatim."""

    history: list[TurnRecord]
    done_before: str
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


def stated_constraints(text: str) -> list[str]:
    """Sentences in which the user states a standing rule, verbatim."""
    sentences = re.split(r"(?<=[.!?])\s+|\n+", text)
    return [part.strip() for part in sentences if _CONSTRAINT.search(part)]


def fold(
    history: Sequence[TurnRecord],
    before: str,
    done: Sequence[DoneItem],
    constraints: Sequence[str],
    *,
    low_water_tokens: int,
) -> Folded:
    """Fold the oldest turns into the done-list and the constraints.

    Args:
        history: the turns that are verbatim so far.
        before: the done-list's paragraphs.
        done: its lines.
        constraints: rules the user has stated so far.
        low_water_tokens: what may stay verbatim.
    """
    n = turns_to_fold(history, low_water_tokens)
    old = history[:n]
    said = [rule for record in old for rule in stated_constraints(record["user"])]
    before, lines = settle(before, [*done, *map(done_item, old)])
    return Folded(
        history=list(history[n:]),
        done_before=before,
        done=lines,
        constraints=list(dict.fromkeys([*constraints, *said])),
    )
