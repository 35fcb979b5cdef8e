"""A streamed run says what happens, in order, and ends with the whole reply."""

import asyncio
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from graph.errors import ThreadIsBusy
from graph.replies import Event, Reply
from graph.session import Desk
from tests.fakes.scripted import scripted
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call, plan
from tests.graph.workshop import CANARY, happened

PLAY = {
    "count": Turn(
        ["eyes"], {"eyes": [[call("count_boxes", shelf="B")], "three"]}, answer="There are three."
    ),
    "press": Turn(["hands"], {"hands": [[call("peek_shelf")], [call("press_button", item="red")]]}),
    "lost": Turn(plan(ask="Which shelf?")),
}


async def events(desk: Desk, text: str, thread: str = "t") -> list[Event]:
    return [event async for event in desk.stream(thread=thread, user="local", text=text)]


def reply_of(found: list[Event]) -> Reply:
    reply: Reply = found[-1].data["reply"]
    return reply


async def test_a_turn_streams_plan_consultation_tools_and_the_answer_word_by_word(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        found = await events(desk, "count")
    kinds = [event.kind for event in found]
    assert kinds[:3] == ["plan", "consult", "tool"]
    assert set(kinds[3:-1]) == {"token"}
    assert kinds[-1] == "answer"
    assert "".join(event.data["text"] for event in found[3:-1]) == "There are three."
    assert found[1].data["name"] == "eyes"
    assert (found[2].data["name"], found[2].data["status"]) == ("count_boxes", "ok")
    assert reply_of(found).text == "There are three."


async def test_what_the_background_says_meanwhile_is_not_in_the_stream(
    open_workshop: OpenDesk,
) -> None:
    """A summary is written while a turn streams; the model's words stay where they belong."""
    waits, go_on = asyncio.Event(), asyncio.Event()
    play = Play(PLAY)

    async def script(
        role: str, messages: list[BaseMessage], tools: object
    ) -> AIMessage | str | Exception:
        if role != "summarizer":
            return await play.say(role, messages, tools)
        waits.set()
        await go_on.wait()
        return "zq417 words of the background"

    models = scripted(script)
    play.models = models
    small = {"high_water_tokens": 60, "low_water_tokens": 30, "summary_tokens": 120}
    summarizer = {"provider": "openai", "model": "gpt-4.1-mini"}
    async with open_workshop(play, history=small, models={"summarizer": summarizer}) as desk:
        for n in range(6):
            await events(desk, f"hi number {n}, and a good long day to you all over there")
        running = asyncio.create_task(desk.services.background.drain(20))
        await asyncio.wait_for(waits.wait(), 10)
        streamed = asyncio.create_task(events(desk, "count"))
        await asyncio.sleep(0)
        go_on.set()
        found = await streamed
        await running
    assert reply_of(found).text == "There are three."
    assert not [event for event in found if "zq417" in str(event.data)]


async def test_no_word_of_a_router_or_an_expert_is_streamed_as_the_answer(
    open_workshop: OpenDesk,
) -> None:
    async def script(role: str, _messages: list[BaseMessage], _tools: object) -> AIMessage | str:
        return plan("eyes", "hands") if role == "router" else f"words of the {role}"

    play = Play()
    for model in play.models.values():
        model.script = script
    async with open_workshop(play) as desk:
        found = await events(desk, "both")
    tokens = "".join(event.data["text"] for event in found if event.kind == "token")
    assert tokens == "words of the synthesizer"


async def test_a_question_back_comes_whole_at_the_end(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        found = await events(desk, "lost")
    assert [event.kind for event in found if event.kind != "token"] == ["plan", "answer"]
    assert reply_of(found).text == "Which shelf?"


async def test_a_pause_streams_the_action_and_ends_waiting(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        found = await events(desk, "press")
        approval = next(event for event in found if event.kind == "approval")
        assert approval.data["action"].tool == "press_button"
        assert (reply_of(found).status, reply_of(found).text) == ("waiting", "")
        again = await events(desk, "count")
        assert [event.kind for event in again] == ["approval", "answer"]
        assert "Decide it or cancel it" in reply_of(again).text
        decision = {"id": approval.data["action"].id, "type": "approve"}
        assert (await desk.decide("t", [decision], user="local")).status == "done"
    assert happened(data_dir) == ["press_button"]


async def test_no_payload_is_streamed(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        found = await events(desk, "press")
    assert CANARY not in repr(found)


async def test_a_stream_leaves_what_asking_leaves(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await events(desk, "count", "streamed")
        await desk.ask(thread="asked", user="local", text="count")
        one, two = [(await desk.show(name, "local"))[0] for name in ("streamed", "asked")]
    same = ("user", "route", "answer", "status", "index")
    assert [one[key] for key in same] == [two[key] for key in same]  # type: ignore[literal-required]


async def test_a_stream_that_nobody_reads_to_its_end_frees_the_thread_and_can_be_resumed(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        stream = desk.stream(thread="t", user="local", text="count")
        async for event in stream:
            if event.kind == "plan":
                break
        await stream.aclose()  # type: ignore[attr-defined]
        reply = await desk.resume("t", user="local")
        assert (reply.status, reply.text) == ("done", "There are three.")


async def test_a_second_stream_on_a_busy_thread_is_refused(open_workshop: OpenDesk) -> None:
    slow = Turn(plan(answer="Slow."), delay_s=0.3)
    async with open_workshop(Play({"slow": slow})) as desk:
        first = asyncio.create_task(events(desk, "slow"))
        await asyncio.sleep(0.15)
        with pytest.raises(ThreadIsBusy):
            await events(desk, "slow")
        assert reply_of(await first).text == "Slow."


async def test_notes_are_streamed_before_the_answer(open_workshop: OpenDesk) -> None:
    loop = Turn(["eyes"], {"eyes": [[call("count_boxes")]] * 9})
    async with open_workshop(Play({"loop": loop})) as desk:
        found = await events(desk, "loop")
    assert [event.kind for event in found[-2:]] == ["note", "answer"]
    assert reply_of(found).as_json()["notes"] == [found[-2].data["text"]]
