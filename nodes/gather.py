"""Fetch the closed turns that are to become memory."""

from typing_extensions import TypedDict

from memory.transcript import Transcript
from nodes.hippocampus_state import HippocampusState
from state import TurnRecord


class GatherUpdate(TypedDict):
    """What the node writes."""

    records: list[TurnRecord]


async def gather(state: HippocampusState, *, transcript: Transcript) -> GatherUpdate:
    """Read the turns from the transcript; one that was rolled back is not there any more."""
    records = await transcript.records(state["thread_id"])
    wanted = state["turn_id"]
    return {"records": [record for record in records if wanted in ("", record["id"])]}
