"""Tools that raise, hang, return too much or what is no JSON: the turn ends, the thread goes on."""

import json
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from graph.session import Desk
from models.quoting import unquoted
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call, observations
from tests.graph.workshop import happened


def eyes(name: str, **args: object) -> Play:
    return Play({"go": Turn(["eyes"], {"eyes": [[call(name, **args)]]})})


def hands(name: str) -> Play:
    return Play({"go": Turn(["hands"], {"hands": [[call(name, item="red")]]})})


async def observed(desk: Desk, play: Play) -> tuple[str, str]:
    """Status of the one call, and what the expert read about it; the thread must go on."""
    reply = await desk.ask(thread="t", user="local", text="go")
    assert reply.status == "done"
    made = (await desk.show("t", "local"))[0]["modules"][0]["calls"][0]
    assert (await desk.ask(thread="t", user="local", text="hi")).text == "Hello."
    return made["status"], observations(play.prompts_of("expert")[1])[0]


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("read_broken", "ValueError: the shelf fell down"),
        ("read_denied", "ask the janitor"),
        ("read_hanging", "no answer within 0.2 s"),
        ("read_exiting", "tried to end the process"),
        ("order_pizza", "unknown_tool: wanted one of count_boxes"),
        ("press_button", "press_button belongs to hands, not to eyes"),
        ("submit_plan", "unknown_tool"),
    ],
)
async def test_a_read_that_goes_wrong_is_an_error_the_expert_can_read(
    tool: str, said: str, open_workshop: OpenDesk
) -> None:
    play = eyes(tool)
    async with open_workshop(play) as desk:
        status, text = await observed(desk, play)
    assert status == "error"
    assert said in text


@pytest.mark.parametrize("args", [{"shelf": 7}, {"floor": 1}, {"shelf": ["A"]}, {"shelf": None}])
async def test_wrong_arguments_say_what_was_wanted_and_what_came(
    args: dict[str, object], open_workshop: OpenDesk
) -> None:
    play = eyes("count_boxes", **args)
    async with open_workshop(play) as desk:
        status, text = await observed(desk, play)
    assert status == "error"
    assert "invalid_arguments: count_boxes:" in text


async def test_a_megabyte_is_cut_for_the_model_and_kept_as_an_artifact(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    play = eyes("read_huge")
    async with open_workshop(play) as desk:
        status, text = await observed(desk, play)
    assert status == "ok"
    assert len(text) < 1000
    assert "100 of " in text
    assert "recall_artifact(id=" in text
    assert (data_dir / "checkpoints.db").stat().st_size < 1_000_000


async def test_what_was_cut_can_be_recalled_by_its_artifact(open_workshop: OpenDesk) -> None:
    play = eyes("read_huge")
    async with open_workshop(play) as desk:
        await desk.ask(thread="t", user="local", text="go")
        artifact = (await desk.show("t", "local"))[0]["modules"][0]["calls"][0]["artifact"]
        again = [[call("recall_artifact", id=artifact, offset=999_960)]]
        play.turns["more"] = Turn(["hands"], {"hands": again})
        await desk.ask(thread="t", user="local", text="more")
    assert "box box box" in observations(play.prompts_of("expert")[-1])[0]


async def test_what_is_no_json_becomes_json(open_workshop: OpenDesk) -> None:
    play = eyes("read_odd")
    async with open_workshop(play) as desk:
        status, text = await observed(desk, play)
    value = json.loads(unquoted(text))
    assert status == "ok"
    assert (value["array"], value["number"], value["set"]) == ([0, 1, 2], 2.5, [1, 2])
    assert (value["nan"], value["object"], value["7"]) == ("nan", "<odd>", "\ufffd")


async def test_one_bad_call_of_a_step_leaves_the_others_their_results(
    open_workshop: OpenDesk,
) -> None:
    calls = [call("read_broken"), call("count_boxes"), call("read_hanging")]
    play = Play({"go": Turn(["eyes"], {"eyes": [calls]})})
    async with open_workshop(play) as desk:
        await desk.ask(thread="t", user="local", text="go")
        made = (await desk.show("t", "local"))[0]["modules"][0]["calls"]
    assert [one["status"] for one in made] == ["error", "ok", "error"]


async def approved(desk: Desk) -> str:
    reply = await desk.ask(thread="t", user="local", text="go")
    decision = {"id": reply.pending[0].id, "type": "approve"}
    return (await desk.decide("t", [decision], user="local")).status


async def test_an_effect_that_says_that_nothing_happened_is_failed(
    open_workshop: OpenDesk,
) -> None:
    play = hands("refuse_politely")
    async with open_workshop(play) as desk:
        assert await approved(desk) == "done"
        made = (await desk.show("t", "local"))[0]["modules"][0]["calls"][0]
    assert (made["status"], made["note"]) == ("error", "conflict: red is too heavy")


@pytest.mark.parametrize("tool", ["hang_up", "break_half_way"])
async def test_an_effect_that_does_not_come_back_is_asked_about_and_never_repeated(
    tool: str, open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(hands(tool)) as desk:
        assert await approved(desk) == "waiting"
        (action,) = await desk.pending("t", user="local")
        assert action.kind == "settle"
        decision = {"id": action.id, "type": "respond", "message": "happened"}
        assert (await desk.decide("t", [decision], user="local")).status == "done"
        assert (await desk.ask(thread="t", user="local", text="hi")).text == "Hello."
    assert happened(data_dir) == [tool]


async def test_an_effect_is_charged_once_even_if_its_result_is_no_json(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(hands("charge_oddly")) as desk:
        assert await approved(desk) == "done"
        assert (await desk.resume("t", user="local")).status == "done"
    assert happened(data_dir) == ["charge_oddly"]


async def test_unreadable_arguments_hold_the_whole_batch_back(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    bad = {"name": "press_button", "args": '{"item"', "id": "b", "error": "no JSON"}
    step = AIMessage(
        "",
        tool_calls=[call("move_box", to="B")],
        invalid_tool_calls=[{**bad, "type": "invalid_tool_call"}],
    )
    play = Play({"go": Turn(["hands"], {"hands": [step]})})
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="local", text="go")
    assert (reply.status, happened(data_dir)) == ("done", [])
