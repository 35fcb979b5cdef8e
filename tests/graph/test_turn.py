"""A turn from question to answer, with several experts, in one process."""

import asyncio
from pathlib import Path

from langchain_core.messages import AIMessage, BaseMessage

from configs.settings import load_settings
from graph.session import open_desk
from models.errors import Refused
from tests.fakes.scripted import scripted
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, block_of, call, observations, plan
from tests.graph.workshop import CANARY

FAULT = Refused(wanted="an answer", came="a refusal", next_step="Ask in other words.")


def findings(play: Play) -> list[tuple[str, str, str]]:
    """What the synthesizer was told, from its brief."""
    prompt = play.prompts_of("synthesizer")[0]
    told = block_of(prompt.messages, "brief")["findings"]
    assert all(finding["text"] in prompt.text for finding in told)
    return [(finding["expert"], finding["status"], finding["text"]) for finding in told]


async def test_a_greeting_is_answered_without_any_expert(open_workshop: OpenDesk) -> None:
    play = Play()
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="local", text="hi")
    assert (reply.status, reply.text, reply.consulted) == ("done", "Hello.", [])
    assert [prompt.role for prompt in play.prompts] == ["router"]


async def test_an_unclear_request_is_asked_back(open_workshop: OpenDesk) -> None:
    play = Play({"it": Turn(plan(ask="Which shelf?"))})
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="local", text="it")
    assert (reply.status, reply.text) == ("done", "Which shelf?")


async def test_an_expert_reads_what_its_tool_returned_and_is_quoted_by_the_synthesizer(
    open_workshop: OpenDesk,
) -> None:
    play = Play({"count": Turn(["eyes"], {"eyes": [[call("count_boxes", shelf="B")], "three"]})})
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="local", text="count")
        record = (await desk.show("t", "local"))[0]
    assert (reply.status, reply.text, reply.consulted) == ("done", "All done.", ["eyes"])
    assert observations(play.prompts_of("expert")[1]) == ['<data>\n{"boxes on B": 3}\n</data>']
    assert findings(play) == [("eyes", "ok", "three")]
    assert record["modules"][0]["calls"][0]["args"] == {"shelf": "B"}


async def test_experts_are_consulted_side_by_side(open_workshop: OpenDesk) -> None:
    met = asyncio.Barrier(2)

    async def script(role: str, messages: list[BaseMessage], _: object) -> AIMessage | str:
        if role == "router":
            return plan("eyes", "hands")
        if role == "expert":
            await asyncio.wait_for(met.wait(), 5)
        return f"{role} is done"

    play = Play()
    play.models = scripted(script)
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="local", text="both")
    assert (reply.status, reply.consulted) == ("done", ["eyes", "hands"])


async def test_safe_calls_of_one_step_run_side_by_side(data_dir: Path) -> None:
    """The four reports of the sample company are read in one step, and all are answered."""
    months = [f"2026-0{n}" for n in range(1, 5)]
    calls = [call("report_revenue", f"c{n}", month=month) for n, month in enumerate(months)]
    play = Play({"revenue": Turn(["analytics"], {"analytics": [calls]})})
    settings = load_settings(data_dir=data_dir, recall={"enabled": False})
    async with open_desk(settings, models=play.models) as desk:
        reply = await desk.ask(thread="t", user="local", text="revenue")
        record = (await desk.show("t", "local"))[0]
    assert reply.status == "done"
    assert [made["id"] for made in record["modules"][0]["calls"]] == ["c0", "c1", "c2", "c3"]
    assert {made["status"] for made in record["modules"][0]["calls"]} == {"ok"}


async def test_when_one_of_two_experts_fails_the_other_is_still_heard(
    open_workshop: OpenDesk,
) -> None:
    play = Play({"both": Turn(["eyes", "hands"], {"eyes": [FAULT], "hands": ["moved it"]})})
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="local", text="both")
        record = (await desk.show("t", "local"))[0]
    assert (reply.status, record["status"]) == ("done", "partial")
    assert any("eyes ended failed" in note for note in reply.notes)
    assert findings(play)[1] == ("hands", "ok", "moved it")


async def test_an_expert_that_breaks_after_a_call_says_what_it_had_done(
    open_workshop: OpenDesk,
) -> None:
    play = Play({"count": Turn(["eyes"], {"eyes": [[call("count_boxes")], FAULT]})})
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="local", text="count")
    assert reply.status == "done"
    assert "Done before that: count_boxes: ok" in play.prompts_of("synthesizer")[0].text


async def test_when_all_experts_fail_the_turn_is_failed_and_the_thread_goes_on(
    open_workshop: OpenDesk,
) -> None:
    play = Play({"count": Turn(["eyes"], {"eyes": [FAULT]}, answer=FAULT)})
    async with open_workshop(play) as desk:
        failed = await desk.ask(thread="t", user="local", text="count")
        after = await desk.ask(thread="t", user="local", text="hi")
    assert (failed.status, after.status, after.notes) == ("failed", "done", [])
    assert "I could not finish" in failed.text


async def test_without_a_synthesizer_the_findings_are_the_answer(open_workshop: OpenDesk) -> None:
    play = Play({"both": Turn(["eyes", "hands"], {"eyes": ["three"]}, answer=FAULT)})
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="local", text="both")
    assert reply.text == "eyes: three\n\nhands: hands is done."
    assert "not written by the synthesizer" in reply.notes[0]


async def test_every_module_of_the_next_turn_sees_what_was_called_but_not_what_came_back(
    open_workshop: OpenDesk,
) -> None:
    play = Play(
        {
            "peek": Turn(["hands"], {"hands": [[call("peek_shelf", shelf="C")], "I saw it"]}),
            "and now": Turn(["eyes", "hands"]),
        }
    )
    async with open_workshop(play) as desk:
        await desk.ask(thread="t", user="local", text="peek")
        seen = len(play.prompts)
        await desk.ask(thread="t", user="local", text="and now")
    later = play.prompts[seen:]
    assert [prompt.role for prompt in later].count("expert") == 2
    assert all('peek_shelf {"shelf":"C"} -> ok #0.1' in p.text for p in later)
    assert not any(CANARY in prompt.text for prompt in later)


async def test_threads_of_one_user_do_not_see_each_other(open_workshop: OpenDesk) -> None:
    play = Play()
    async with open_workshop(play) as desk:
        await desk.ask(thread="one", user="local", text="the word is tangerine")
        await desk.ask(thread="two", user="local", text="hi")
        names = [found.thread for found in await desk.threads("local")]
    assert "tangerine" not in play.prompts[-1].text
    assert sorted(names) == ["one", "two"]


async def test_an_expert_that_goes_round_in_circles_is_told_and_then_stopped(
    open_workshop: OpenDesk,
) -> None:
    same = [call("count_boxes", shelf="A")]
    play = Play({"loop": Turn(["eyes"], {"eyes": [same] * 40})})
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="local", text="loop")
    asked = play.prompts_of("expert")
    assert len(asked) == 4
    assert "going round in circles" in observations(asked[3])[-1]
    assert "came again and again" in reply.notes[0]


async def test_an_expert_that_heeds_the_hint_ends_well(open_workshop: OpenDesk) -> None:
    same = [call("count_boxes", shelf="A")]
    play = Play({"loop": Turn(["eyes"], {"eyes": [same, same, same, "three boxes"]})})
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="local", text="loop")
    assert (reply.status, reply.notes) == ("done", [])


async def test_an_expert_that_never_ends_is_stopped_at_its_last_step(
    open_workshop: OpenDesk,
) -> None:
    steps = [[call("count_boxes", f"c{n}", shelf=f"S{n}")] for n in range(40)]
    play = Play({"loop": Turn(["eyes"], {"eyes": steps})})
    async with open_workshop(play, limits={"max_steps": 4}) as desk:
        reply = await desk.ask(thread="t", user="local", text="loop")
    assert reply.status == "done"
    assert "I stopped after 4 steps" in reply.notes[0]
