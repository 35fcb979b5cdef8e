"""Find what past sessions know about this question and quote it for the modules."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from memory.recall import Recall
from nodes.context import context_of, thread_of
from state import Context, MemoryNote, State, empty_note


class RecallUpdate(TypedDict):
    """What the node writes."""

    memory: MemoryNote


async def recall(
    state: State,
    runtime: Runtime[Context],
    *,
    memory: Recall | None,
) -> RecallUpdate:
    """Write the Memory Message; memory fails open, so a fault is a note and not a stop."""
    if memory is None:
        return {"memory": empty_note("recall is switched off")}
    note = await memory.recall(
        context_of(runtime).scope,
        state["turn"]["text"],
        thread=thread_of(runtime),
        seen_turns={record["id"] for record in state["history"]},
    )
    return {"memory": note}
