"""`hippograph examples` on apps of their own: each example is chosen by the others alone."""

from pathlib import Path

import pytest

from models.embedded.acts import shared_act_reader
from models.embedded.chooser import Chooser, Tool
from models.embedding import open_embedder
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk
from tests.graph.own_app import tool, write_app

CODE = "def water_plants() -> str:\n    return ''\n\n\ndef list_bills() -> str:\n    return ''\n"
WATER = (
    "water the roses",
    "give the tomatoes some water",
    "give the plants in the hall some water",
    "please water my ferns",
    "the flowers are dry, water them",
)
BILLS = (
    "which bills are unpaid",
    "list the invoices of May",
    "show me what we still have to pay",
    "open bills of the printer shop",
    "how much do we owe the landlord",
)
STRAY = "please water the roses"


@pytest.fixture
def shell() -> Shell:
    return Shell(FakeDesk())


def garden(folder: Path, *more_bills: str) -> str:
    tools = [tool("water_plants", WATER), tool("list_bills", [*BILLS, *more_bills])]
    return str(write_app(folder, CODE, tools))


def test_examples_that_are_told_apart_are_right(shell: Shell, tmp_path: Path) -> None:
    assert shell("examples", "--app", garden(tmp_path), "--json") == 0, shell.err
    document = shell.document()
    assert (document["right"], document["examples"], document["confused"]) == (1.0, 10, [])
    rows = {row["tool"]: (row["examples"], row["right"]) for row in document["tools"]}
    assert rows == {"water_plants": (5, 5), "list_bills": (5, 5)}


def test_an_example_at_the_wrong_tool_is_shown_with_the_one_it_goes_to(
    shell: Shell, tmp_path: Path
) -> None:
    app = garden(tmp_path, STRAY)
    assert shell("examples", "--app", app, "--json") == 0, shell.err
    document = shell.document()
    wrong = {"example": STRAY, "tool": "list_bills", "goes_to": "water_plants"}
    assert wrong in document["confused"]
    rows = {row["tool"]: row for row in document["tools"]}
    assert rows["list_bills"]["confused_with"] == {"water_plants": 1}
    right = sum(row["right"] for row in rows.values())
    assert right == 11 - len(document["confused"])
    assert shell("examples", "--app", app) == 0
    lines = [line.split() for line in shell.out.splitlines()]
    assert ["list_bills", "garden", "6", "5", "water_plants", "1x"] in lines
    assert [*STRAY.split(), "list_bills", "water_plants"] in lines
    assert shell.out.splitlines()[-1] == f"{right / 11:.0%} right: {right} of 11 examples."


def test_an_example_does_not_vouch_for_itself() -> None:
    """Among the examples it is chosen right; left out it goes where the others are."""
    water = Tool("water_plants", "garden", "idempotent", "Waters plants.", WATER)
    seeds = Tool("order_seeds", "garden", "idempotent", "Orders seeds.", (STRAY,))
    chooser = Chooser((), open_embedder(), shared_act_reader(), more=[water, seeds])
    choice = chooser.choose(STRAY)
    assert choice is not None
    assert choice.tool == seeds
    assert chooser.left_out()[-1] == (seeds, STRAY, water)


def test_a_tool_whose_only_example_is_left_out_is_still_known_by_its_description() -> None:
    pump = Tool("start_pump", "garden", "idempotent", "Starts the pump.", ("let the pump run",))
    bare = Tool("read_rain", "garden", "read_only", "Reads the rain gauge.", ())
    bills = Tool("list_bills", "garden", "read_only", "Lists bills.", BILLS)
    chooser = Chooser((), open_embedder(), shared_act_reader(), more=[pump, bare, bills])
    found = chooser.left_out()
    assert [text for _, text, _ in found] == ["let the pump run", *BILLS]
    assert all(chosen == bills for one, _, chosen in found if one == bills)


@pytest.mark.parametrize("tools", [[], [tool("list_bills")]])
def test_an_app_without_examples_is_told_to_write_some(
    tools: list[dict[str, object]], shell: Shell, tmp_path: Path
) -> None:
    app = str(write_app(tmp_path, CODE, tools))
    assert shell("examples", "--app", app) == 0, shell.err
    assert "No tool and no intent has examples" in shell.out
    assert shell("examples", "--app", app, "--json") == 0
    assert shell.document() == {"tools": [], "confused": [], "examples": 0, "right": None}
