"""A long thread is folded after the answer; facts, rules and results stay, originals too."""

from pathlib import Path

from langchain_core.runnables import RunnableConfig

from graph.session import Desk
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Step, Turn, call
from tests.graph.workshop import happened

CONFIG: RunnableConfig = {"configurable": {"thread_id": "default:t"}}
MARKS = {"high_water_tokens": 200, "low_water_tokens": 60}
RULE = "Never move a box on Fridays."


def play(turns: int) -> Play:
    """A first turn with an effect and a rule, then talk."""
    first = f"Press the red button. {RULE}"
    asked = {first: Turn(["hands"], {"hands": [[call("press_button", item="red")]]})}
    for n in range(turns):
        peek: list[Step] = [[call("peek_shelf", shelf=f"S{n}")], f"shelf S{n} holds three boxes"]
        asked[f"What is on shelf S{n}, please?"] = Turn(["hands"], {"hands": peek})
    return Play(asked)


async def talk(desk: Desk, acted: Play) -> None:
    for question in acted.turns:
        reply = await desk.ask(thread="t", user="local", text=question)
        if reply.pending:
            decision = {"id": reply.pending[0].id, "type": "approve"}
            reply = await desk.decide("t", [decision], user="local")
        assert reply.status == "done"


async def test_a_fold_keeps_rules_effects_and_the_newest_turns(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    acted = play(8)
    async with open_workshop(acted, history=MARKS) as desk:
        await talk(desk, acted)
        values = (await desk.graph.aget_state(CONFIG)).values
        await desk.ask(thread="t", user="local", text="and now?")
    prompt = acted.prompts[-1].text
    assert 0 < len(values["history"]) < 9
    assert RULE in prompt
    assert "press_button" in prompt
    assert "red" in prompt
    assert "What is on shelf S7" in prompt
    assert values["history"][-1]["index"] == 8
    assert happened(data_dir) == ["press_button"]


async def test_the_folded_turns_stay_in_the_transcript_and_their_results_can_be_recalled(
    open_workshop: OpenDesk,
) -> None:
    acted = play(8)
    async with open_workshop(acted, history=MARKS) as desk:
        await talk(desk, acted)
        records = await desk.show("t", "local")
        artifact = records[1]["modules"][0]["calls"][0]["artifact"]
        again = [[call("recall_artifact", id=artifact)]]
        acted.turns["look again"] = Turn(["hands"], {"hands": again})
        await desk.ask(thread="t", user="local", text="look again")
    assert [record["index"] for record in records] == list(range(9))
    assert '"shelf": "S0"' in acted.prompts_of("expert")[-1].text


async def test_messages_and_history_are_folded_together(open_workshop: OpenDesk) -> None:
    acted = play(8)
    async with open_workshop(acted, history=MARKS) as desk:
        await talk(desk, acted)
        values = (await desk.graph.aget_state(CONFIG)).values
    users = [message.text for message in values["messages"] if message.type == "human"]
    assert users == [record["user"] for record in values["history"]]


async def test_below_the_high_water_mark_nothing_is_folded(open_workshop: OpenDesk) -> None:
    acted = play(8)
    async with open_workshop(acted, history={"high_water_tokens": 100_000}) as desk:
        await talk(desk, acted)
        values = (await desk.graph.aget_state(CONFIG)).values
    assert len(values["history"]) == 9
    assert (values["summary"], values["done"], values["constraints"]) == ("", [], [])
