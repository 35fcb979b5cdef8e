"""Where a child process can be killed: around every checkpoint write, ledger step and tool run.

The classes are wrapped in the child, before it opens its desk; nothing of this is in the product.
"""

import functools
import importlib
import inspect
import json
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from evals.tau.records import Record
from graph.quick_saver import QuickSqliteSaver
from tools.ledger import Ledger

FIRST_KEPT = "after aput"
CHECKPOINT_WRITES = ("aput", "aput_writes")
LEDGER_READS = ("get", "rows", "pending")
LEDGER_STEPS = tuple(
    name
    for name, member in vars(Ledger).items()
    if inspect.iscoroutinefunction(member) and name[0] != "_" and name not in LEDGER_READS
)
AsyncMethod = Callable[..., Awaitable[Any]]


class Points:
    """Counts the points a run passes and kills the process at one of them."""

    def __init__(self, kill_at: int | str | None, trail: Path) -> None:
        """Kill at one point; None only counts.

        Args:
            kill_at: the number of the point, counted from 1, or the name of the first such point.
            trail: a file that gets a line for each point, before the kill.
        """
        self._kill_at = kill_at
        self._trail = trail
        self._lock = threading.Lock()
        self._open = False
        self.passed = 0

    def open(self) -> None:
        """Count from now on; what was reached before is not a point."""
        self._open = True

    def reach(self, name: str) -> None:
        """Pass a point, or end here without any clean-up."""
        if not self._open:
            return
        with self._lock:
            self.passed += 1
            with self._trail.open("a", encoding="utf-8") as trail:
                trail.write(f"{self.passed} {name}\n")
            if self._kill_at in (self.passed, name):
                os.kill(os.getpid(), signal.SIGKILL)


def install(points: Points, ran: Path, effects: Iterable[str]) -> None:
    """Put points before and after every checkpoint write, ledger step and tool run.

    Args:
        points: what is told.
        ran: a file that gets a JSON line for each completed run of an effect.
        effects: the tool functions that are effects, as `module:function`.
    """
    for name in CHECKPOINT_WRITES:
        _wrap(QuickSqliteSaver, name, points)
    for name in LEDGER_STEPS:
        _wrap(Ledger, name, points)
    for reference in effects:
        module, _, function = reference.partition(":")
        _wrap_effect(importlib.import_module(module), function, points, ran)


def _wrap(owner: type, name: str, points: Points) -> None:
    original: AsyncMethod = getattr(owner, name)

    @functools.wraps(original)
    async def wrapped(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passes all through
        points.reach(f"before {name}")
        result = await original(*args, **kwargs)
        points.reach(f"after {name}")
        return result

    setattr(owner, name, wrapped)


def _wrap_effect(module: ModuleType, name: str, points: Points, ran: Path) -> None:
    original: Callable[..., Any] = getattr(module, name)

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passes all through
        points.reach(f"before {name}")
        result = original(*args, **kwargs)
        said = {key: value for key, value in kwargs.items() if key != "context"}
        with ran.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"tool": name, "arguments": said}) + "\n")
        points.reach(f"after {name}")
        return result

    setattr(module, name, wrapped)


def spread(points: int, limit: int | None) -> list[int]:
    """The numbers of the points, or with a limit so many of them from beginning to end."""
    if limit is None or limit >= points:
        return list(range(1, points + 1))
    return [1 + number * points // limit for number in range(limit)]


def was_taken(trail: Path) -> bool:
    """Whether a first checkpoint was stored, after which the message may not be lost."""
    lines = trail.read_text(encoding="utf-8").splitlines()
    return any(line.partition(" ")[2] == FIRST_KEPT for line in lines)


def completed_runs(ran: Path) -> list[Record]:
    """Tool and arguments of each completed run, oldest first."""
    if not ran.exists():
        return []
    return [json.loads(line) for line in ran.read_text(encoding="utf-8").splitlines()]
