"""Fold old turns into the summary and the done-list, after the answer has been given."""

from langchain_core.messages import RemoveMessage
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from memory.compaction import FoldPlan, fold
from memory.folding import Folding
from memory.nearness import Nearness
from nodes.context import context_of, thread_of
from nodes.shared import window_of
from state import Context, DoneItem, State, TurnRecord


class CompactUpdate(TypedDict):
    """What the node writes."""

    messages: list[RemoveMessage]
    history: list[TurnRecord]
    summary: str
    done_before: str
    done: list[DoneItem]
    constraints: list[str]


async def compact(
    state: State,
    runtime: Runtime[Context],
    *,
    folding: Folding,
    plan: FoldPlan,
    nearness: Nearness | None,
    by_model: bool,
) -> CompactUpdate:
    """Shorten the shared history in one big step, once its way into memory is durably queued."""
    window = window_of(state)
    near = await nearness.of(window.history) if nearness else {}
    folded = fold(window, plan, near)
    scope = context_of(runtime).scope
    await folding.commit(thread_of(runtime), scope, window, folded.turn_ids, by_model=by_model)
    removed = state["messages"][: -2 * max(1, len(folded.history))]
    return {
        "messages": [RemoveMessage(id=message.id) for message in removed if message.id],
        "history": folded.history,
        "summary": folded.summary,
        "done_before": folded.done_before,
        "done": folded.done,
        "constraints": folded.constraints,
    }
