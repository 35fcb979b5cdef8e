"""What one child does: begin a turn and be killed, or come back to it and see what is there."""

import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from evals import hippocampus_crash, hippocampus_points
from evals.crash_person import ASKED, RAN, begin, come_back
from evals.crash_points import Points, install
from evals.crash_scenarios import Name, scenario_of

RESULT = "result.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One child's work.

    Attributes:
        scenario: whose turn is killed; of hippocampus, it is the background.
        step: begin or come_back.
        data: the evaluation data.
        data_dir: the desk's data of this point.
        kill_at: number or name of the point to be killed at; None is never.
    """

    scenario: Name | Literal["hippocampus"]
    step: Literal["begin", "come_back"]
    data: str
    data_dir: str
    kill_at: int | str | None = None

    def as_line(self) -> str:
        """The job as one line of JSON."""
        return json.dumps(asdict(self))


def run_job(job: Job) -> None:
    """Do a job in this process; the result is written into the job's data folder."""
    data_dir = Path(job.data_dir)
    data_dir.mkdir(parents=True, exist_ok=True)
    points = Points(job.kill_at, data_dir / f"{job.step}.trail")
    if job.scenario == "hippocampus":
        _run_background(job.step, data_dir, points)
        return
    scenario = scenario_of(job.scenario, data_dir / "app", Path(job.data))
    install(points, data_dir / RAN, scenario.effects)
    result: dict[str, object] = {}
    if job.step == "begin":
        asyncio.run(begin(scenario, data_dir, points))
    else:
        result = {
            **asdict(asyncio.run(come_back(scenario, data_dir, points))),
            "unsettled": unsettled(data_dir),
            "settled": settled(data_dir),
            "approved": approved(data_dir),
            "transitions": transitions(data_dir),
        }
    result["points"] = points.passed
    (data_dir / RESULT).write_text(json.dumps(result), encoding="utf-8")


def _run_background(step: str, data_dir: Path, points: Points) -> None:
    hippocampus_points.install(points)
    if step == "begin":
        asyncio.run(hippocampus_crash.begin(data_dir, points))
    else:
        asyncio.run(hippocampus_crash.come_back(data_dir))
    found = {**asdict(hippocampus_crash.look(data_dir)), "points": points.passed}
    (data_dir / RESULT).write_text(json.dumps(found), encoding="utf-8")


def unsettled(data_dir: Path) -> list[str]:
    """Ids of effects whose outcome nobody knew at some time, or that never ended."""
    return _column(
        data_dir,
        "SELECT effect FROM effect_events WHERE after = 'unsettled'"
        " UNION SELECT id FROM effects WHERE status IN ('started', 'unsettled')",
    )


def settled(data_dir: Path) -> list[str]:
    """Ids of effects that were put to a person in any process, and have ended."""
    asked = data_dir / ASKED
    put = asked.read_text(encoding="utf-8").splitlines() if asked.exists() else []
    ended = _column(data_dir, "SELECT id FROM effects WHERE status IN ('done', 'failed')")
    return sorted(set(put).intersection(ended))


def approved(data_dir: Path) -> list[str]:
    """Arguments, as canonical JSON, of each effect that was allowed to run, once each."""
    return _column(
        data_dir,
        "SELECT args FROM effects WHERE status NOT IN ('rejected', 'expired')"
        " AND id IN (SELECT effect FROM effect_events WHERE after = 'approved')",
    )


def transitions(data_dir: Path) -> list[str]:
    """Each kind of step that a row of the ledger has made, as `before->after`."""
    return _column(
        data_dir, "SELECT DISTINCT coalesce(before, '') || '->' || after FROM effect_events"
    )


def _column(data_dir: Path, query: str) -> list[str]:
    with closing(sqlite3.connect(data_dir / "hippograph.db")) as books:
        return [row[0] for row in books.execute(query).fetchall()]
