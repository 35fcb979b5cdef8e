"""A stranger's desk on the small design, scored as its evaluation does: never below a floor."""

import shutil
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from evals.embedded import desk_figures
from evals.embedded_play import Performance, perform
from evals.embedded_set import OWN_DESKS, load_conversations

CONVERSATIONS = 8
FLOOR = 0.4
"""Share of the turns that want a call in which the right tool was called."""


async def test_the_right_tools_of_a_strangers_desk_are_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIPPOGRAPH_MODELS__DEFAULT__MODEL", "small")
    app = tmp_path / "app"
    shutil.copytree(OWN_DESKS / "venue", app, ignore=shutil.ignore_patterns("__pycache__"))
    chosen = load_conversations(app / "requests.jsonl", CONVERSATIONS)
    (app / "requests.jsonl").unlink()
    performance = Performance(name="venue", app_dir=app, conversations=chosen)
    with StringIO() as told:
        played = await perform(performance, app / ".hippograph", Console(file=told))
    share = desk_figures(played)["tool_right"]
    assert isinstance(share, float)
    assert share >= FLOOR
