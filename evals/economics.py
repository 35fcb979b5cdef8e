"""What the workload's turns cost: exact prompt tokens, cached ones, checkpoints, milliseconds.

The desk plays the workload with the product's defaults and a model that answers at once; "experts
as tools" plays the same turns in between, and langgraph-supervisor the same turns for its tokens.
Cost is uncached plus a tenth of the cached tokens, under OpenAI's rule, one cache for all modules.
"""

import gc
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from rich.progress import Progress

from configs.sections import ROLES
from configs.settings import Settings, load_settings
from evals.agents_as_tools_peer import open_agents_as_tools
from evals.economics_lineage import missing_lineage, recent_turns
from evals.economics_recording import Recording, RecordingModel
from evals.economics_supervisor import supervisor_calls
from evals.errors import EvaluationFailed
from evals.registry import Outcome, Request, Value
from evals.workload import WorkScript, WorkTurn, work_turns, write_work_app
from graph.session import Desk, open_desk
from models.caching import RULES, CacheReport, PromptCall, simulate
from models.tokens import load
from state import TurnRecord

SHORT, LONG, LONGEST = 20, 100, 300
WINDOW = 10
MISS_SHARE = 0.05
THREAD, USER = "measured", "local"

PlayTurn = Callable[[str, WorkTurn], Awaitable[str]]


@dataclass(slots=True)
class Played:
    """What a run of the desk left.

    Attributes:
        ours_ms: per turn, beside `peer_ms` of experts as tools.
        sizes_kb: the checkpoint file after some turns.
    """

    recording: Recording
    records: list[TurnRecord]
    ours_ms: list[float] = field(default_factory=list)
    peer_ms: list[float] = field(default_factory=list)
    sizes_kb: dict[int, float] = field(default_factory=dict)


async def evaluate(request: Request) -> Outcome:
    """Play the workload and count."""
    await load()
    length = min(request.limit or LONG, LONG)
    longest = length if request.limit else LONGEST
    with Progress(console=request.progress) as progress:
        played = await play(work_turns(length), work_turns(longest)[length:], progress)
    calls = played.recording.calls()
    missing = missing_lineage(played.recording.prompts, played.records)
    supervisor = await supervisor_calls(work_turns(length))
    report = simulate(calls, RULES["openai"])
    return Outcome(
        figures=_figures(calls, report, played, supervisor, missing),
        notes=tuple(_notes(calls, report, played, supervisor, missing)),
    )


async def play(turns: Sequence[WorkTurn], more: Sequence[WorkTurn], progress: Progress) -> Played:
    """Play turns on the desk and on experts as tools in turn, then `more` on the desk alone."""
    played = Played(Recording(), [])
    with tempfile.TemporaryDirectory() as folder:
        settings = default_settings(Path(folder))
        script = WorkScript(handover=False)
        models = {
            role: RecordingModel(role=role, policy=script, recording=played.recording)
            for role in ROLES
        }
        async with (
            open_desk(settings, models=models) as desk,
            open_agents_as_tools(Path(folder) / "peer.sqlite") as peer,
        ):
            await _interleave(_on_desk(desk, script), peer.turn, turns, played, settings, progress)
            played.recording.turn = None
            await _extend(_on_desk(desk, script), more, len(turns), played, settings, progress)
            played.records = await desk.show(THREAD, USER)
    return played


def default_settings(folder: Path) -> Settings:
    """The workload's experts and tools with everything else as the product comes."""
    return load_settings(write_work_app(folder / "app"), recall={"enabled": True})


async def _interleave(
    ours: PlayTurn,
    peer: PlayTurn,
    turns: Sequence[WorkTurn],
    played: Played,
    settings: Settings,
    progress: Progress,
) -> None:
    for warm in work_turns(2):
        await ours("warm-up", warm)
        await peer("warm-up", warm)
    sides = ((ours, played.ours_ms), (peer, played.peer_ms))
    bar = progress.add_task("turns", total=len(turns))
    for index, turn in enumerate(turns):
        played.recording.turn = index
        for side in ((0, 1), (1, 0))[index % 2]:
            play_turn, spent = sides[side]
            spent.append(await _milliseconds(play_turn, turn))
        if index + 1 in (SHORT, len(turns)):
            played.sizes_kb[index + 1] = checkpoint_kb(settings)
        progress.advance(bar)


async def _extend(
    ours: PlayTurn,
    turns: Sequence[WorkTurn],
    before: int,
    played: Played,
    settings: Settings,
    progress: Progress,
) -> None:
    for turn in progress.track(turns, description="longer", total=len(turns)):
        await ours(THREAD, turn)
    if turns:
        played.sizes_kb[before + len(turns)] = checkpoint_kb(settings)


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


def mean_cost(report: CacheReport, upto: int) -> float:
    """Mean cost of the ten turns that end with turn `upto`, counted from 1."""
    costs = report.by_turn()
    return statistics.mean(costs.get(turn, 0.0) for turn in range(max(0, upto - WINDOW), upto))


def _upto(report: CacheReport, turns: int) -> CacheReport:
    return CacheReport(report.rule, tuple(call for call in report.calls if call.turn < turns))


def _figures(
    calls: Sequence[PromptCall],
    report: CacheReport,
    played: Played,
    supervisor: Sequence[PromptCall],
    missing: Sequence[str],
) -> Mapping[str, Value]:
    rule, last = RULES["openai"], report.calls[-1].turn + 1
    misses = simulate(calls, rule, miss_share=MISS_SHARE)
    cold = simulate(calls, rule, cold_turns=True)
    ratio = statistics.median(played.ours_ms) / statistics.median(played.peer_ms)
    return {
        "tokens_20": _upto(report, SHORT).tokens,
        "tokens_100": report.tokens,
        "effective_20": round(_upto(report, SHORT).cost),
        "effective_100": round(report.cost),
        "effective_turn_30": round(mean_cost(report, 30)),
        "effective_turn_100": round(mean_cost(report, last)),
        "prefix_hit_ratio": round(report.hit_ratio(), 4),
        "checkpoint_kb_per_turn": round(_growth(played.sizes_kb), 2),
        "ms_ratio_agenttool": round(ratio, 3),
        "supervisor_tokens_100": sum(call.tokens for call in supervisor),
        "lineage_ok": int(not missing),
        "effective_20_misses": round(_upto(misses, SHORT).cost),
        "effective_100_misses": round(misses.cost),
        "effective_20_cold": round(_upto(cold, SHORT).cost),
        "effective_100_cold": round(cold.cost),
    }


def _growth(sizes_kb: Mapping[int, float]) -> float:
    first, last = min(sizes_kb), max(sizes_kb)
    if first == last:
        return sizes_kb[last] / last
    return (sizes_kb[last] - sizes_kb[first]) / (last - first)


def _notes(
    calls: Sequence[PromptCall],
    report: CacheReport,
    played: Played,
    supervisor: Sequence[PromptCall],
    missing: Sequence[str],
) -> Sequence[str]:
    peer = simulate(supervisor, RULES["openai"])
    blocks: dict[str, int] = {}
    for call in calls:
        for block in call.blocks:
            blocks[block.kind] = blocks.get(block.kind, 0) + block.tokens
    verbatim = [recent_turns(prompt, played.records) for prompt in played.recording.prompts]
    modules = (
        f"{name} {part.tokens:,} in {len(part.calls)} calls, cost {part.cost:,.0f}"
        for name, part in report.by_module().items()
    )
    sizes = ", ".join(f"{kb:,.0f} kB after {turn}" for turn, kb in played.sizes_kb.items())
    return (
        f"by module: {'; '.join(modules)}",
        "by block: " + ", ".join(f"{kind} {size:,}" for kind, size in blocks.items()),
        f"turns verbatim in a prompt: {statistics.mean(verbatim):.1f} on average",
        f"supervisor: {peer.tokens:,} tokens, cost {peer.cost:,.0f}",
        f"ms per turn p50: ours {statistics.median(played.ours_ms):.1f}, experts as tools"
        f" {statistics.median(played.peer_ms):.1f}",
        f"checkpoint file: {sizes}",
        *(f"missing: {what}" for what in missing[:5]),
    )
