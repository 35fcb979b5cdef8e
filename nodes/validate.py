"""Check each segment's drafts against what was said and done."""

from typing_extensions import TypedDict

from memory.artifacts import Artifacts
from memory.consolidation import Occasion, Verdict, last_of
from memory.validation import Sources, Validator
from nodes.hippocampus_state import HippocampusState, scope_of


class ValidateUpdate(TypedDict):
    """What the node writes."""

    verdicts: list[Verdict]


async def validate(
    state: HippocampusState, *, validator: Validator, artifacts: Artifacts
) -> ValidateUpdate:
    """Accept, discard with a reason, or send back with feedback; what is accepted stays so."""
    before = {one["segment_id"]: one for one in state.get("verdicts", [])}
    sources = Sources(
        messages={message["id"]: message for message in state["messages"]},
        turns={record["id"]: record for record in state["records"]},
        artifacts=await _existing(state, artifacts),
    )
    about = _occasions(state)
    verdicts: list[Verdict] = []
    for drafted in state["drafted"]:
        key = drafted["segment_id"]
        known = before.get(key)
        if known is not None and known["verdict"] in ("accept", "discard"):
            verdicts.append(known)
        else:
            verdicts.append(await validator.validate(drafted, sources, about[key]))
    return {"verdicts": verdicts}


def _occasions(state: HippocampusState) -> dict[str, Occasion]:
    """By segment, the last turn of it."""
    turns = {record["id"]: record for record in state["records"]}
    return {
        segment["id"]: last_of(
            state["thread_id"], [turns[key] for key in segment["turn_ids"] if key in turns]
        )
        for segment in state["segments"]
    }


async def _existing(state: HippocampusState, artifacts: Artifacts) -> set[str]:
    """Those of the cited artifacts that the log has."""
    cited = {
        key for drafted in state["drafted"] for one in drafted["drafts"] for key in one["artifacts"]
    }
    return await artifacts.existing(scope_of(state), cited)
