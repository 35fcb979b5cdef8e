import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from evals.registry import Request
from evals.tau.records import Changes
from evals.tau.tasks import RUNS_FILE, TASKS_FILE, load_domain
from evals.tau_replay import evaluate
from tests.evals.tables import airline_tables, retail_tables

CANCEL = {"name": "cancel_reservation", "kwargs": {"reservation_id": "R1"}}
UNKNOWN = {"name": "upgrade_to_first", "kwargs": {"reservation_id": "R1"}}
MISSING = {"name": "get_order_details", "kwargs": {"order_id": "#9"}}
RETURN = {
    "name": "return_delivered_order_items",
    "kwargs": {"order_id": "#2", "item_ids": ["a"], "payment_method_id": "gift_card_1"},
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for domain, tables in (("retail", retail_tables()), ("airline", airline_tables())):
        folder = tmp_path / "tau_bench" / domain
        folder.mkdir(parents=True)
        for name, rows in tables.items():
            (folder / f"{name}.json").write_text(json.dumps(rows))
    write_task(tmp_path, "retail", [MISSING, RETURN], [True, False])
    write_task(tmp_path, "airline", [UNKNOWN, CANCEL], [False, False])
    write_runs(tmp_path)
    return tmp_path


def write_task(data: Path, domain: str, actions: list[dict[str, Any]], errors: list[bool]) -> None:
    desk = load_domain(data, domain)
    for action in actions:
        desk.observe(action["name"], action["kwargs"])
    expected: Changes = desk.records.diff()
    task = {
        "task_index": 0,
        "user_id": "u",
        "instruction": "Please help me.",
        "actions": actions,
        "outputs": ["1500"],
        "expected_db_diff": expected,
        "observations_are_errors": errors,
    }
    (data / "tau_bench" / domain / TASKS_FILE).write_text(json.dumps([task]))


def write_runs(data: Path) -> None:
    function = {"name": CANCEL["name"], "arguments": json.dumps(CANCEL["kwargs"])}
    traj = [
        {"role": "system", "content": "policy"},
        {"role": "user", "content": "cancel it"},
        {"role": "assistant", "content": None, "tool_calls": [{"function": function}]},
        {"role": "tool", "content": "{}"},
        {"role": "assistant", "content": "Cancelled, $1,500 come back."},
        {"role": "user", "content": "###STOP###"},
    ]
    runs = [
        {"task_id": 0, "trial": 0, "reward": 1.0, "traj": traj},
        {"task_id": 0, "trial": 1, "reward": 0.0, "traj": traj[:-1]},
        {"task_id": 0, "trial": 2, "reward": 0.0, "traj": [*traj[:2], *traj[4:]]},
    ]
    lines = "".join(json.dumps(run) + "\n" for run in runs)
    (data / "tau_bench" / "airline" / RUNS_FILE).write_bytes(gzip.compress(lines.encode()))


async def test_tasks_and_recorded_runs_are_reproduced_through_the_graph(data: Path) -> None:
    request = Request(data=data, limit=None, progress=Console(stderr=True, quiet=True))
    outcome = await evaluate(request)
    assert outcome.figures == {
        "retail_ok": 1,
        "retail_total": 1,
        "airline_ok": 1,
        "airline_total": 1,
        "recorded_ok": 3,
        "recorded_total": 3,
    }
    assert "retail: the same calls failed in 1 of 1 tasks" in outcome.notes


async def test_a_task_whose_records_differ_is_counted_and_named(data: Path) -> None:
    path = data / "tau_bench" / "airline" / TASKS_FILE
    (task,) = json.loads(path.read_text())
    path.write_text(json.dumps([{**task, "expected_db_diff": {}}]))
    request = Request(data=data, limit=None, progress=Console(stderr=True, quiet=True))
    outcome = await evaluate(request)
    assert (outcome.figures["airline_ok"], outcome.figures["airline_total"]) == (0, 1)
    assert "wrong: airline task 0" in outcome.notes
