"""A process is killed with SIGKILL; another one goes on. No turn is lost, no effect happens twice.

Every checkpoint write and ledger step is a kill point of the evaluation `crash`; here are the
points that differ in kind.
"""

import json
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graph.replies import Reply
from graph.session import Desk
from tests.graph.child import PLAY, run
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play
from tests.graph.workshop import happened
from tests.tools.parts import SetClock

LEASE_S = 31.0
"""A killed process leaves its lease on the thread for so long."""


@pytest.fixture
def clock() -> SetClock:
    """The person comes back when the dead process's lease is over."""
    late = SetClock()
    late.now = datetime.now(UTC) + timedelta(seconds=60 + LEASE_S)
    return late


async def come_back(desk: Desk) -> Reply:
    """What a person sees who looks at the thread after the crash."""
    return await desk.resume("t", user="local")


async def settle(desk: Desk, reply: Reply, answer: str) -> Reply:
    (action,) = reply.pending
    assert (action.kind, action.allowed) == ("settle", ["respond"])
    decision = {"id": action.id, "type": "respond", "message": answer}
    return await desk.decide("t", [decision], user="local")


def kill(data_dir: Path, point: str, question: str = "press") -> None:
    """Ask and approve in a process that is killed at a ledger step or model call."""
    data_dir.mkdir(exist_ok=True)
    if point.startswith("die_"):
        (data_dir / point).touch()
    ended = run(data_dir, ["ask", question], ["approve"], kill_at=point)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


async def test_killed_after_the_request_was_written_it_still_waits(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    kill(data_dir, "->prepared")
    async with open_workshop(Play(PLAY)) as desk:
        assert len(await desk.pending("t", user="local")) == 1
        waiting = await come_back(desk)
        assert (waiting.status, len(waiting.pending)) == ("waiting", 1)
        decision = {"id": waiting.pending[0].id, "type": "approve"}
        done = await desk.decide("t", [decision], user="local")
    assert (done.status, happened(data_dir)) == ("done", ["press_button"])


async def test_killed_between_decision_and_resume_it_goes_on_without_asking_again(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    kill(data_dir, "prepared->approved")
    async with open_workshop(Play(PLAY)) as desk:
        assert await desk.pending("t", user="local") == []
        done = await come_back(desk)
    assert (done.status, happened(data_dir)) == ("done", ["press_button"])


@pytest.mark.parametrize(
    ("point", "answer", "effects"),
    [
        ("approved->started", "not_happened", []),
        ("die_before", "not_happened", []),
        ("die_after", "happened", ["press_button"]),
    ],
)
async def test_killed_in_an_effect_that_cannot_be_looked_up_a_person_is_asked(
    point: str, answer: str, effects: list[str], open_workshop: OpenDesk, data_dir: Path
) -> None:
    kill(data_dir, point)
    async with open_workshop(Play(PLAY)) as desk:
        asked = await come_back(desk)
        assert asked.status == "waiting"
        done = await settle(desk, asked, answer)
        made = (await desk.show("t", "local"))[0]["modules"][0]["calls"][0]
    assert (done.status, happened(data_dir)) == ("done", effects)
    assert made["status"] == ("ok" if effects else "error")


@pytest.mark.parametrize(("point", "effects"), [("die_before", []), ("die_after", ["pull_lever"])])
async def test_killed_in_an_effect_that_can_be_looked_up_nobody_is_asked(
    point: str, effects: list[str], open_workshop: OpenDesk, data_dir: Path
) -> None:
    kill(data_dir, point, "pull")
    async with open_workshop(Play(PLAY)) as desk:
        done = await come_back(desk)
        made = (await desk.show("t", "local"))[0]["modules"][0]["calls"][0]
    assert (done.status, done.pending, happened(data_dir)) == ("done", [], effects)
    assert made["status"] == ("ok" if effects else "error")


@pytest.mark.parametrize("point", ["started->done", "synthesizer"])
async def test_killed_after_the_effect_it_is_not_done_again(
    point: str, open_workshop: OpenDesk, data_dir: Path
) -> None:
    kill(data_dir, point)
    async with open_workshop(Play(PLAY)) as desk:
        done = await come_back(desk)
        turns = await desk.show("t", "local")
    assert (done.status, done.text) == ("done", "All done.")
    assert (len(turns), happened(data_dir)) == (1, ["press_button"])


async def test_a_new_message_after_a_kill_first_brings_the_old_turn_to_its_end(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    kill(data_dir, "started->done")
    async with open_workshop(Play(PLAY)) as desk:
        reply = await desk.ask(thread="t", user="local", text="hi")
        turns = [turn["user"] for turn in await desk.show("t", "local")]
    assert (reply.text, turns) == ("Hello.", ["press", "hi"])
    assert happened(data_dir) == ["press_button"]


def test_three_processes_share_one_turn(data_dir: Path) -> None:
    """One asks and ends, one approves and is killed in the effect's last step, one goes on."""
    asked = json.loads(run(data_dir, ["ask", "press"]).stdout)
    killed = run(data_dir, ["approve"], kill_at="started->done")
    ended = json.loads(run(data_dir, ["resume"], late_s=LEASE_S).stdout)
    assert (asked["status"], asked["pending"]) == ("waiting", ["approval"])
    assert killed.returncode == -signal.SIGKILL
    assert (ended["status"], ended["text"]) == ("done", "All done.")
    assert happened(data_dir) == ["press_button"]
