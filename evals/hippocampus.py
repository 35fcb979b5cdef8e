"""Recorded airline conversations consolidated by the background graph.

Each run is played through the desk, so that its turns, calls and results are stored as any user's
are; then its thread is consolidated. Every write that succeeded has to be an action of an accepted
episode, runs in which nothing was done or looked up have to yield none, and every message has to be
in exactly one segment that has ended.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.progress import Progress

from evals.registry import Outcome, Request
from evals.tau.replay import TENANT, USER, play, turns_of
from evals.tau.tasks import DOMAINS, TRANSFER, Action, Run, load_runs
from evals.tau_replay import Stage, open_stage
from memory.episodes import Action as EpisodeAction
from memory.episodes import EpisodeItem
from memory.segments import SegmentRow
from state import Scope, canonical_json, thread_key

DOMAIN = "airline"
IDLE = frozenset({TRANSFER, "think"})
"""Tools that neither look anything up nor change anything."""


@dataclass(frozen=True, slots=True)
class Score:
    """What became of one run.

    Attributes:
        writes: writes that succeeded.
        right: those of them in an accepted episode, with the same arguments and the right sign.
        idle: whether no tool was used beyond handing over and thinking.
        read_only: whether tools were used, and none of them wrote with success.
        episodes: how many episodes were kept.
        lost: messages that are not in exactly one segment that has ended.
    """

    writes: int
    right: int
    idle: bool
    read_only: bool
    episodes: int
    lost: int


async def evaluate(request: Request) -> Outcome:
    """Play, consolidate and compare."""
    runs = load_runs(request.data)[: request.limit]
    scores: list[Score] = []
    with tempfile.TemporaryDirectory() as folder, Progress(console=request.progress) as progress:
        async with open_stage(DOMAIN, request.data, Path(folder)) as stage:
            for run in progress.track(runs, description="recorded runs"):
                scores.append(await _score(stage, run))
    idle = [score for score in scores if score.idle]
    return Outcome(
        figures={
            "effect_segments": sum(score.writes for score in scores),
            "accepted_right": sum(score.right for score in scores),
            "empty_runs": len(idle),
            "discarded_right": sum(not score.episodes for score in idle),
            "messages_lost": sum(score.lost for score in scores),
        },
        notes=tuple(_notes(scores)),
    )


async def _score(stage: Stage, run: Run) -> Score:
    thread = f"run-{run.task}-{run.trial}"
    for turn, _ in turns_of(run.exchanges):
        await play(stage.desk, stage.script, thread, turn)
    await stage.desk.consolidate(thread, user=USER)
    services, key = stage.desk.services, thread_key(TENANT, thread)
    rows = await services.segments.of_thread(key)
    ids = [one for row in rows for one in row.episode_ids]
    items = await services.opened.episodes.scoped(Scope(tenant=TENANT, user=USER)).get(ids)
    said = [message.id for message in await services.transcript.messages(key)]
    used = {action.name for action in run.actions}
    writes = successes(run)
    return Score(
        writes=len(writes),
        right=kept_right(writes, items),
        idle=not used - IDLE,
        read_only=bool(used - IDLE) and not writes,
        episodes=len(items),
        lost=lost(said, rows),
    )


def successes(run: Run) -> list[Action]:
    """The writes that succeeded in a recorded run."""
    return [
        action
        for exchange in run.exchanges
        for action, observed in zip(exchange.actions, exchange.observed, strict=False)
        if action.name in DOMAINS[DOMAIN].writes and not observed.startswith("Error")
    ]


def kept_right(writes: Sequence[Action], items: Sequence[EpisodeItem]) -> int:
    """How many of the writes are done actions of positive episodes, each action counted once."""
    kept = Counter[str]()
    for item in items:
        if item.result == "positive" and item.episode is not None:
            kept.update(_key(one) for one in item.episode.actions if one.outcome == "done")
    right = 0
    for write in writes:
        key = canonical_json([write.name, dict(write.arguments)])
        right += bool(kept[key])
        kept[key] -= bool(kept[key])
    return right


def lost(said: Sequence[str], rows: Sequence[SegmentRow]) -> int:
    """How many messages are not in exactly one segment that has ended as it should."""
    placed = Counter[str]()
    for row in rows:
        ended = row.episode_ids if row.state == "episode" else row.reason
        if row.state != "open" and ended:
            placed.update(row.message_ids)
    return sum(placed[message] != 1 for message in said)


def _key(action: EpisodeAction) -> str:
    given: dict[str, Any] = dict(action.arguments)
    return canonical_json([action.tool, given])


def _notes(scores: Sequence[Score]) -> Iterator[str]:
    reading = [score for score in scores if score.read_only]
    kept = sum(bool(score.episodes) for score in reading)
    yield f"runs that only read, or whose writes failed: {kept} of {len(reading)} kept"
    yield f"{sum(score.episodes for score in scores)} episodes of {len(scores)} runs"
