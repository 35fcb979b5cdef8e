"""Conversations held with the embedded default, scored as its evaluation does, with a floor."""

import shutil
from io import StringIO
from pathlib import Path

from rich.console import Console

from configs.settings import SHIPPED_APP
from evals.embedded import QUERY_TOOL, desk_figures, wanting
from evals.embedded_names import Names
from evals.embedded_play import Performance, perform
from evals.embedded_set import OWN_DESKS, load_conversations

COMPANY_CONVERSATIONS = 8
COMPANY_FLOOR = 0.5
STRANGER_CONVERSATIONS = 10
STRANGER_FLOOR = 0.3


async def check(performance: Performance, data_dir: Path, floor: float) -> None:
    """Hold the conversations; enough turns go right, and nothing is done without a question."""
    with StringIO() as told:
        played = await perform(performance, data_dir, Console(file=told))
    wrong = [one.label.text for one in played if not one.score.right]
    assert 1 - len(wrong) / len(played) >= floor, wrong
    assert desk_figures(played)["performed_unasked"] == 0


async def test_conversations_of_the_sample_company_go_right(tmp_path: Path) -> None:
    """Those of the half that is for tuning, without those that want a query of their own."""
    tune = [one for one in load_conversations() if one.half == "tune"]
    plain = [one for one in tune if not wanting([one], QUERY_TOOL)][:COMPANY_CONVERSATIONS]
    same = Names().same
    performance = Performance(name="sample", app_dir=SHIPPED_APP, conversations=plain, same=same)
    await check(performance, tmp_path / "data", COMPANY_FLOOR)


async def test_conversations_with_a_desk_of_strangers_go_right(tmp_path: Path) -> None:
    app = tmp_path / "app"
    shutil.copytree(OWN_DESKS / "clinic", app, ignore=shutil.ignore_patterns("__pycache__"))
    conversations = load_conversations(app / "requests.jsonl", STRANGER_CONVERSATIONS)
    (app / "requests.jsonl").unlink()
    performance = Performance(name="clinic", app_dir=app, conversations=conversations)
    await check(performance, app / ".hippograph", STRANGER_FLOOR)
