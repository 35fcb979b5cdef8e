"""Harness milliseconds per turn beside langgraph-supervisor, and start-up times.

The model answers at once, so what is measured is the harness. Turns of both alternate in one
process on the same workload, both with durable checkpoints in a SQLite file, without memory: recall
is off, and the background work of a turn is done between the measured ones.
"""

import gc
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from rich.progress import Progress

from configs.sections import ROLES
from configs.settings import load_settings
from evals.errors import EvaluationFailed
from evals.registry import Outcome, Request
from evals.scripted import ScriptedModel
from evals.start_up import first_answer_seconds, help_seconds
from evals.supervisor_peer import open_supervisor
from evals.workload import MAX_TURNS, WorkScript, WorkTurn, work_turns, write_work_app
from graph.session import Desk, open_desk

TURNS = 100
WARM_UP = 3
DRAIN_S = 10.0
THREAD, WARM_THREAD = "measured", "warm-up"

PlayTurn = Callable[[str, WorkTurn], Awaitable[str]]


async def evaluate(request: Request) -> Outcome:
    """Measure paired turns, then the command line."""
    turns = work_turns(min(request.limit or TURNS, MAX_TURNS))
    with Progress(console=request.progress) as progress:
        ours, peer = await paired_turns(turns, progress)
    with request.progress.status("command line"):
        helped = help_seconds()
        shown, ended = first_answer_seconds()
    ours_ms, peer_ms = statistics.median(ours), statistics.median(peer)
    return Outcome(
        figures={
            "ours_ms_p50": round(ours_ms, 2),
            "supervisor_ms_p50": round(peer_ms, 2),
            "ratio": round(ours_ms / peer_ms, 4),
            "help_s": round(helped, 3),
            "first_answer_s": round(shown, 3),
        },
        notes=(
            f"{len(turns)} turns each, alternating; last five: ours"
            f" {statistics.mean(ours[-5:]):.1f} ms, supervisor {statistics.mean(peer[-5:]):.1f} ms",
            f"first answer shown after {shown:.2f} s, process ended after {ended:.2f} s",
        ),
    )


async def paired_turns(
    turns: tuple[WorkTurn, ...], progress: Progress
) -> tuple[list[float], list[float]]:
    """Milliseconds of each turn on both harnesses; each goes first in every other turn."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(write_work_app(Path(folder) / "app"))
        script = WorkScript(handover=False)
        models = {role: ScriptedModel(role=role, policy=script) for role in ROLES}
        async with (
            open_desk(settings, models=models) as desk,
            open_supervisor(Path(folder) / "supervisor.sqlite") as supervisor,
        ):
            pair = (_on_desk(desk, script), supervisor.turn)
            for turn in work_turns(WARM_UP):
                for play in pair:
                    await _milliseconds(play, WARM_THREAD, turn)
            spent: tuple[list[float], list[float]] = ([], [])
            bar = progress.add_task("turns", total=len(turns))
            for index, turn in enumerate(turns):
                for side in ((0, 1), (1, 0))[index % 2]:
                    spent[side].append(await _milliseconds(pair[side], THREAD, turn))
                    await desk.services.background.drain(DRAIN_S)
                progress.advance(bar)
    return spent


async def _milliseconds(play: PlayTurn, thread: str, turn: WorkTurn) -> float:
    gc.collect()
    started = time.perf_counter()
    answer = await play(thread, turn)
    spent = (time.perf_counter() - started) * 1000
    if answer != turn.answer:
        raise EvaluationFailed(f"wanted the answer {turn.answer[:60]!r}, came {answer[:60]!r}")
    return spent


def _on_desk(desk: Desk, script: WorkScript) -> PlayTurn:
    async def play(thread: str, turn: WorkTurn) -> str:
        script.turn = turn
        return (await desk.ask(thread=thread, user="local", text=turn.question)).text

    return play
