"""Fold old turns into the done-list, after the answer has been given."""

from langchain_core.messages import RemoveMessage
from typing_extensions import TypedDict

from memory.compaction import fold
from memory.transcript import Transcript
from state import DoneItem, State, TurnRecord


class CompactUpdate(TypedDict):
    """What the node writes."""

    messages: list[RemoveMessage]
    history: list[TurnRecord]
    done_before: str
    done: list[DoneItem]
    constraints: list[str]


async def compact(state: State, *, transcript: Transcript, low_water_tokens: int) -> CompactUpdate:
    """Shorten the shared history in one big step; the originals stay in the database."""
    folded = fold(
        state["history"],
        state["done_before"],
        state["done"],
        state["constraints"],
        low_water_tokens=low_water_tokens,
    )
    gone = state["history"][: len(state["history"]) - len(folded.history)]
    await transcript.mark_folded([record["id"] for record in gone])
    removed = state["messages"][: -2 * max(1, len(folded.history))]
    return {
        "messages": [RemoveMessage(id=message.id) for message in removed if message.id],
        "history": folded.history,
        "done_before": folded.done_before,
        "done": folded.done,
        "constraints": folded.constraints,
    }
