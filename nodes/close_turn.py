"""Close the turn: its record joins the shared history, its transcript and outbox row are kept."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from memory.history import make_record
from memory.transcript import Transcript
from models.tokens import load
from nodes.context import context_of, thread_of
from state import Context, MemoryNote, State, Status, TurnRecord, Undo


class CloseTurnUpdate(TypedDict):
    """What the node writes."""

    history: list[TurnRecord]
    memory: MemoryNote
    status: Status
    undo: list[Undo]


async def close_turn(
    state: State,
    runtime: Runtime[Context],
    *,
    transcript: Transcript,
    output_cap_tokens: int,
) -> CloseTurnUpdate:
    """Commit the turn; running it again after a crash changes nothing."""
    await load()
    record = make_record(
        state["turn"],
        [item["name"] for item in state["plan"]["experts"]],
        state["findings"],
        state["answer"],
        output_cap_tokens,
    )
    if state["status"] == "FAILED":
        record["status"] = "failed"
    recalled = [one["id"] for one in state["memory"]["items"] if one["kind"] != "fact"]
    await transcript.close_turn(
        thread_of(runtime), context_of(runtime).scope, record, state["answer"], recalled
    )
    return {
        "history": [*state["history"], record],
        "memory": {**state["memory"], "facts": []},
        "status": "FAILED" if record["status"] == "failed" else "DONE",
        "undo": [],
    }
