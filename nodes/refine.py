"""Refine what is known of a user by one closed turn: an item of the index, and stated facts."""

from collections.abc import Sequence
from datetime import datetime

from typing_extensions import TypedDict

from configs.clock import ClockSettings
from memory.facts import ExtractionFailed, SourcedMessage
from memory.notebook import Notebook
from memory.remembering import Memory
from nodes.hippocampus_state import RefinementState
from state import Scope, TurnRecord


class RefineUpdate(TypedDict):
    """What the node writes."""

    outcome: str
    reason: str


async def refine(
    state: RefinementState, *, memory: Memory, notebook: Notebook, calendar: ClockSettings
) -> RefineUpdate:
    """Remember the turns; a failed extraction is a failed job, never "nothing to remember".

    What was stored before the answer is not stored again.
    """
    records, thread = state["records"], state["thread_id"]
    if not records:
        return {"outcome": "empty", "reason": "the turn is not in the transcript"}
    scope = Scope(tenant=state["tenant"], user=state["user"], teams=tuple(state["teams"]))
    remembered = [await memory.remember_turn(scope, thread, record) for record in records]
    kept = await notebook.keep(scope, user_messages(records, thread, calendar))
    if isinstance(kept, ExtractionFailed):
        return {"outcome": "waits" if kept.waits else "failed", "reason": kept.reason}
    items = sum(found.new_items for found in remembered)
    return {"outcome": "done", "reason": f"{items} items, {kept} statements"}


def user_messages(
    records: Sequence[TurnRecord], thread: str, calendar: ClockSettings
) -> list[SourcedMessage]:
    """What the user said; nothing else may become a fact."""
    return [
        SourcedMessage(
            text=record["user"],
            source="user",
            thread=thread,
            turn_id=record["id"],
            at=at,
            turn=record["index"],
            app_time=calendar.moment_of(at),
        )
        for record, at in ((record, datetime.fromisoformat(record["at"])) for record in records)
    ]
