import json
from pathlib import Path

import pytest

from configs.settings import load_settings
from evals.tau.app import write_app
from tests.evals.tables import airline_tables
from tools.spec import ToolContext, ToolError, ToolSpec, load_tool


@pytest.fixture
def specs(tmp_path: Path) -> dict[str, ToolSpec]:
    folder = tmp_path / "tau_bench" / "airline"
    folder.mkdir(parents=True)
    for name, rows in airline_tables().items():
        (folder / f"{name}.json").write_text(json.dumps(rows))
    settings = load_settings(write_app(tmp_path / "app", "airline", tmp_path))
    (expert,) = settings.experts
    return {tool.name: load_tool(tool, settings.app_dir, expert.name) for tool in expert.tools}


def context(tmp_path: Path) -> ToolContext:
    return ToolContext(
        app_dir=tmp_path / "app",
        data_dir=tmp_path / "data",
        tenant="default",
        user="bo",
        teams=(),
        thread="default:t",
        idempotency_key="k",
    )


def test_writes_need_approval_and_reads_do_not(specs: dict[str, ToolSpec]) -> None:
    assert specs["book_reservation"].approval
    assert not specs["get_user_details"].approval


def test_an_integer_amount_stays_an_integer(specs: dict[str, ToolSpec]) -> None:
    given = specs["send_certificate"].arguments.model_validate({"user_id": "bo", "amount": 5})
    assert type(given.model_dump()["amount"]) is int


def test_a_write_can_be_looked_up_afterwards(specs: dict[str, ToolSpec], tmp_path: Path) -> None:
    spec, here = specs["cancel_reservation"], context(tmp_path)
    assert spec.settle is not None
    before = spec.settle(here, reservation_id="R1")
    spec.function(here, reservation_id="R1")
    after = spec.settle(here, reservation_id="R1")
    assert (before["happened"], after["happened"]) == (False, True)


def test_a_refused_call_is_a_tool_error_with_its_kind(
    specs: dict[str, ToolSpec], tmp_path: Path
) -> None:
    with pytest.raises(ToolError) as caught:
        specs["get_user_details"].function(context(tmp_path), user_id="nobody")
    assert caught.value.kind == "not_found"
