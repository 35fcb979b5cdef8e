"""The turns that the evaluation `crash` kills, each killed once at a step only it takes."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import get_args

import pytest

from evals.crash import Verdict, judge
from evals.crash_job import Job, run_job, settled
from evals.crash_person import ASKED
from evals.crash_scenarios import EARLIER_DEATHS, Name, Scenario, scenario_of
from tests.forks import Forked


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A data folder whose ledger holds effects `done`, `failed`, `started` and `unsettled`."""
    statuses = ["done", "failed", "started", "unsettled"]
    with closing(sqlite3.connect(tmp_path / "hippograph.db")) as books:
        books.execute("CREATE TABLE effects (id TEXT, status TEXT)")
        books.executemany("INSERT INTO effects VALUES (?, ?)", zip(statuses, statuses, strict=True))
        books.commit()
    return tmp_path


def tools_of(scenario: Scenario, folder: Path, *, later: bool) -> set[str]:
    settings = scenario.later_settings(folder) if later else scenario.settings(folder)
    return {tool.name for expert in settings.experts for tool in expert.tools}


def test_only_an_effect_that_was_asked_about_and_has_ended_counts_as_settled(ledger: Path) -> None:
    before = settled(ledger)
    (ledger / ASKED).write_text("done\nunsettled\nstarted\ndone\n")
    assert (before, settled(ledger)) == ([], ["done"])


def test_the_tool_that_is_gone_is_there_at_first(tmp_path: Path) -> None:
    scenario = scenario_of("tool_gone", tmp_path, tmp_path)
    at_first = tools_of(scenario, tmp_path, later=False)
    assert at_first - tools_of(scenario, tmp_path, later=True) == {"issue_refund"}


def test_an_earlier_process_is_killed_only_where_there_is_such_a_scenario() -> None:
    assert set(EARLIER_DEATHS) < set(get_args(Name))


async def test_a_process_killed_as_it_settles_an_effect_leaves_a_turn_that_a_third_one_ends(
    tmp_path: Path,
) -> None:
    verdict = await judge(ForkedWorker(), job_of("looked_up", "before settle", tmp_path))
    assert outcome(verdict) == ("looked_up", "before settle", False, 0, 0, False)


class ForkedWorker:
    """Runs each job in a process of its own."""

    async def run(self, job: Job) -> int:
        return await asyncio.to_thread(self._run, job)

    def _run(self, job: Job) -> int:
        with Forked(run_job, job) as child:
            child.communicate()
            assert child.returncode is not None
            return child.returncode


def job_of(name: Name, step: str, folder: Path) -> Job:
    return Job(
        scenario=name,
        step="come_back" if name in EARLIER_DEATHS else "begin",
        data=str(folder),
        data_dir=str(folder / name),
        kill_at=step,
    )


def outcome(verdict: Verdict | None) -> tuple[str, str, bool, int, int, bool]:
    """Where it was killed, and whether anything was lost, doubled, left open or sent again."""
    assert verdict is not None
    name, _, step = verdict.point.split(" ", 2)
    return name, step, verdict.lost, verdict.doubled, verdict.unsettled, verdict.resent
