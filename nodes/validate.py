"""Check each segment's drafts against what was said and done."""

from typing_extensions import TypedDict

from memory.artifacts import Artifacts
from memory.consolidation import Verdict
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
    verdicts: list[Verdict] = []
    for drafted in state["drafted"]:
        known = before.get(drafted["segment_id"])
        if known is not None and known["verdict"] in ("accept", "discard"):
            verdicts.append(known)
        else:
            verdicts.append(await validator.validate(drafted, sources))
    return {"verdicts": verdicts}


async def _existing(state: HippocampusState, artifacts: Artifacts) -> set[str]:
    """Those of the cited artifacts that the log has."""
    cited = {
        key for drafted in state["drafted"] for one in drafted["drafts"] for key in one["artifacts"]
    }
    return await artifacts.existing(scope_of(state), cited)
