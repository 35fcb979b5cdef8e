"""Real parts for the tests of this room: a clock to set, specs from functions, calls."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from state import Scope, ToolCall
from tools.signatures import Place, argument_model
from tools.spec import CallSite, ToolSpec

THREAD = "default:t1"
SITE = CallSite(
    tenant="default", user="ada", teams=("support",), thread=THREAD, turn_id="u1", expert="billing"
)
ADA = Scope(user="ada", teams=("support",))
BEN = Scope(user="ben", teams=("finance",))
HOUR_S = 3600.0
ON_BOTH = pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
"""A test of what both databases must do alike."""


class SetClock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 6, 30, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def spec_of(function: Callable[..., Any], **parts: Any) -> ToolSpec:  # noqa: ANN401 - any field
    """A billing tool around a function."""
    values = {"name": function.__name__, "expert": "billing", "description": "A tool.", **parts}
    model = argument_model(function, values["name"], Place("test", "tools"))
    return ToolSpec(arguments=model, function=function, **values)


def a_call(name: str = "pay", call_id: str = "call_1", **args: Any) -> ToolCall:  # noqa: ANN401 - JSON
    """A call as a model makes it."""
    return {"id": call_id, "name": name, "args": args}


def accept(_tool: str, args: dict[str, Any]) -> dict[str, Any]:
    """An edit check that takes everything."""
    return args
