"""Kill -9 at every step of every stage of the background; another process finishes the work.

The undisturbed run says which episodes there are to be. After each kill and return, each of them
must be there once, and every message of the thread in exactly one segment that has ended.
"""

import asyncio
import json
import signal
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.progress import Progress

from evals.crash_job import RESULT, Job
from evals.crash_points import spread
from evals.errors import EvaluationFailed
from evals.registry import Outcome, Request
from evals.zygote import Zygote

WORKERS = 4  # they mostly wait for the engine to look into its queues


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of the memory of a conversation that was killed at one point."""

    point: str
    lost: int
    doubled: int
    messages_lost: int


async def evaluate(request: Request) -> Outcome:
    """Kill the background at each of its points and look at what another process made of it."""
    with tempfile.TemporaryDirectory() as folder, Progress(console=request.progress) as progress:
        base = Path(folder)
        workers = [
            await Zygote.start(request.data, base / f"errors-{n}.log") for n in range(WORKERS)
        ]
        try:
            expected, jobs = await _undisturbed(workers[0], base, request)
            verdicts = await _judge_all(workers, jobs, expected, progress)
        finally:
            for worker in workers:
                await worker.stop()
    return Outcome(figures=figures(verdicts, expected), notes=tuple(_notes(verdicts)))


def figures(verdicts: Sequence[Verdict], expected: Mapping[str, int]) -> dict[str, int]:
    """The sums over all points; `episodes_expected` counts each point's episodes."""
    return {
        "points": len(verdicts),
        "episodes_expected": len(verdicts) * sum(expected.values()),
        "episodes_lost": sum(verdict.lost for verdict in verdicts),
        "episodes_doubled": sum(verdict.doubled for verdict in verdicts),
        "messages_lost": sum(verdict.messages_lost for verdict in verdicts),
    }


async def _undisturbed(
    worker: Zygote, base: Path, request: Request
) -> tuple[Counter[str], list[Job]]:
    """What an undisturbed run remembers, and one job for each point that it passes."""
    whole = Job(
        scenario="hippocampus",
        step="begin",
        data=str(request.data),
        data_dir=str(base / "whole"),
    )
    if await worker.run(whole) != 0:
        raise EvaluationFailed(f"the undisturbed run failed:\n{_last_errors(base)}")
    result = json.loads((Path(whole.data_dir) / RESULT).read_text(encoding="utf-8"))
    expected = Counter[str](result["episodes"])
    if not expected or result["lost"]:
        raise EvaluationFailed(f"wanted episodes and no message lost, came {result}")
    numbers = spread(result["points"], request.limit)
    return expected, [replace(whole, data_dir=str(base / f"point-{n}"), kill_at=n) for n in numbers]


async def _judge_all(
    workers: Sequence[Zygote], jobs: Sequence[Job], expected: Counter[str], progress: Progress
) -> list[Verdict]:
    waiting = list(reversed(jobs))
    verdicts: list[Verdict] = []
    bar = progress.add_task("points", total=len(jobs))

    async def work(worker: Zygote) -> None:
        while waiting:
            verdict = await _judge(worker, waiting.pop(), expected)
            if verdict is not None:
                verdicts.append(verdict)
            progress.advance(bar)

    await asyncio.gather(*(work(worker) for worker in workers))
    return verdicts


async def _judge(worker: Zygote, job: Job, expected: Counter[str]) -> Verdict | None:
    """The verdict on one point; None when the run ended before it."""
    data_dir = Path(job.data_dir)
    killed = await worker.run(job)
    trail = (data_dir / "begin.trail").read_text(encoding="utf-8").splitlines()
    if killed == 0:  # threads run side by side, so a run can pass a point or two fewer
        return None
    if killed != -signal.SIGKILL:
        raise EvaluationFailed(f"{trail[-1:]}: wanted a killed process, came exit code {killed}")
    if await worker.run(replace(job, step="come_back", kill_at=None)) != 0:
        lost = sum(expected.values())
        return Verdict(point=trail[-1], lost=lost, doubled=0, messages_lost=1)
    result = json.loads((data_dir / RESULT).read_text(encoding="utf-8"))
    return judge(trail[-1], expected, Counter(result["episodes"]), len(result["lost"]))


def judge(point: str, expected: Counter[str], found: Counter[str], messages_lost: int) -> Verdict:
    """Which episodes are missing, and which are there too often or were never to be."""
    return Verdict(
        point=point,
        lost=(expected - found).total(),
        doubled=(found - expected).total(),
        messages_lost=messages_lost,
    )


def _notes(verdicts: Sequence[Verdict]) -> list[str]:
    kinds = Counter(verdict.point.partition(" ")[2] for verdict in verdicts)
    notes = [f"{len(kinds)} kinds of points: " + ", ".join(sorted(kinds))]
    bad = [v for v in verdicts if v.lost or v.doubled or v.messages_lost]
    return notes + [f"bad: {v}" for v in bad]


def _last_errors(base: Path) -> str:
    texts = [log.read_text(encoding="utf-8") for log in sorted(base.glob("errors-*.log"))]
    return "\n".join(text[-2000:] for text in texts)
