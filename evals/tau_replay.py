"""tau-bench replayed through the desk: every call asked for by a model, checked, approved, run.

The ground truth of 165 tasks must leave exactly the expected records; 200 recorded conversations,
the mistakes of their model included, must earn exactly the recorded reward.
"""

import tempfile
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.progress import Progress

from configs.settings import load_settings
from evals.registry import Outcome, Request
from evals.tau.app import write_app
from evals.tau.replay import Script, Turn, calls_made, play, records_after, turns_of
from evals.tau.tasks import DOMAINS, Run, Task, goal, load_domain, load_runs, load_tasks, reward
from graph.session import Desk, open_desk


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A desk over one domain, its script and where its tools keep what they changed."""

    desk: Desk
    script: Script
    domain: str
    data: Path
    data_dir: Path

    @property
    def tables(self) -> Path:
        """The folder of the domain's tables."""
        return (self.data / "tau_bench" / self.domain).resolve()


@dataclass(frozen=True, slots=True)
class Score:
    """How many were replayed, how many were right, and which calls failed as they should."""

    total: int
    right: int
    wrong: tuple[str, ...] = ()
    errors_right: int = 0


@asynccontextmanager
async def open_stage(domain: str, data: Path, folder: Path) -> AsyncIterator[Stage]:
    """Open a desk whose only expert has the tools of a domain."""
    settings = load_settings(write_app(folder / domain, domain, data))
    script = Script(domain)
    async with open_desk(settings, models=script.models()) as desk:
        yield Stage(desk=desk, script=script, domain=domain, data=data, data_dir=settings.data_dir)


async def evaluate(request: Request) -> Outcome:
    """Replay both domains and the recorded runs."""
    scores: dict[str, Score] = {}
    with tempfile.TemporaryDirectory() as folder, Progress(console=request.progress) as progress:
        for domain in DOMAINS:
            async with open_stage(domain, request.data, Path(folder)) as stage:
                tasks = load_tasks(request.data, domain)[: request.limit]
                scores[domain] = await replay_tasks(stage, tasks, progress)
                if domain == "airline":
                    runs = load_runs(request.data)[: request.limit]
                    scores["recorded"] = await replay_runs(stage, runs, progress)
    return Outcome(
        figures={
            f"{name}_{key}": value
            for name, score in scores.items()
            for key, value in (("ok", score.right), ("total", score.total))
        },
        notes=tuple(_notes(scores)),
    )


async def replay_tasks(stage: Stage, tasks: Sequence[Task], progress: Progress) -> Score:
    """Replay ground-truth actions, one turn a task, and compare the changed records."""
    bar = progress.add_task(f"{stage.domain} tasks", total=len(tasks))
    wrong, errors_right = [], 0
    for task in tasks:
        thread = f"task-{task.index}"
        await play(stage.desk, stage.script, thread, Turn(task.instruction, task.actions))
        after = records_after(stage.data_dir, stage.tables, thread)
        if after.diff() != task.expected:
            wrong.append(f"{stage.domain} task {task.index}")
        errors_right += await _errors_as_expected(stage, thread, task)
        progress.advance(bar)
    return Score(len(tasks), len(tasks) - len(wrong), tuple(wrong), errors_right)


async def replay_runs(stage: Stage, runs: Sequence[Run], progress: Progress) -> Score:
    """Replay recorded conversations turn by turn and score them by the recorded rule."""
    bar = progress.add_task("recorded runs", total=len(runs))
    tasks = {task.index: task for task in load_tasks(stage.data, stage.domain)}
    wrong = []
    for run in runs:
        if await _earned(stage, run, tasks[run.task]) != run.reward:
            wrong.append(f"run {run.task}/{run.trial}")
        progress.advance(bar)
    return Score(len(runs), len(runs) - len(wrong), tuple(wrong))


async def _earned(stage: Stage, run: Run, task: Task) -> int:
    thread = f"run-{run.task}-{run.trial}"
    replies = []
    for turn, said in turns_of(run.exchanges):
        reply = await play(stage.desk, stage.script, thread, turn)
        if said:
            replies.append(reply.text)
    wanted = goal(load_domain(stage.data, stage.domain), task)
    after = records_after(stage.data_dir, stage.tables, thread)
    return reward(run, task, after=after, wanted=wanted, replies=replies)


async def _errors_as_expected(stage: Stage, thread: str, task: Task) -> bool:
    """Whether the same calls failed; a tool that does not exist is not compared."""
    made = await calls_made(stage.desk, thread)
    known = DOMAINS[stage.domain].tools
    failed = [record["status"] != "ok" for record in made if record["name"] in known]
    wanted = [
        error
        for action, error in zip(task.actions, task.errors, strict=True)
        if action.name in known
    ]
    return failed == wanted


def _notes(scores: dict[str, Score]) -> Iterable[str]:
    for domain in DOMAINS:
        score = scores[domain]
        yield f"{domain}: the same calls failed in {score.errors_right} of {score.total} tasks"
    wrong = [name for score in scores.values() for name in score.wrong]
    if wrong:
        yield "wrong: " + ", ".join(wrong)
