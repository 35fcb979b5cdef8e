"""Hand the closed turn to the background; the work itself is the Hippocampus graph's."""

from collections.abc import Callable

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.context import thread_of
from state import Context, State


class HippocampusUpdate(TypedDict):
    """The node writes nothing: the outbox row was committed with the turn."""


async def hippocampus(
    state: State, runtime: Runtime[Context], *, wake: Callable[[str], None]
) -> HippocampusUpdate:
    """Tell the background that the outbox has rows of this thread."""
    wake(thread_of(runtime))
    return {}
