"""Decisions that arrive through LangGraph's own resume, as Studio and inboxes send them.

They are put to the ledger by the node behind the interrupt, under the same rules; a wrong one is
asked again with the problem named, and never wedges the thread.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from state import Context
from tests.graph.plays import Turn, call
from tests.graph.studio_door import THREAD, studio
from tests.graph.workshop import happened, journal
from tests.tools.parts import SetClock

RED, BLUE = call("press_button", "a", item="red"), call("press_button", "b", item="blue")
TWO = Turn(["hands"], {"hands": [[RED, BLUE]]})
BOTH = Turn(["eyes", "hands"], {"eyes": [[call("sign_off", item="list")]], "hands": [[RED, BLUE]]})
APPROVE, REJECT = {"type": "approve"}, {"type": "reject", "message": "no"}


async def test_the_pause_has_langchains_shape_with_ids(data_dir: Path, clock: SetClock) -> None:
    async with studio(data_dir, TWO, clock) as door:
        await door.send("press")
        shown = await door.value()
    assert [request["name"] for request in shown["action_requests"]] == ["press_button"] * 2
    assert [request["args"]["item"] for request in shown["action_requests"]] == ["red", "blue"]
    assert [request["tool_call_id"] for request in shown["action_requests"]] == ["a", "b"]
    assert all(request["id"].startswith("eff_") for request in shown["action_requests"])
    assert shown["review_configs"] == [
        {
            "action_name": "press_button",
            "allowed_decisions": ["approve", "edit", "reject", "respond"],
        }
    ]


async def test_decisions_by_position_are_taken(data_dir: Path, clock: SetClock) -> None:
    async with studio(data_dir, TWO, clock) as door:
        await door.send("press")
        ended = await door.resume({"decisions": [REJECT, APPROVE]})
    assert (ended["answer"], ended["status"]) == ("All done.", "DONE")
    assert [line["args"]["item"] for line in journal(data_dir)] == ["blue"]


WRONG: dict[str, Any] = {
    "a text": "yes",
    "true": True,
    "a list": [APPROVE, APPROVE],
    "an empty object": {},
    "no decisions": {"decisions": []},
    "one decision for two calls": {"decisions": [APPROVE]},
    "three decisions for two calls": {"decisions": [APPROVE] * 3},
    "an unknown id": {"decisions": [{"id": "eff_0", "type": "approve"}]},
    "an unknown type": {"decisions": [{"type": "accept"}, {"type": "accept"}]},
    "one good and one bad": {"decisions": [APPROVE, {"type": "edit"}]},
}


@pytest.mark.parametrize("kind", sorted(WRONG))
async def test_a_wrong_resume_is_asked_again_and_a_right_one_still_counts(
    kind: str, data_dir: Path, clock: SetClock
) -> None:
    async with studio(data_dir, TWO, clock) as door:
        await door.send("press")
        before = await door.value()
        for _ in range(2):
            await door.resume(WRONG[kind])
            again = await door.value()
            assert again["action_requests"] == before["action_requests"]
        assert happened(data_dir) == []
        ended = await door.resume({"decisions": [APPROVE, REJECT]})
    assert ended["status"] == "DONE"
    assert [line["args"]["item"] for line in journal(data_dir)] == ["red"]


async def test_a_resume_with_nothing_answers_nothing(data_dir: Path, clock: SetClock) -> None:
    async with studio(data_dir, TWO, clock) as door:
        await door.send("press")
        before = await door.value()
        with suppress(UnboundLocalError):  # LangGraph 1.2 stumbles over it
            await door.resume(None)
        assert await door.value() == before
    assert happened(data_dir) == []


async def test_a_wrong_resume_is_told_what_was_wanted_and_what_came(
    data_dir: Path, clock: SetClock
) -> None:
    async with studio(data_dir, TWO, clock) as door:
        await door.send("press")
        await door.resume({"decisions": [APPROVE]})
        problem = (await door.value())["problem"]
    assert "wanted 2 decisions" in problem
    assert "1 without ids" in problem


async def test_one_decision_with_its_id_leaves_the_other_call_asked(
    data_dir: Path, clock: SetClock
) -> None:
    async with studio(data_dir, TWO, clock) as door:
        await door.send("press")
        first, second = (await door.value())["action_requests"]
        await door.resume({"decisions": [{"id": second["id"], **APPROVE}]})
        assert (await door.value())["action_requests"] == [first]
        ended = await door.resume({"decisions": [APPROVE]})
    assert ended["status"] == "DONE"
    assert [line["args"]["item"] for line in journal(data_dir)] == ["blue", "red"]


async def test_a_decision_already_taken_in_the_ledger_is_not_taken_again_from_a_resume(
    data_dir: Path, clock: SetClock
) -> None:
    """Rejected at the desk; the inbox still shows the pause and somebody approves it there."""
    async with studio(data_dir, TWO, clock) as door:
        await door.send("press")
        ids = [request["id"] for request in (await door.value())["action_requests"]]
        await door.services.ledger.decide(
            THREAD,
            [{"id": one, "type": "reject"} for one in ids],
            reviewer=Context().scope,
            validate_edit=door.services.executor.validate_edit,
        )
        ended = await door.resume({"decisions": [APPROVE, APPROVE]})
    assert (ended["status"], happened(data_dir)) == ("DONE", [])


async def test_a_resume_after_expiry_runs_nothing(data_dir: Path, clock: SetClock) -> None:
    async with studio(data_dir, TWO, clock) as door:
        await door.send("press")
        clock.advance(73 * 3600)
        ended = await door.resume({"decisions": [APPROVE, APPROVE]})
        statuses = [row.status for row in await door.services.ledger.rows(THREAD)]
    assert (ended["status"], happened(data_dir)) == ("DONE", [])
    assert statuses == ["expired", "expired"]


async def test_a_resume_by_somebody_without_the_right_is_asked_again(
    data_dir: Path, clock: SetClock
) -> None:
    turn = Turn(["eyes"], {"eyes": [[call("sign_off", item="list")]]})
    async with studio(data_dir, turn, clock) as door:
        await door.send("press")
        await door.resume({"decisions": [APPROVE]})
        assert "finance" in (await door.value())["problem"]
        door.context = Context(teams=("finance",))
        ended = await door.resume({"decisions": [APPROVE]})
    assert (ended["status"], happened(data_dir)) == ("DONE", ["sign_off"])


async def test_an_action_changed_behind_the_approval_is_refused_and_the_thread_is_not_wedged(
    data_dir: Path, clock: SetClock
) -> None:
    change = text("UPDATE effects SET args = replace(args, '1', '820')")
    async with studio(data_dir, TWO, clock) as door:
        await door.send("press")
        await door.services.database.write(lambda conn: conn.execute(change))
        await door.resume({"decisions": [APPROVE, APPROVE]})
        assert happened(data_dir) == []
        clock.advance(73 * 3600)
        ended = await door.resume({"decisions": [APPROVE, APPROVE]})
    assert (ended["status"], happened(data_dir)) == ("DONE", [])


async def test_two_experts_are_resumed_one_at_a_time_by_interrupt_id(
    data_dir: Path, clock: SetClock
) -> None:
    async with studio(data_dir, BOTH, clock) as door:
        door.context = Context(teams=("finance",))
        await door.send("press")
        by_name = {p.value["action_requests"][0]["name"]: p.id for p in await door.pauses()}
        await door.resume({by_name["sign_off"]: {"decisions": [APPROVE]}})
        assert happened(data_dir) == ["sign_off"]
        ended = await door.resume({by_name["press_button"]: {"decisions": [REJECT, REJECT]}})
    assert (ended["status"], happened(data_dir)) == ("DONE", ["sign_off"])


async def test_a_plain_resume_for_two_experts_is_refused_by_langgraph_and_runs_nothing(
    data_dir: Path, clock: SetClock
) -> None:
    async with studio(data_dir, BOTH, clock) as door:
        await door.send("press")
        with pytest.raises(RuntimeError, match="interrupt id"):
            await door.resume({"decisions": [APPROVE]})
        assert len(await door.pauses()) == 2
    assert happened(data_dir) == []


async def test_a_message_to_a_waiting_thread_shows_the_same_actions_again(
    data_dir: Path, clock: SetClock
) -> None:
    async with studio(data_dir, TWO, clock) as door:
        await door.send("press")
        before = await door.value()
        ended = await door.send("something else, amount 820")
        assert "Decide the pending action first" in ended["messages"][-1].text
        assert (await door.value())["action_requests"] == before["action_requests"]
        ended = await door.resume({"decisions": [APPROVE, REJECT]})
        after = await door.send("hi")
    assert (ended["answer"], after["answer"]) == ("All done.", "Hello.")
    assert [line["args"]["item"] for line in journal(data_dir)] == ["red"]
