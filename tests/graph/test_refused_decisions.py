"""Decisions that do not count: unknown, repeated, late, by the wrong person, or for other data."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from graph.errors import DecisionRefused, UnknownThread
from graph.session import Desk
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call
from tests.graph.workshop import happened, journal
from tests.tools.parts import SetClock

PRESS = Turn(["hands"], {"hands": [[call("press_button", item="red", amount=82)]]})
AGAIN = Turn(["hands"], {"hands": [[call("press_button", item="blue", amount=820)]]})
SIGN = Turn(["eyes"], {"eyes": [[call("sign_off", item="list")]]})
PLAY = {"press": PRESS, "press again": AGAIN, "sign": SIGN}
HOURS = {"ttl_hours": 1}


async def ask(desk: Desk, question: str = "press", thread: str = "t") -> str:
    """The id of the one action the question leads to."""
    reply = await desk.ask(thread=thread, user="local", text=question)
    (action,) = reply.pending
    return action.id


async def approve(desk: Desk, action: str, *, user: str = "local", thread: str = "t") -> str:
    return (await desk.decide(thread, [{"id": action, "type": "approve"}], user=user)).status


WRONG: dict[str, list[Any]] = {
    "none at all": [],
    "an unknown id": [{"id": "eff_0", "type": "approve"}],
    "an unknown type": [{"id": "ID", "type": "allow"}],
    "no type": [{"id": "ID"}],
    "too many": [{"type": "approve"}, {"type": "approve"}],
    "an id twice": [{"id": "ID", "type": "approve"}, {"id": "ID", "type": "reject"}],
    "a known and an unknown id": [
        {"id": "ID", "type": "approve"},
        {"id": "eff_0", "type": "approve"},
    ],
    "an id beside none": [{"id": "ID", "type": "approve"}, {"type": "approve"}],
    "a text": ["approve"],
    "nothing in it": [None],
    "a response without words": [{"id": "ID", "type": "respond"}],
    "an edit without an action": [{"id": "ID", "type": "edit"}],
    "a message of 2000 characters": [{"id": "ID", "type": "reject", "message": "x" * 2000}],
    "an id that is a number": [{"id": 7, "type": "approve"}],
}


@pytest.mark.parametrize("kind", sorted(WRONG))
async def test_a_wrong_decision_is_refused_and_leaves_the_pause_as_it_was(
    kind: str, open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        action = await ask(desk)
        wrong = [
            {**d, "id": action} if isinstance(d, dict) and d.get("id") == "ID" else d
            for d in WRONG[kind]
        ]
        with pytest.raises(DecisionRefused):
            await desk.decide("t", wrong, user="local")
        assert [found.id for found in await desk.pending("t", user="local")] == [action]
        assert await approve(desk, action) == "done"
    assert happened(data_dir) == ["press_button"]


async def test_decisions_come_as_a_list_or_in_langchains_wrapping(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        for wrapped in (False, True):
            given = [{"id": await ask(desk), "type": "approve"}]
            sent = {"decisions": given} if wrapped else given
            assert (await desk.decide("t", sent, user="local")).status == "done"


async def test_a_decision_counts_once(open_workshop: OpenDesk, data_dir: Path) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        action = await ask(desk)
        await approve(desk, action)
        with pytest.raises(DecisionRefused, match="done"):
            await approve(desk, action)
    assert happened(data_dir) == ["press_button"]


async def test_a_late_click_for_the_last_pause_does_not_approve_the_next_one(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        first = await ask(desk)
        await approve(desk, first)
        second = await ask(desk, "press again")
        with pytest.raises(DecisionRefused):
            await approve(desk, first)
        assert second != first
        assert [found.id for found in await desk.pending("t", user="local")] == [second]
    assert [line["args"]["amount"] for line in journal(data_dir)] == [82]


async def test_the_same_request_in_two_threads_is_two_approvals(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        one, two = await ask(desk), await ask(desk, thread="other")
        with pytest.raises(DecisionRefused):
            await approve(desk, two)
        assert await approve(desk, one) == "done"
    assert happened(data_dir) == ["press_button"]


async def test_a_decision_after_its_time_is_refused_as_expired_and_the_turn_says_so(
    open_workshop: OpenDesk, data_dir: Path, clock: SetClock
) -> None:
    async with open_workshop(Play(PLAY), approvals=HOURS) as desk:
        action = await ask(desk)
        clock.advance(3600)
        assert await desk.pending("t", user="local") == []
        with pytest.raises(DecisionRefused, match="expired"):
            await approve(desk, action)
        reply = await desk.resume("t", user="local")
        record = (await desk.show("t", "local"))[0]
    assert (reply.status, happened(data_dir)) == ("done", [])
    assert record["modules"][0]["calls"][0]["status"] == "expired"


async def test_an_approval_that_is_not_used_in_time_does_not_run(
    open_workshop: OpenDesk, data_dir: Path, clock: SetClock
) -> None:
    """Approved in the ledger only, as by a process that was killed before it went on."""
    async with open_workshop(Play(PLAY), approvals=HOURS) as desk:
        action = await ask(desk)
        await decide_in_ledger(desk, action)
        clock.advance(3600)
        reply = await desk.resume("t", user="local")
        record = (await desk.show("t", "local"))[0]
    assert (reply.status, happened(data_dir)) == ("done", [])
    assert record["modules"][0]["calls"][0]["status"] == "expired"


@pytest.mark.parametrize("when", ["before the decision", "after the decision"])
async def test_an_action_that_was_changed_behind_the_approval_does_not_run(
    when: str, open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        action = await ask(desk)
        if when == "after the decision":
            await decide_in_ledger(desk, action)
        await tamper(desk, action, '{"amount":820,"item":"red"}')
        if when == "before the decision":
            with pytest.raises(DecisionRefused):
                await approve(desk, action)
        else:
            await desk.resume("t", user="local")
    assert happened(data_dir) == []


async def test_only_a_member_of_the_approver_team_decides(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        reply = await desk.ask(thread="t", user="ada", text="sign")
        action = reply.pending[0].id
        for outsider in ("ada", "cleo"):
            with pytest.raises(DecisionRefused, match="finance"):
                await approve(desk, action, user=outsider)
        assert [found.id for found in await desk.pending(user="ben")] == [action]
        assert await approve(desk, action, user="ben") == "done"
    assert happened(data_dir) == ["sign_off"]


async def test_rights_are_looked_up_when_the_decision_comes_not_when_it_was_asked_for(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    moved = {"users": {"ada": {}, "ben": {"teams": ["support"]}, "cleo": {"teams": ["finance"]}}}
    async with open_workshop(Play(PLAY)) as desk:
        action = (await desk.ask(thread="t", user="ada", text="sign")).pending[0].id
    async with open_workshop(Play(PLAY), directory=moved) as desk:
        with pytest.raises(DecisionRefused):
            await approve(desk, action, user="ben")
        assert await approve(desk, action, user="cleo") == "done"
    assert happened(data_dir) == ["sign_off"]


async def test_another_user_or_tenant_neither_sees_nor_decides(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        action = await ask(desk)
        with pytest.raises(UnknownThread):
            await desk.pending("t", user="cleo")
        with pytest.raises(DecisionRefused):
            await approve(desk, action, user="cleo")
        with pytest.raises(UnknownThread):
            await desk.decide(
                "t", [{"id": action, "type": "approve"}], user="local", tenant="other"
            )


async def decide_in_ledger(desk: Desk, action: str) -> None:
    row = await desk.services.ledger.get(action)
    await desk.services.ledger.decide(
        row.thread,
        [{"id": action, "type": "approve"}],
        reviewer=desk._admission.context("local", "default").scope,
        validate_edit=desk.services.executor.validate_edit,
    )


async def tamper(desk: Desk, action: str, args: str) -> None:
    change = text("UPDATE effects SET args = :args WHERE id = :id")
    await desk.services.database.write(
        lambda conn: conn.execute(change, {"args": args, "id": action})
    )
