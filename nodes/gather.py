"""Fetch what a thread has said since its last consolidation, with the records of its turns."""

from typing import NotRequired, Protocol

from typing_extensions import TypedDict

from memory.segment_shapes import SourceMessage
from memory.transcript import Transcript
from nodes.hippocampus_state import HippocampusState
from state import TurnRecord

NOTHING_NEW = "everything up to there is consolidated"


class Placed(Protocol):
    """Knows what was consolidated before."""

    async def placed(self, thread: str) -> set[str]:
        """Ids of a thread's messages whose segment has ended."""


class GatherUpdate(TypedDict):
    """What the node writes."""

    messages: list[SourceMessage]
    records: list[TurnRecord]
    outcome: NotRequired[str]
    reason: NotRequired[str]


async def gather(
    state: HippocampusState, *, transcript: Transcript, segments: Placed
) -> GatherUpdate:
    """Read the transcript; what is in an ended segment is left out, what was rolled back is gone.

    The records are those of the whole thread: a correction may be about a turn of a segment that
    has ended.
    """
    thread = state["thread_id"]
    records = await transcript.records(thread)
    said = _up_to(await _messages(transcript, thread, records), state.get("upto_message_id", ""))
    placed = await segments.placed(thread)
    new = [message for message in said if message["id"] not in placed]
    if not new:
        return {"messages": [], "records": records, "outcome": "empty", "reason": NOTHING_NEW}
    return {"messages": new, "records": records}


async def _messages(
    transcript: Transcript, thread: str, records: list[TurnRecord]
) -> list[SourceMessage]:
    """A thread's messages; a turn that asked nobody continues with the experts before it."""
    agents: dict[str, list[str]] = {}
    agent: list[str] = []
    for record in records:
        agent = sorted(set(record["route"])) or agent
        agents[record["id"]] = agent
    return [
        SourceMessage(
            id=row.id,
            turn_id=row.turn_id,
            role="user" if row.role == "user" else "assistant",
            source=row.source,
            text=row.text,
            at=row.at,
            agent=agents.get(row.turn_id, []),
            position=position,
        )
        for position, row in enumerate(await transcript.messages(thread))
    ]


def _up_to(messages: list[SourceMessage], last: str) -> list[SourceMessage]:
    """The messages up to one; all of them when it is not there any more."""
    for at, message in enumerate(messages):
        if message["id"] == last:
            return messages[: at + 1]
    return messages
