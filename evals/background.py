"""A user's turns while a worker consolidates other conversations, and that worker's memory.

The worker is the product's own command, a process of its own. Runs of turns alternate: the worker
idle, the worker with a share of the conversations to consolidate. Between turns the user pauses, as
people do; without a pause the worker, which gives way, would hardly work at all. The model answers
at once, so a turn is the desk's own work: recall, routing, tools, checkpoints, history.
"""

import asyncio
import os
import signal
import statistics
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rich.progress import Progress, TaskID

from configs.sections import ROLES
from configs.settings import Settings, load_settings
from evals.background_load import Load
from evals.errors import EvaluationFailed
from evals.registry import Outcome, Request
from evals.scripted import ScriptedModel
from evals.sgd_dialogues import load_dialogues
from evals.workload import WorkScript, WorkTurn, work_turns, write_work_app
from graph.session import Desk, open_desk

CONVERSATIONS: Final = 1000
TURNS: Final = 200
PAIRS: Final = 3
WARM_UP: Final = 5
THINK_S: Final = 0.25
POLL_S: Final = 0.5
STUCK_S: Final = 300.0
WARM_SHARE: Final = 0.1


@dataclass(slots=True)
class Course:
    """What was measured: seconds of each turn by run, and the worker's memory in megabytes."""

    idle: list[list[float]] = field(default_factory=list)
    busy: list[list[float]] = field(default_factory=list)
    rss_mb: list[tuple[int, float]] = field(default_factory=list)


async def evaluate(request: Request) -> Outcome:
    """Play the pairs of runs, then let the worker finish."""
    conversations = request.limit or CONVERSATIONS
    turns = work_turns(min(TURNS, conversations))
    course = Course()
    with tempfile.TemporaryDirectory() as folder, Progress(console=request.progress) as progress:
        app = write_work_app(Path(folder) / "app")
        settings = load_settings(app, recall={"enabled": True})
        bar = progress.add_task("conversations", total=conversations)
        async with Load.open(settings) as load:
            await load.write(load_dialogues(request.data, conversations), request.data)
            async with _worker(app, settings) as process:
                watch = Watch(process, load, course, progress, bar)
                await _play_pairs(settings, load, turns, watch)
            ended = await load.ended()
    return Outcome(figures=figures(course, conversations), notes=tuple(_notes(course, ended)))


async def _play_pairs(
    settings: Settings, load: Load, turns: Sequence[WorkTurn], watch: "Watch"
) -> None:
    script = WorkScript(handover=False)
    models = {role: ScriptedModel(role=role, policy=script) for role in ROLES}
    async with open_desk(settings, models=models) as desk:
        await _talk(desk, script, "warm-up", turns[:WARM_UP])
        for pair in range(PAIRS):
            await watch.until_idle()
            watch.course.idle.append(await _talk(desk, script, f"idle-{pair}", turns))
            await watch.until_idle()
            await load.release(PAIRS - pair)
            watching = asyncio.create_task(watch.until_idle())
            watch.course.busy.append(await _talk(desk, script, f"busy-{pair}", turns))
            await watching


async def _talk(
    desk: Desk, script: WorkScript, thread: str, turns: Sequence[WorkTurn]
) -> list[float]:
    """Seconds of each turn of a new thread.

    Raises:
        EvaluationFailed: a turn has another answer than the script's.
    """
    spent = []
    for turn in turns:
        await asyncio.sleep(THINK_S)
        script.turn = turn
        started = time.perf_counter()
        reply = await desk.ask(thread=thread, user="local", text=turn.question)
        spent.append(time.perf_counter() - started)
        if reply.text != turn.answer:
            raise EvaluationFailed(f"wanted the answer {turn.answer[:60]!r}, came {reply!r}")
    return spent


@dataclass(frozen=True, slots=True)
class Watch:
    """Looks after the worker: how much it has done, and how much memory it takes."""

    process: Process
    load: Load
    course: Course
    progress: Progress
    bar: TaskID

    async def until_idle(self) -> None:
        """Wait until nothing that is due waits, noting the worker's memory on the way.

        Raises:
            EvaluationFailed: the worker has ended, or does not get on.
        """
        last, moved = -1, time.monotonic()
        while (left := await self.load.waiting()) > 0:
            done = await self.load.consolidated()
            self.progress.update(self.bar, completed=done)
            if self.process.returncode is not None or time.monotonic() - moved > STUCK_S:
                raise EvaluationFailed(f"wanted a worker that gets on, {left} jobs are left")
            if left != last:
                last, moved = left, time.monotonic()
            self.course.rss_mb.append((done, await _rss_mb(self.process.pid)))
            await asyncio.sleep(POLL_S)
        done = await self.load.consolidated()
        self.course.rss_mb.append((done, await _rss_mb(self.process.pid)))


@asynccontextmanager
async def _worker(app: Path, settings: Settings) -> AsyncIterator[Process]:
    """The product's worker over the app, until the end of the block.

    Raises:
        EvaluationFailed: it does not end as it should.
    """
    command = (sys.executable, "-c", "from graph.cli import main; main()", "worker")
    process = await asyncio.create_subprocess_exec(
        *command,
        "--app",
        str(app),
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "HIPPOGRAPH_DATA_DIR": str(settings.data_dir)},
        stdout=PIPE,
        stderr=DEVNULL,
    )
    try:
        if process.stdout is None or not await process.stdout.readline():
            raise EvaluationFailed("wanted a worker that waits for work, came one that ended")
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        code = await process.wait()
    if code != 0:
        raise EvaluationFailed(f"wanted a worker that ends at SIGTERM, came exit code {code}")


async def _rss_mb(pid: int) -> float:
    asked = await asyncio.create_subprocess_exec("ps", "-o", "rss=", "-p", str(pid), stdout=PIPE)
    said, _ = await asked.communicate()
    return int(said or b"0") / 1024


def figures(course: Course, conversations: int) -> dict[str, float]:
    """The median of the pairs' ratios; memory once everything is loaded, and at the end."""
    ratios = [p95(busy) / p95(idle) for busy, idle in zip(course.busy, course.idle, strict=True)]
    warm = [mb for done, mb in course.rss_mb if done >= WARM_SHARE * conversations]
    return {
        "turn_p95_ratio": round(statistics.median(ratios), 3),
        "rss_mb_start": round(warm[0], 1),
        "rss_mb_end": round(warm[-1], 1),
    }


def p95(values: Sequence[float]) -> float:
    """The value that 95 of 100 do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]


def _notes(course: Course, ended: dict[str, int]) -> list[str]:
    notes = [
        f"{name}: p95 " + ", ".join(f"{1000 * p95(run):.1f}" for run in runs)
        + " ms, median " + ", ".join(f"{1000 * statistics.median(run):.1f}" for run in runs) + " ms"
        for name, runs in (("worker idle", course.idle), ("worker busy", course.busy))
    ]  # fmt: skip
    shown = ", ".join(f"{count} {state}" for state, count in sorted(ended.items()))
    return [*notes, f"consolidations: {shown}"]
