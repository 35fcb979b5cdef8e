"""Who runs this turn, on which thread: read from the runtime, with safe defaults."""

from langgraph.runtime import Runtime

from state import Context
from tools.spec import CallSite


def context_of(runtime: Runtime[Context]) -> Context:
    """The run's Context; Studio may send none, then the local user's."""
    return runtime.context if runtime.context is not None else Context()


def thread_of(runtime: Runtime[Context]) -> str:
    """LangGraph's thread_id of this run.

    Raises:
        RuntimeError: the graph runs without a checkpointer, so nothing could be resumed.
    """
    info = runtime.execution_info
    if info is None or info.thread_id is None:
        message = "wanted a run with a thread_id and a checkpointer, came one without"
        raise RuntimeError(message)
    return info.thread_id


def site_of(runtime: Runtime[Context], turn_id: str, expert: str) -> CallSite:
    """Where a tool call comes from."""
    context = context_of(runtime)
    return CallSite(
        tenant=context.tenant,
        user=context.user,
        teams=tuple(context.teams),
        thread=thread_of(runtime),
        turn_id=turn_id,
        expert=expert,
    )
