"""What the tool pipeline adds to a call, and whether safe calls really run side by side.

Both are measured at the executor of an open desk, with its product defaults: arguments checked,
limits, secrets masked, the result and its audit row committed to the database.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from configs.sections import ROLES
from configs.settings import load_settings
from evals.app_folder import write_expert
from evals.registry import Outcome, Request
from evals.scripted import ScriptedModel
from graph.session import open_desk
from tools.checking import CheckedCall
from tools.executor import Executor
from tools.spec import CallSite

PARALLEL: Final = 8
SLOW_S: Final = 0.2
SLOW_ROUNDS: Final = 5
ROUNDS: Final = 40
CALLS: Final = 20
KINDS: Final = ("async", "thread")


async def slow_async(*, number: int) -> dict[str, Any]:
    """A safe call of 200 ms that waits without blocking."""
    await asyncio.sleep(SLOW_S)
    return {"number": number}


def slow_thread(*, number: int) -> dict[str, Any]:
    """A safe call of 200 ms that blocks its thread."""
    time.sleep(SLOW_S)
    return {"number": number}


async def quick_async(*, number: int) -> dict[str, Any]:
    """A call that takes no time of its own."""
    return record(number)


def quick_thread(*, number: int) -> dict[str, Any]:
    """A call that takes no time of its own, in a thread."""
    return record(number)


def record(number: int) -> dict[str, Any]:
    """A result of a common size."""
    return {"id": f"INV-{number}", "customer": "Blue Harbor Foods", "amount": 120.5, "paid": False}


async def evaluate(request: Request) -> Outcome:
    """Time both at the executor of a desk in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(write_app(Path(folder) / "app"))
        models = {role: ScriptedModel(role=role, policy=None) for role in ROLES}
        async with open_desk(settings, models=models) as desk:
            executor = desk.services.executor
            side_by_side = {kind: await parallel_ms(executor, kind) for kind in KINDS}
            rounds = min(ROUNDS, request.limit or ROUNDS)
            added = {kind: await overhead_ms(executor, kind, rounds) for kind in KINDS}
    return Outcome(
        figures={
            "parallel_ms": round(max(side_by_side.values()), 1),
            "overhead_ms": round(max(added.values()), 3),
        },
        notes=(
            "the slower of calls that are async and calls that run in a thread",
            *(f"{kind}: {PARALLEL} calls of 200 ms in {side_by_side[kind]:.1f} ms, "
              f"{added[kind]:.3f} ms a call" for kind in KINDS),
            f"overhead: median of {rounds} experts' parts, each {CALLS} calls one after the other "
            "and the commit that its node waits for, divided by the calls",
        ),
    )  # fmt: skip


def write_app(folder: Path) -> Path:
    """An app whose expert has the tools of this file."""
    names = [f"{pace}_{kind}" for pace in ("slow", "quick") for kind in KINDS]
    return write_expert(
        folder, "clerk", [(name, f"{__name__}:{name}", "read_only", {}) for name in names]
    )


async def parallel_ms(executor: Executor, kind: str) -> float:
    """Wall time of a round of slow calls until their results are on disk; the median."""

    async def one_round(turn: int) -> None:
        calls = [_checked(executor, f"slow_{kind}", n, turn) for n in range(PARALLEL)]
        await asyncio.gather(
            *(executor.observe(call, n, _site(kind, turn)) for n, call in enumerate(calls))
        )
        await executor.flush()

    return await _median_ms(one_round, SLOW_ROUNDS)


async def overhead_ms(executor: Executor, kind: str, rounds: int) -> float:
    """Wall time a quick call takes, its share of the commit included; the median."""

    async def one_part(turn: int) -> None:
        for n in range(CALLS):
            call = _checked(executor, f"quick_{kind}", n, turn)
            await executor.observe(call, n, _site(kind, turn))
        await executor.flush()

    return await _median_ms(one_part, rounds) / CALLS


async def _median_ms(work: Callable[[int], Awaitable[None]], rounds: int) -> float:
    taken = []
    for turn in range(rounds):
        began = time.perf_counter()
        await work(turn)
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def _checked(executor: Executor, name: str, number: int, turn: int) -> CheckedCall:
    call = {"id": f"call_{number}", "name": name, "args": {"number": number}}
    checked = executor.check(call, _site(name, turn))  # type: ignore[arg-type]  # a ToolCall's keys
    if not isinstance(checked, CheckedCall):
        raise TypeError(checked["note"])
    return checked


def _site(name: str, turn: int) -> CallSite:
    return CallSite(
        tenant="default", user="clerk", teams=(), thread=f"default:{name}", turn_id=str(turn),
        expert="clerk",
    )  # fmt: skip
