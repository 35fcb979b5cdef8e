"""The same turns in both prompt layouts, and which of them each provider's cache makes cheaper."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from configs.sections import ROLES
from configs.settings import load_settings
from evals.economics_recording import Recording, RecordingModel
from evals.workload import WorkScript, WorkTurn, work_turns, write_work_app
from graph.session import open_desk
from models.caching import RULES, Layout, LayoutChoice, PromptCall, choose_layout

LAYOUTS: tuple[Layout, ...] = ("shared-prefix", "per-module")


async def layout_choices(turns: int) -> Mapping[str, LayoutChoice]:
    """The cheaper layout by rule, from turns played in both."""
    by_layout = {layout: await recorded(work_turns(turns), layout) for layout in LAYOUTS}
    return {name: choose_layout(by_layout, rule) for name, rule in RULES.items()}


async def recorded(turns: Sequence[WorkTurn], layout: Layout) -> list[PromptCall]:
    """Every call of the turns in a layout; without memory, which both would carry alike."""
    recording, script = Recording(), WorkScript(handover=False)
    models = {role: RecordingModel(role=role, policy=script, recording=recording) for role in ROLES}
    with tempfile.TemporaryDirectory() as folder:
        app = write_work_app(Path(folder) / "app")
        settings = load_settings(app, layout={"kind": layout})
        async with open_desk(settings, models=models) as desk:
            for index, turn in enumerate(turns):
                script.turn, recording.turn = turn, index
                await desk.ask(thread="t", user="local", text=turn.question)
    return recording.calls()
