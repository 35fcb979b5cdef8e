import gzip
import json
from pathlib import Path

import pytest

from evals.tau.records import Records
from evals.tau.tasks import RUNS_FILE, Run, Task, goal, load_runs, reward, same_observation
from tests.evals.tables import airline, airline_tables

TASK = Task(index=0, instruction="", actions=(), outputs=("1000",), expected={}, errors=())


def run_of(tmp_path: Path, *messages: dict[str, object]) -> Run:
    folder = tmp_path / "tau_bench" / "airline"
    folder.mkdir(parents=True)
    system: dict[str, object] = {"role": "system", "content": "policy"}
    raw = {"task_id": 0, "trial": 1, "reward": 1.0, "traj": [system, *messages]}
    (folder / RUNS_FILE).write_bytes(gzip.compress(json.dumps(raw).encode()))
    (run,) = load_runs(tmp_path)
    return run


def user(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


def says(text: str) -> dict[str, object]:
    return {"role": "assistant", "content": text}


def calls(name: str, arguments: dict[str, object]) -> dict[str, object]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"function": function}]}


def rewarded(run: Run, after: Records) -> int:
    replies = [exchange.reply for exchange in run.exchanges if exchange.reply]
    return reward(run, TASK, after=after, wanted=goal(airline(), TASK), replies=replies)


def test_commas_in_numbers_are_read_over(tmp_path: Path) -> None:
    run = run_of(tmp_path, user("how much?"), says("It is $1,000."), user("###STOP###"))
    assert rewarded(run, Records(airline_tables())) == 1


def test_a_conversation_that_was_cut_off_earns_nothing(tmp_path: Path) -> None:
    run = run_of(tmp_path, user("how much?"), says("It is $1,000."))
    assert rewarded(run, Records(airline_tables())) == 0


def test_a_record_that_should_not_have_changed_costs_the_reward(tmp_path: Path) -> None:
    run = run_of(tmp_path, user("how much?"), says("1000"), user("###STOP###"))
    desk = airline()
    desk.run("cancel_reservation", {"reservation_id": "R1"})
    assert rewarded(run, desk.records) == 0


def test_a_handed_over_conversation_has_ended(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        user("help"),
        calls("transfer_to_human_agents", {"summary": "s"}),
        {"role": "tool", "content": "done"},
    )
    assert run.ended
    assert [action.name for action in run.actions] == ["transfer_to_human_agents"]


@pytest.mark.parametrize(
    ("recorded", "ours", "same"),
    [
        ("Error: no", "Error: other words", True),
        ("Error: no", "fine", False),
        ('{"province": "TX"}', '{"state": "TX"}', True),
        ('{"a": 1}', '{"a": 2}', False),
        ("plain", "other", False),
    ],
)
def test_observations_are_compared_by_what_they_say(recorded: str, ours: str, same: bool) -> None:
    assert same_observation(recorded, ours) is same
