"""What a node takes from State for a module's prompt."""

from collections.abc import Mapping
from typing import Any

from memory.compaction import Window
from memory.working import Shared
from state import State


def shared_of(state: Mapping[str, Any]) -> Shared:
    """The blocks that every module sees, from the main state or an expert's."""
    return {
        "summary": state["summary"],
        "done_before": state["done_before"],
        "done": state["done"],
        "constraints": state["constraints"],
        "history": state["history"],
        "memory": state["memory"],
        "turn": state["turn"],
    }


def window_of(state: State) -> Window:
    """What compaction folds."""
    return Window(
        history=state["history"],
        summary=state["summary"],
        done_before=state["done_before"],
        done=state["done"],
        constraints=state["constraints"],
    )


def today_of(state: Mapping[str, Any]) -> str:
    """The date of the turn, YYYY-MM-DD; a resumed turn keeps its own."""
    return str(state["turn"]["at"])[:10]
