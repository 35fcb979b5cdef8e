"""Hand the closed turn to the background; the work itself is the Hippocampus graph's."""

from collections.abc import Callable

from typing_extensions import TypedDict

from state import State


class HippocampusUpdate(TypedDict):
    """The node writes nothing: the outbox row was committed with the turn."""


async def hippocampus(state: State, *, wake: Callable[[], None]) -> HippocampusUpdate:
    """Tell the background that the outbox has a row."""
    wake()
    return {}
