"""What a user states is stored before the answer, once, and every module is told from the store."""

from typing import NoReturn

import pytest
from langchain_core.runnables import RunnableConfig

from graph.session import Desk
from memory.facts import Facts
from state import MemoryNote, Scope, thread_key
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, block_of

ADA = Scope(user="ada")


async def note_of(desk: Desk, thread: str) -> MemoryNote:
    config: RunnableConfig = {"configurable": {"thread_id": thread_key("default", thread)}}
    note: MemoryNote = (await desk.graph.aget_state(config)).values["memory"]
    return note


async def test_stored_and_noted_agree_and_the_background_stores_nothing_again(
    open_workshop: OpenDesk,
) -> None:
    play = Play()
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="ada", text="I work for Bosch.")
        facts = desk.services.facts
        stored = await facts.history(ADA)
        note = await note_of(desk, "t")
        assert await desk.services.background.drain(30)
        assert await facts.history(ADA) == stored
    assert (reply.status, reply.notes) == ("done", [])
    assert note["noted"] == [f"{one.slot}: {one.value}" for one in stored] == ["employer: Bosch"]
    assert [len(one.mentions) for one in stored] == [1]
    (prompt,) = play.prompts_of("router")
    told = block_of(prompt.messages, "question")["note"]
    assert told["noted"] == note["noted"]
    assert [(one["slot"], one["value"]) for one in told["facts"]] == [("employer", "Bosch")]


async def test_what_is_known_comes_with_every_question(open_workshop: OpenDesk) -> None:
    play = Play()
    async with open_workshop(play) as desk:
        await desk.ask(thread="t", user="ada", text="I moved to Braga.")
    async with open_workshop(play) as desk:
        await desk.ask(thread="u", user="ada", text="Where do I live?")
        left = await note_of(desk, "u")
    note = block_of(play.prompts_of("router")[-1].messages, "question")["note"]
    assert note["noted"] == []
    assert left["facts"] == []
    assert [(one["slot"], one["value"]) for one in note["facts"]] == [("location", "Braga")]
    assert note["facts"][0]["source"].startswith("you said so on 20")


async def test_a_turn_goes_on_when_nothing_can_be_stored_and_says_so(
    open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> NoReturn:
        raise OSError("disk full")

    async with open_workshop(Play()) as desk:
        with monkeypatch.context() as broken:
            broken.setattr(Facts, "add", full)
            reply = await desk.ask(thread="t", user="ada", text="I work for Bosch.")
        note = await note_of(desk, "t")
    assert (reply.status, note["noted"]) == ("done", [])
    assert any("disk full" in one for one in reply.notes)
