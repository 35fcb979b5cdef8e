"""Who runs this turn, on which thread: read from the runtime, with safe defaults."""

from langgraph.config import get_config
from langgraph.constants import CONFIG_KEY_CHECKPOINTER
from langgraph.runtime import Runtime

from state import Context
from tools.spec import CallSite


def context_of(runtime: Runtime[Context]) -> Context:
    """The run's Context; Studio may send none, then the local user's."""
    return runtime.context if runtime.context is not None else Context()


def thread_of(runtime: Runtime[Context]) -> str:
    """LangGraph's thread_id of this run.

    Raises:
        RuntimeError: the graph runs without a thread_id or a checkpointer, so that a pause could
            never be resumed.
    """
    info = runtime.execution_info
    thread = info.thread_id if info is not None else None
    saver = get_config().get("configurable", {}).get(CONFIG_KEY_CHECKPOINTER)
    if thread is None or not saver:
        message = (
            f"wanted a run with a thread_id and a checkpointer, came thread_id {thread!r} and "
            f"checkpointer {saver!r}; compile the graph with a saver, and run it on a thread"
        )
        raise RuntimeError(message)
    return thread


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
