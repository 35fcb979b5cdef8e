"""Draft the episodes of each segment; what was sent back is drafted again, with the feedback."""

from typing_extensions import TypedDict

from memory.consolidation import Drafted, settled
from memory.drafting import Drafter
from nodes.hippocampus_state import HippocampusState, scope_of


class DraftUpdate(TypedDict):
    """What the node writes."""

    drafted: list[Drafted]
    tries: int


async def draft(state: HippocampusState, *, drafter: Drafter, max_tries: int) -> DraftUpdate:
    """Draft all segments at the first visit, later those with feedback; the others stay.

    The last try is worded by rules, so that nothing is lost to a model that cannot word it.
    """
    tries = state.get("tries", 0) + 1
    sent_back = settled(state.get("verdicts", []), "feedback")
    back = {one["segment_id"]: one["reason"] for one in sent_back}
    kept = {one["segment_id"]: one for one in state.get("drafted", [])}
    drafted: list[Drafted] = []
    for segment in state["segments"]:
        key = segment["id"]
        if key in kept and key not in back:
            drafted.append(kept[key])
            continue
        drafted.append(
            await drafter.draft(
                scope_of(state),
                state["thread_id"],
                segment,
                state["messages"],
                state["records"],
                back.get(key, ""),
                plain=1 < tries >= max_tries,
            )
        )
    return {"drafted": drafted, "tries": tries}
