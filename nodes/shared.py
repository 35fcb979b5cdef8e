"""What a node takes from State for a module's prompt."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from configs.clock import ClockSettings
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


def today_of(state: Mapping[str, Any], calendar: ClockSettings) -> str:
    """The app's day of the turn, YYYY-MM-DD; a resumed turn keeps its own."""
    return calendar.day_of(datetime.fromisoformat(state["turn"]["at"])).isoformat()
