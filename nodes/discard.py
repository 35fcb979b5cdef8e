"""Write down why segments are no episodes; those nobody could work on stay open."""

from collections import Counter

from typing_extensions import TypedDict

from memory.consolidation import settled
from memory.remembering import Memory
from nodes.hippocampus_state import HippocampusState, scope_of


class DiscardUpdate(TypedDict):
    """What the node writes."""

    outcome: str
    reason: str


async def discard(state: HippocampusState, *, memory: Memory) -> DiscardUpdate:
    """End the discarded segments with their reason.

    A segment whose extractor or judge could not be asked keeps its messages open, and the job has
    failed, or waits for the end of an outage: that is never "nothing to remember".
    """
    segments = {segment["id"]: segment for segment in state["segments"]}
    verdicts = state.get("verdicts", [])
    reasons = Counter[str]()
    for verdict in [*settled(verdicts, "discard"), *settled(verdicts, "feedback")]:
        reason = verdict["reason"]
        if verdict["verdict"] == "feedback":
            reason = f"not valid after {state.get('tries', 1)} tries: {reason}"
        segment = segments[verdict["segment_id"]]
        await memory.remember_segment(scope_of(state), state["thread_id"], segment, (), reason)
        reasons[reason] += 1
    for kind in ("waits", "failed"):
        if unasked := settled(verdicts, kind):
            return {"outcome": kind, "reason": unasked[0]["reason"]}
    said = "; ".join(f"{reason} ({times})" for reason, times in reasons.most_common(3))
    return {"outcome": "empty", "reason": said}
