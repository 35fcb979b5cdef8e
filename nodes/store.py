"""Keep what was accepted: episodes, and their segments as ended by them."""

from typing_extensions import TypedDict

from memory.consolidation import settled
from memory.remembering import Memory
from memory.sharing import Sharing
from nodes.hippocampus_state import HippocampusState, scope_of


class StoreUpdate(TypedDict):
    """What the node writes."""

    outcome: str
    reason: str


async def store(state: HippocampusState, *, memory: Memory, sharing: Sharing) -> StoreUpdate:
    """Store each accepted segment with its episodes in one transaction; twice is once.

    What its rule names is shared on the way.
    """
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
        await sharing.by_rule(scope_of(state), [draft["id"] for draft in verdict["drafts"]])
    return {"outcome": "done", "reason": f"{episodes} new episodes"}
