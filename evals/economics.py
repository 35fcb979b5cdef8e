"""What the workload's turns cost: exact prompt tokens, cached ones, checkpoints, milliseconds.

The desk plays the workload with the product's defaults, memory included, and a model that answers
at once. For milliseconds it plays it again without memory, in turns with "experts as tools", which
has none; langgraph-supervisor plays it for its tokens. Cost is uncached plus a tenth of the cached
tokens, under OpenAI's rule, with one cache for all modules.
"""

import gc
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from rich.progress import Progress

from configs.sections import ROLES
from configs.settings import Settings, load_settings
from evals.agents_as_tools_peer import open_agents_as_tools
from evals.economics_figures import SHORT, Told, figures, notes
from evals.economics_layouts import layout_choices
from evals.economics_lineage import missing_lineage
from evals.economics_recording import Recording, RecordingModel
from evals.economics_supervisor import supervisor_calls
from evals.errors import EvaluationFailed
from evals.registry import Outcome, Request
from evals.scripted import ScriptedModel
from evals.workload import WorkScript, WorkTurn, work_turns, write_work_app
from graph.session import Desk, open_desk
from models.caching import RULES, simulate
from models.tokens import load
from state import TurnRecord

LONG, LONGEST, LAYOUT_TURNS = 100, 300, 40
THREAD, USER = "measured", "local"

PlayTurn = Callable[[str, WorkTurn], Awaitable[str]]


@dataclass(slots=True)
class Played:
    """What a run of the desk left; `sizes_kb` is the checkpoint file after some turns."""

    recording: Recording
    records: list[TurnRecord] = field(default_factory=list)
    sizes_kb: dict[int, float] = field(default_factory=dict)
    ms: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Timed:
    """Milliseconds of the same turns on the desk without memory and on experts as tools."""

    ours_ms: list[float] = field(default_factory=list)
    peer_ms: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Median against median."""
        return statistics.median(self.ours_ms) / statistics.median(self.peer_ms)


async def evaluate(request: Request) -> Outcome:
    """Play the workload and count."""
    await load()
    length = min(request.limit or LONG, LONG)
    longest = length if request.limit else LONGEST
    with Progress(console=request.progress) as progress:
        played = await play(work_turns(longest), length, progress)
        timed = await race(work_turns(length), progress)
    calls = played.recording.calls()
    supervisor = await supervisor_calls(work_turns(length))
    layouts = await layout_choices(min(length, LAYOUT_TURNS))
    told = Told(
        calls=calls,
        report=simulate(calls, RULES["openai"]),
        supervisor=supervisor,
        missing=missing_lineage(played.recording.prompts, played.records),
        played=played,
        timed=timed,
        layouts=layouts,
    )
    return Outcome(figures=figures(told), notes=notes(told))


async def play(turns: Sequence[WorkTurn], recorded: int, progress: Progress) -> Played:
    """Play turns with the product's defaults, memory included, and record the first ones."""
    played = Played(Recording())
    with tempfile.TemporaryDirectory() as folder:
        settings = default_settings(Path(folder))
        script = WorkScript(handover=False)
        models = {
            role: RecordingModel(role=role, policy=script, recording=played.recording)
            for role in ROLES
        }
        async with open_desk(settings, models=models) as desk:
            ours = _on_desk(desk, script)
            bar = progress.add_task("turns with memory", total=len(turns))
            for index, turn in enumerate(turns):
                played.recording.turn = index if index < recorded else None
                played.ms.append(await _milliseconds(ours, turn))
                if index + 1 in (SHORT, recorded, len(turns)):
                    played.sizes_kb[index + 1] = checkpoint_kb(settings)
                progress.advance(bar)
            played.records = await desk.show(THREAD, USER)
    return played


async def race(turns: Sequence[WorkTurn], progress: Progress) -> Timed:
    """Play turns alternately on the desk without memory and on a peer, which has none."""
    timed = Timed()
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(write_work_app(Path(folder) / "app"))
        script = WorkScript(handover=False)
        models = {role: ScriptedModel(role=role, policy=script) for role in ROLES}
        async with (
            open_desk(settings, models=models) as desk,
            open_agents_as_tools(Path(folder) / "peer.sqlite") as peer,
        ):
            sides = ((_on_desk(desk, script), timed.ours_ms), (peer.turn, timed.peer_ms))
            for warm in work_turns(2):
                for play_turn, _ in sides:
                    await play_turn("warm-up", warm)
            bar = progress.add_task("turns beside a peer", total=len(turns))
            for index, turn in enumerate(turns):
                for side in ((0, 1), (1, 0))[index % 2]:
                    play_turn, spent = sides[side]
                    spent.append(await _milliseconds(play_turn, turn))
                progress.advance(bar)
    return timed


def default_settings(folder: Path) -> Settings:
    """The workload's experts and tools with everything else as the product comes."""
    return load_settings(write_work_app(folder / "app"), recall={"enabled": True})


async def _milliseconds(play_turn: PlayTurn, turn: WorkTurn) -> float:
    gc.collect()
    started = time.perf_counter()
    answer = await play_turn(THREAD, turn)
    spent = (time.perf_counter() - started) * 1000
    if answer != turn.answer:
        raise EvaluationFailed(f"wanted the answer {turn.answer[:60]!r}, came {answer[:60]!r}")
    return spent


def _on_desk(desk: Desk, script: WorkScript) -> PlayTurn:
    async def play_turn(thread: str, turn: WorkTurn) -> str:
        script.turn = turn
        return (await desk.ask(thread=thread, user=USER, text=turn.question)).text

    return play_turn


def checkpoint_kb(settings: Settings) -> float:
    """Size of the checkpoint file with its log written back, in kB."""
    file = settings.data_dir / "checkpoints.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return file.stat().st_size / 1000
