"""Conversations held with the embedded default, scored as its evaluation does: never below a floor."""

import shutil
from collections.abc import Sequence
from io import StringIO
from itertools import islice
from pathlib import Path

import pytest
from rich.console import Console

from configs.settings import SHIPPED_APP
from evals.embedded import desk_figures
from evals.embedded_names import Names
from evals.embedded_play import Performance, Played, perform
from evals.embedded_set import OWN_DESKS, load_conversations

COMPANY_CONVERSATIONS = 8
STRANGER_CONVERSATIONS = 10
COMPANY_FLOOR = 0.5
STRANGER_FLOOR = 0.5
"""Share of the turns that are right; of the company's tuning half, of a desk for development."""
QUERY_TOOL = "run_query"
"""Wants a query of its own, which the default does not write."""


async def held(performance: Performance, data_dir: Path) -> Sequence[Played]:
    with StringIO() as told:
        return await perform(performance, data_dir, Console(file=told))


def share_right(played: Sequence[Played]) -> float:
    return sum(one.score.right for one in played) / len(played)


def told(played: Sequence[Played]) -> str:
    return "; ".join(one.label.text for one in played if not one.score.right)


@pytest.mark.parametrize("name", ["sample", "clinic"])
async def test_conversations_go_right_and_nothing_is_done_unasked(
    name: str, tmp_path: Path
) -> None:
    played, floor = await (company(tmp_path) if name == "sample" else stranger(name, tmp_path))
    assert share_right(played) >= floor, told(played)
    assert desk_figures(played)["performed_unasked"] == 0


async def company(folder: Path) -> tuple[Sequence[Played], float]:
    """The first conversations of the tuning half that want no query."""
    plain = (
        one
        for one in load_conversations()
        if one.half == "tune"
        and not any(call.tool == QUERY_TOOL for turn in one.requests for call in turn.calls)
    )
    chosen = list(islice(plain, COMPANY_CONVERSATIONS))
    performance = Performance(
        name="sample", app_dir=SHIPPED_APP, conversations=chosen, same=Names().same
    )
    return await held(performance, folder / "data"), COMPANY_FLOOR


async def stranger(name: str, folder: Path) -> tuple[Sequence[Played], float]:
    """The first conversations of a desk that this checkout holds to develop on."""
    app = folder / "app"
    shutil.copytree(OWN_DESKS / name, app, ignore=shutil.ignore_patterns("__pycache__"))
    chosen = load_conversations(app / "requests.jsonl", STRANGER_CONVERSATIONS)
    (app / "requests.jsonl").unlink()
    performance = Performance(name=name, app_dir=app, conversations=chosen)
    return await held(performance, app / ".hippograph"), STRANGER_FLOOR
