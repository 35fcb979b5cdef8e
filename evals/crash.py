"""Kill -9 at every checkpoint write, ledger step and tool run; resume in another process.

Some steps of the ledger only a process takes that comes back: it looks an effect up, has a person
asked, or lets an effect go whose tool is gone or whose approval is too old. There an earlier
process is killed first, the one that comes back is killed at each of its points, and a third one
finishes. A turn that waits is also taken back; then the points are those of that.

A turn is lost unless it ends once with its answer; once a first checkpoint was stored, having to
send the message again counts as lost too, unless it was taken back. An effect is doubled when its
tool ran to the end more often than its arguments were approved, even where the tool itself would
have noticed; one that was edited, rejected, refused, taken back or left to expire must not have run
at all. Effects that cannot be looked up must have been put to a person, and have ended.
"""

import asyncio
import json
import signal
import tempfile
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol, get_args

from rich.progress import Progress

from evals.crash_job import RESULT, Job
from evals.crash_person import RAN
from evals.crash_points import LEDGER_STEPS, completed_runs, spread, was_taken
from evals.crash_scenarios import EARLIER_DEATHS, Name
from evals.errors import EvaluationFailed
from evals.registry import Outcome, Request
from evals.zygote import Zygote
from state import canonical_json
from tools.effects import MOVES

WORKERS = 2
TRAIL = "begin.trail"
SCENARIOS: Final[tuple[Name, ...]] = get_args(Name)
ALL_MOVES: Final = {f"{before}->{after}" for before, moves in MOVES.items() for after in moves}


class Worker(Protocol):
    """Runs jobs, each in a process of its own."""

    async def run(self, job: Job) -> int:
        """Run one; its exit code, or minus the signal that ended it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of a turn that was killed at one point."""

    point: str
    lost: bool
    doubled: int
    unsettled: int
    asked: int
    resent: bool
    transitions: frozenset[str] = frozenset()


async def evaluate(request: Request) -> Outcome:
    """Kill every turn at each of its points and judge what came back."""
    with tempfile.TemporaryDirectory() as folder, Progress(console=request.progress) as progress:
        base = Path(folder)
        workers = [
            await Zygote.start(request.data, base / f"errors-{n}.log") for n in range(WORKERS)
        ]
        try:
            jobs = [
                job for name in SCENARIOS for job in await _jobs(workers[0], name, base, request)
            ]
            verdicts = await _judge_all(workers, jobs, progress)
        finally:
            for worker in workers:
                await worker.stop()
    return Outcome(
        figures={
            "points": len(verdicts),
            "lost_turns": sum(verdict.lost for verdict in verdicts),
            "doubled_effects": sum(verdict.doubled for verdict in verdicts),
            "unsettled": sum(verdict.unsettled for verdict in verdicts),
            "unsettled_asked": sum(verdict.asked for verdict in verdicts),
        },
        notes=tuple(_notes(verdicts)),
    )


async def _jobs(worker: Worker, name: Name, base: Path, request: Request) -> list[Job]:
    """One job for each point that an undisturbed run of the scenario passes."""
    whole = Job(
        scenario=name,
        step="come_back" if name in EARLIER_DEATHS else "begin",
        data=str(request.data),
        data_dir=str(base / f"{name}-whole"),
    )
    await _die_earlier(worker, whole)
    if await worker.run(whole) != 0:
        raise EvaluationFailed(f"{name}: the undisturbed run failed:\n{_last_errors(base)}")
    result = json.loads((Path(whole.data_dir) / RESULT).read_text(encoding="utf-8"))
    if whole.step == "come_back" and (result["resent"] or not result["kept"]):
        raise EvaluationFailed(f"{name}: the turn was lost without a second kill")
    numbers = spread(result["points"], request.limit)
    return [replace(whole, data_dir=str(base / f"{name}-{n}"), kill_at=n) for n in numbers]


async def _die_earlier(worker: Worker, job: Job) -> None:
    """Kill the process before the job's own, where the scenario has one."""
    death = EARLIER_DEATHS.get(job.scenario)
    if death is None:
        return
    code = await worker.run(replace(job, step="begin", kill_at=death))
    if code != -signal.SIGKILL:
        wanted = f"{job.scenario}: wanted a process killed {death}"
        raise EvaluationFailed(f"{wanted}, came exit code {code}")


async def _judge_all(
    workers: Sequence[Zygote], jobs: Sequence[Job], progress: Progress
) -> list[Verdict]:
    waiting = list(reversed(jobs))
    verdicts: list[Verdict] = []
    bar = progress.add_task("points", total=len(jobs))

    async def work(worker: Zygote) -> None:
        while waiting:
            verdict = await judge(worker, waiting.pop())
            if verdict is not None:
                verdicts.append(verdict)
            progress.advance(bar)

    await asyncio.gather(*(work(worker) for worker in workers))
    return verdicts


async def judge(worker: Worker, job: Job) -> Verdict | None:
    """Kill one process at one point, and see what the next one makes of it.

    Args:
        worker: runs the processes, one after the other.
        job: of the process to be killed.

    Returns:
        The verdict on the point; None when the process ended before it.

    Raises:
        EvaluationFailed: a process ended in another way.
    """
    data_dir = Path(job.data_dir)
    await _die_earlier(worker, job)
    killed = await worker.run(job)
    trail = (data_dir / f"{job.step}.trail").read_text(encoding="utf-8")
    point = f"{job.scenario} {trail.splitlines()[-1]}"
    if killed == 0:  # writes run side by side, so a run can pass a point or two fewer
        return None
    if killed != -signal.SIGKILL:
        raise EvaluationFailed(f"{point}: wanted a killed process, came exit code {killed}")
    code = await worker.run(replace(job, step="come_back", kill_at=None))
    if code != 0:
        return Verdict(point=point, lost=True, doubled=0, unsettled=0, asked=0, resent=False)
    result = json.loads((data_dir / RESULT).read_text(encoding="utf-8"))
    ran = Counter(canonical_json(run["arguments"]) for run in completed_runs(data_dir / RAN))
    return Verdict(
        point=point,
        lost=not result["kept"] or (result["resent"] and was_taken(data_dir / TRAIL)),
        doubled=(ran - Counter(result["approved"])).total(),
        unsettled=len(result["unsettled"]),
        asked=len(set(result["unsettled"]) & set(result["settled"])),
        resent=result["resent"],
        transitions=frozenset(result["transitions"]),
    )


def _notes(verdicts: Sequence[Verdict]) -> list[str]:
    turns = Counter(verdict.point.partition(" ")[0] for verdict in verdicts)
    notes = [f"{turns[name]} points in the {name} turn" for name in SCENARIOS]
    resent = sum(verdict.resent for verdict in verdicts)
    notes.append(f"killed before the message was taken, so sent again: {resent}")
    notes += coverage([v.point for v in verdicts], {t for v in verdicts for t in v.transitions})
    bad = [v.point for v in verdicts if v.lost or v.doubled or v.unsettled != v.asked]
    return notes + [f"bad: {point}" for point in bad]


def coverage(points: Sequence[str], transitions: Collection[str]) -> list[str]:
    """At which steps of the ledger processes were killed, and which transitions rows have made."""
    killed = Counter(point.rpartition(" ")[2] for point in points)
    steps = ", ".join(f"{name} {killed[name]}" for name in LEDGER_STEPS)
    left = ", ".join(sorted(ALL_MOVES.difference(transitions))) or "none"
    return [
        f"kills by ledger step: {steps}",
        f"transitions made: {', '.join(sorted(transitions))}",
        f"transitions not made: {left}",
    ]


def _last_errors(base: Path) -> str:
    texts = [log.read_text(encoding="utf-8") for log in sorted(base.glob("errors-*.log"))]
    return "\n".join(text[-2000:] for text in texts)
