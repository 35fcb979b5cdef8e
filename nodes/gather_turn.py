"""Fetch the closed turn whose item and facts are to be kept."""

from typing_extensions import TypedDict

from memory.transcript import Transcript
from nodes.hippocampus_state import RefinementState
from state import TurnRecord


class GatherTurnUpdate(TypedDict):
    """What the node writes."""

    records: list[TurnRecord]


async def gather_turn(state: RefinementState, *, transcript: Transcript) -> GatherTurnUpdate:
    """Read the turn from the transcript; one that was rolled back is not there any more."""
    records = await transcript.records(state["thread_id"])
    wanted = state.get("turn_id", "")
    return {"records": [record for record in records if wanted in ("", record["id"])]}
