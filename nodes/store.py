"""Keep what was accepted: episodes, and their segments as ended by them."""

from typing_extensions import TypedDict

from memory.consolidation import settled
from memory.remembering import Memory
from nodes.hippocampus_state import HippocampusState, scope_of


class StoreUpdate(TypedDict):
    """What the node writes."""

    outcome: str
    reason: str


async def store(state: HippocampusState, *, memory: Memory) -> StoreUpdate:
    """Store each accepted segment with its episodes in one transaction; twice is once."""
    segments = {segment["id"]: segment for segment in state["segments"]}
    episodes = 0
    for verdict in settled(state.get("verdicts", []), "accept"):
        kept = await memory.remember_segment(
            scope_of(state),
            state["thread_id"],
            segments[verdict["segment_id"]],
            verdict["drafts"],
            verdict["reason"],
        )
        episodes += kept.new_items
    return {"outcome": "done", "reason": f"{episodes} new episodes"}
