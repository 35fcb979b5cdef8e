"""An effect waits for a person, whose decision counts once, for exactly what was shown."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from graph.errors import DecisionRefused
from graph.replies import Reply
from graph.session import Desk
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call, observations
from tests.graph.workshop import happened, journal
from tests.tools.parts import SetClock

PRESS = Turn(["hands"], {"hands": [[call("press_button", item="red", amount=82)]]})
TWO = Turn(
    ["hands"],
    {"hands": [[call("press_button", "a", item="red"), call("press_button", "b", item="blue")]]},
)


async def press(desk: Desk, text: str = "press") -> Reply:
    reply = await desk.ask(thread="t", user="local", text=text)
    assert reply.status == "waiting"
    return reply


async def decide(desk: Desk, *decisions: dict[str, Any], user: str = "local") -> Reply:
    return await desk.decide("t", decisions, user=user)


async def test_nothing_happens_before_a_person_has_agreed(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play({"press": PRESS})) as desk:
        reply = await press(desk)
        assert happened(data_dir) == []
        done = await decide(desk, {"id": reply.pending[0].id, "type": "approve"})
    assert done.status == "done"
    assert happened(data_dir) == ["press_button"]


async def test_a_request_names_tool_arguments_reasons_expiry_and_the_call_it_came_from(
    open_workshop: OpenDesk, clock: SetClock
) -> None:
    async with open_workshop(Play({"press": PRESS}), approvals={"ttl_hours": 2}) as desk:
        action = (await press(desk)).pending[0]
    assert (action.tool, action.args) == ("press_button", {"item": "red", "amount": 82})
    assert (action.reasons, action.tool_call_id) == (["irreversible"], "call_press_button")
    assert action.expires_at == (clock.now + timedelta(hours=2)).isoformat(timespec="microseconds")


async def test_a_decision_may_name_the_tool_call_instead(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play({"press": PRESS})) as desk:
        reply = await press(desk)
        await decide(desk, {"tool_call_id": reply.pending[0].tool_call_id, "type": "approve"})
    assert happened(data_dir) == ["press_button"]


async def test_a_rejected_call_does_not_run_and_the_model_is_told_why(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    play = Play({"press": PRESS})
    async with open_workshop(play) as desk:
        reply = await press(desk)
        done = await decide(
            desk, {"id": reply.pending[0].id, "type": "reject", "message": "not on a Friday"}
        )
    assert (done.status, happened(data_dir)) == ("done", [])
    assert observations(play.prompts_of("expert")[-1])[0].endswith("call: not on a Friday")


async def test_a_rejected_call_that_comes_again_is_neither_asked_nor_run(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    again = Turn(["hands"], {"hands": [*PRESS.steps["hands"], *PRESS.steps["hands"]]})
    async with open_workshop(Play({"press": again})) as desk:
        reply = await press(desk)
        done = await decide(desk, {"id": reply.pending[0].id, "type": "reject"})
    assert (done.status, done.pending, happened(data_dir)) == ("done", [], [])


async def test_an_edit_runs_the_edited_arguments_once_and_says_so(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    play = Play({"press": PRESS})
    edited = {"name": "press_button", "args": {"item": "green", "amount": 5}}
    async with open_workshop(play) as desk:
        reply = await press(desk)
        done = await decide(
            desk, {"id": reply.pending[0].id, "type": "edit", "edited_action": edited}
        )
        rows = await desk.services.ledger.rows("default:t")
    assert done.status == "done"
    assert [line["args"] for line in journal(data_dir)] == [{"item": "green", "amount": 5}]
    assert {row.status: row.supersedes for row in rows} == {
        "superseded": None,
        "done": reply.pending[0].id,
    }
    assert "a reviewer changed the arguments" in observations(play.prompts_of("expert")[-1])[0]


@pytest.mark.parametrize(
    "edited",
    [
        {"name": "pull_lever", "args": {"item": "green"}},
        {"name": "press_button", "args": {"item": 7}},
        {"name": "press_button", "args": {"item": "x", "amount": -1}},
        {"name": "press_button", "args": {"item": "x", "extra": 1}},
    ],
)
async def test_an_edit_that_does_not_fit_is_refused_and_can_be_made_again(
    edited: dict[str, Any], open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play({"press": PRESS})) as desk:
        action = (await press(desk)).pending[0]
        with pytest.raises(DecisionRefused, match="wanted"):
            await decide(desk, {"id": action.id, "type": "edit", "edited_action": edited})
        assert await desk.pending("t", user="local") == [action]
        done = await decide(desk, {"id": action.id, "type": "approve"})
    assert (done.status, happened(data_dir)) == ("done", ["press_button"])


async def test_a_response_is_handed_to_the_model_as_the_result(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    play = Play({"press": PRESS})
    async with open_workshop(play) as desk:
        reply = await press(desk)
        done = await decide(
            desk, {"id": reply.pending[0].id, "type": "respond", "message": "It is pressed already"}
        )
    assert (done.status, happened(data_dir)) == ("done", [])
    assert observations(play.prompts_of("expert")[-1]) == ["It is pressed already"]


async def test_of_two_calls_one_is_rejected_and_the_other_runs(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play({"press": TWO})) as desk:
        first, second = (await press(desk)).pending
        done = await decide(
            desk, {"id": first.id, "type": "reject"}, {"id": second.id, "type": "approve"}
        )
        record = (await desk.show("t", "local"))[0]
    assert done.status == "done"
    assert [line["args"]["item"] for line in journal(data_dir)] == ["blue"]
    assert [made["status"] for made in record["modules"][0]["calls"]] == ["rejected", "ok"]


async def test_two_calls_can_be_decided_one_at_a_time(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play({"press": TWO})) as desk:
        first, second = (await press(desk)).pending
        halfway = await decide(desk, {"id": second.id, "type": "approve"})
        assert (halfway.status, [a.id for a in halfway.pending]) == ("waiting", [first.id])
        done = await decide(desk, {"id": first.id, "type": "approve"})
    assert done.status == "done"
    assert sorted(line["args"]["item"] for line in journal(data_dir)) == ["blue", "red"]


async def test_decisions_without_ids_count_by_position_only_when_there_is_one_for_each(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play({"press": TWO})) as desk:
        await press(desk)
        with pytest.raises(DecisionRefused, match="wanted 2 decisions"):
            await decide(desk, {"type": "approve"})
        done = await decide(desk, {"type": "reject"}, {"type": "approve"})
    assert done.status == "done"
    assert [line["args"]["item"] for line in journal(data_dir)] == ["blue"]


async def test_a_batch_is_held_as_a_whole_when_one_call_of_it_needs_approval(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    mixed = [call("move_box", to="B"), call("press_button", item="red"), call("peek_shelf")]
    play = Play({"press": Turn(["hands"], {"hands": [mixed]})})
    async with open_workshop(play) as desk:
        reply = await press(desk)
        assert happened(data_dir) == []
        assert [action.tool for action in reply.pending] == ["press_button"]
        await decide(desk, {"id": reply.pending[0].id, "type": "approve"})
        record = (await desk.show("t", "local"))[0]
    assert happened(data_dir) == ["move_box", "press_button"]
    assert [made["name"] for made in record["modules"][0]["calls"]] == [
        "move_box",
        "press_button",
        "peek_shelf",
    ]


async def test_two_experts_wait_together_and_are_decided_one_at_a_time(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    both = Turn(
        ["eyes", "hands"],
        {
            "eyes": [[call("sign_off", item="list")]],
            "hands": [[call("press_button", item="red")]],
        },
    )
    async with open_workshop(Play({"press": both})) as desk:
        reply = await press(desk)
        by_tool = {action.tool: action.id for action in reply.pending}
        halfway = await decide(desk, {"id": by_tool["press_button"], "type": "approve"})
        assert [action.tool for action in halfway.pending] == ["sign_off"]
        assert happened(data_dir) == ["press_button"]
        done = await decide(desk, {"id": by_tool["sign_off"], "type": "approve"})
    assert (done.status, done.text) == ("done", "All done.")
    assert happened(data_dir) == ["press_button", "sign_off"]
