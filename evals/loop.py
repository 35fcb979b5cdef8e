"""The closed loop on the embedded default: what a person corrects one day is heeded on another.

Everything goes through the product's own door: first sessions in one desk, which is closed and so
consolidates what was said; later sessions in another desk, days after. Then everything remembered
is forgotten, and the later questions are asked once more.
"""

import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.progress import Progress

from configs.settings import Settings, load_settings
from evals.loop_play import (
    LATER,
    WITHOUT,
    Seen,
    ask_later,
    followed,
    heeded,
    injected,
    teach,
    users_of,
)
from evals.loop_set import Scenario, experts_of, load_scenarios
from evals.registry import Outcome, Request
from graph.session import Desk, open_desk
from state import Scope

DAYS = 3
PATIENCE_S = 600.0


async def evaluate(request: Request) -> Outcome:
    """Teach, ask later, forget, and ask again."""
    scenarios = load_scenarios(request.data, request.limit)
    lessons = [one for one in scenarios if one.kind == "lesson"]
    monday = datetime.now(UTC)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        Progress(console=request.progress) as progress,
    ):
        settings = _settings(Path(folder), scenarios)
        async with open_desk(settings, clock=lambda: monday) as desk:
            for scenario in progress.track(scenarios, description="first sessions"):
                await teach(desk, scenario)
        async with open_desk(settings, clock=lambda: monday + timedelta(days=DAYS)) as desk:
            later = await _ask_all(desk, scenarios, LATER, progress)
            for scenario in lessons:
                await _forget(desk, scenario)
            without = await _ask_all(desk, lessons, WITHOUT, progress)
    return _outcome(scenarios, later, without)


def _settings(folder: Path, scenarios: Sequence[Scenario]) -> Settings:
    return load_settings(
        data_dir=folder,
        models={"default": {"provider": "embedded"}},
        directory={"users": users_of(scenarios)},
    )


async def _ask_all(
    desk: Desk, scenarios: Sequence[Scenario], session: str, progress: Progress
) -> dict[str, Seen]:
    found: dict[str, Seen] = {}
    for scenario in progress.track(scenarios, description=f"{session} sessions"):
        found[scenario.id] = await ask_later(desk, scenario, session)
    return found


async def _forget(desk: Desk, scenario: Scenario) -> None:
    """Empty the store of episodes; the conversations stay."""
    await desk.services.background.drain(PATIENCE_S)
    handle = desk.services.opened.episodes.scoped(
        Scope(user=scenario.id, teams=("support", "finance"))
    )
    while items := await handle.recent(500):
        if not await handle.forget([item.id for item in items]):
            break


def _outcome(
    scenarios: Sequence[Scenario], later: dict[str, Seen], without: dict[str, Seen]
) -> Outcome:
    lessons = [one for one in scenarios if one.kind == "lesson"]
    controls = [one for one in scenarios if one.kind != "lesson"]
    right = [one.id for one in lessons if heeded(later[one.id], one.expect)]
    came_back = [one.id for one in controls if injected(later[one.id], one)]
    unlearned = [one.id for one in lessons if followed(without[one.id], one.expect)]
    quiet = sum(not later[one.id].note["text"] for one in controls)
    notes: list[str] = [
        f"experts: {', '.join(sorted(experts_of(scenarios)))}",
        f"nothing at all in the Memory Message of {quiet} of {len(controls)} controls",
    ]
    notes += _named("not heeded", [one.id for one in lessons if one.id not in right])
    notes += _named("came back", came_back)
    notes += _named("right without memory", unlearned)
    return Outcome(
        figures={
            "positive_ok": len(right),
            "positive_total": len(lessons),
            "control_injected": len(came_back),
            "control_total": len(controls),
            "without_memory_ok": len(unlearned),
        },
        notes=tuple(notes),
    )


def _named(what: str, ids: Sequence[str]) -> Iterator[str]:
    if ids:
        yield f"{what}: {', '.join(ids)}"
