import inspect
import json
import re
import signal
from pathlib import Path

import pytest

from evals.crash import coverage
from evals.crash_points import LEDGER_STEPS, Points, completed_runs, spread, was_taken
from tests.forks import Forked
from tools.ledger import Ledger


def test_points_are_counted_and_left_on_the_trail(tmp_path: Path) -> None:
    points = Points(None, tmp_path / "trail")
    points.reach("an earlier turn")
    points.open()
    points.reach("before aput")
    points.reach("after aput")
    assert points.passed == 2
    assert (tmp_path / "trail").read_text() == "1 before aput\n2 after aput\n"


@pytest.mark.parametrize("kill_at", [2, "b"])
def test_the_process_is_killed_at_its_point_and_not_before(
    kill_at: int | str, tmp_path: Path
) -> None:
    with Forked(_pass_points, kill_at, tmp_path / "trail") as child:
        child.communicate()
        assert child.returncode == -signal.SIGKILL
    assert (tmp_path / "trail").read_text() == "1 a\n2 b\n"


def _pass_points(kill_at: int | str, trail: Path) -> None:
    points = Points(kill_at, trail)
    points.open()
    for name in "abcb":
        points.reach(name)


def test_completed_runs_are_read_in_order(tmp_path: Path) -> None:
    lines = [{"tool": "t", "arguments": {"n": n}} for n in (1, 2)]
    (tmp_path / "ran").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert completed_runs(tmp_path / "ran") == lines
    assert completed_runs(tmp_path / "absent") == []


def test_a_message_is_taken_with_the_first_stored_checkpoint(tmp_path: Path) -> None:
    trail = tmp_path / "trail"
    trail.write_text("1 before aput\n2 after aput_writes\n")
    before = was_taken(trail)
    trail.write_text("1 before aput\n2 after aput\n")
    assert (before, was_taken(trail)) == (False, True)


def test_a_limit_takes_points_from_beginning_to_end() -> None:
    assert spread(10, None) == list(range(1, 11))
    assert spread(10, 20) == list(range(1, 11))
    assert spread(100, 4) == [1, 26, 51, 76]


def test_a_process_is_killed_around_each_step_of_the_ledger_that_writes() -> None:
    writers = {
        name
        for name, member in vars(Ledger).items()
        if name[0] != "_"
        and inspect.isfunction(member)
        and re.search(r"\b_db\.write\(|self\._(move|close)\(", inspect.getsource(member))
    }
    assert set(LEDGER_STEPS) == writers
    assert len(writers) == 9


def test_the_table_says_which_steps_and_transitions_were_not_met() -> None:
    points = ["edit 3 before decide", "edit 4 after decide", "tau 1 before aput"]
    kills, made, left = coverage(points, {"prepared->approved"})
    assert "decide 2" in kills
    assert "refuse 0" in kills
    assert made == "transitions made: prepared->approved"
    assert "prepared->rejected" in left
    assert "prepared->approved" not in left
