"""Where the background can be killed: nodes, outbox, steps of the durable engine, commits.

The functions are wrapped in the child, before it opens its desk; nothing of this is in the product.
"""

import functools
from collections.abc import Awaitable, Callable
from typing import Any, Final

from dbos._sys_db import SystemDatabase
from sqlalchemy import Connection

import graph.hippocampus as wiring
from evals.crash_points import Points
from graph.durable import Engine
from memory.database import Database
from memory.outbox import Outbox

NODES: Final = (
    "gather_turn",
    "refine",
    "gather",
    "segment",
    "classify",
    "draft",
    "validate",
    "store",
    "discard",
)
ENGINE_WRITES: Final = (
    "init_workflow",
    "debounce_delayed_workflow",
    "record_operation_result",
    "update_workflow_outcome",
    "reenqueue_for_recovery",
)
AsyncCall = Callable[..., Awaitable[Any]]
Call = Callable[..., Any]


def install(points: Points) -> None:
    """Put points before and after each of them, and into every transaction before its commit."""
    for name in NODES:
        setattr(wiring, name, _around(getattr(wiring, name), f"node {name}", points))
    Outbox.settle = _around(Outbox.settle, "outbox settle", points)  # type: ignore[method-assign]
    Engine.run = _around_call(Engine.run, "engine step", points)  # type: ignore[method-assign]
    for name in ENGINE_WRITES:
        wrapped = _around_call(getattr(SystemDatabase, name), f"engine {name}", points)
        setattr(SystemDatabase, name, wrapped)
    _after_dequeue(points)
    _in_commits(points)


def _around(original: AsyncCall, name: str, points: Points) -> Any:  # noqa: ANN401 - as it was
    @functools.wraps(original)
    async def wrapped(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passes all through
        points.reach(f"before {name}")
        result = await original(*args, **kwargs)
        points.reach(f"after {name}")
        return result

    return wrapped


def _around_call(original: Call, name: str, points: Points) -> Any:  # noqa: ANN401 - as it was
    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passes all through
        points.reach(f"before {name}")
        result = original(*args, **kwargs)
        points.reach(f"after {name}")
        return result

    return wrapped


def _after_dequeue(points: Points) -> None:
    """The engine looks into its queues all the time; a point is only where it found something."""
    original: Call = SystemDatabase.start_queued_workflows

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passes all through
        found = original(*args, **kwargs)
        if found:
            points.reach("after engine dequeue")
        return found

    SystemDatabase.start_queued_workflows = wrapped  # type: ignore[method-assign]


def _in_commits(points: Points) -> None:
    original: AsyncCall = Database.write

    @functools.wraps(original)
    async def wrapped(self: Database, work: Callable[[Connection], Any]) -> Any:  # noqa: ANN401 - passes all through
        def counted(conn: Connection) -> Any:  # noqa: ANN401 - passes all through
            result = work(conn)
            points.reach("before commit")
            return result

        result = await original(self, counted)
        points.reach("after commit")
        return result

    Database.write = wrapped  # type: ignore[method-assign]
