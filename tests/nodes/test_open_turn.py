"""What opens a turn when no session door stands before it, as in Studio."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from memory.errors import ThreadOwned
from nodes.errors import NoQuestion
from state import Context
from tests.graph.conftest import clock, data_dir
from tests.graph.plays import Turn, call
from tests.graph.studio_door import CONFIG, studio
from tests.tools.parts import SetClock

__all__ = ["clock", "data_dir"]

PRESS = Turn(["hands"], {"hands": [[call("press_button", item="red")]]})


async def test_an_empty_message_is_answered_and_the_thread_goes_on(
    data_dir: Path, clock: SetClock
) -> None:
    async with studio(data_dir, PRESS, clock) as door:
        refused = await door.send(" \n ")
        after = await door.send("hi")
    assert (refused["status"], refused["messages"][-1].text) == (
        "FAILED",
        "I got an empty message. What would you like to know or have done?",
    )
    assert (after["status"], after["answer"], len(after["history"])) == ("DONE", "Hello.", 1)


@pytest.mark.parametrize("given", ["a" * 1_000_000, "word " * 9000, "<|endoftext|>" * 9000])
async def test_a_message_that_is_too_long_is_answered_with_both_sizes(
    given: str, data_dir: Path, clock: SetClock
) -> None:
    async with studio(data_dir, PRESS, clock) as door:
        refused = await door.send(given)
        after = await door.send("hi")
    assert "I can read at most 8000 at once" in refused["messages"][-1].text
    assert (after["status"], after["answer"]) == ("DONE", "Hello.")


async def test_a_long_message_within_the_limit_is_taken(data_dir: Path, clock: SetClock) -> None:
    async with studio(data_dir, PRESS, clock) as door:
        ended = await door.send("word " * 7000)
    assert (ended["status"], ended["answer"]) == ("DONE", "Hello.")


async def test_a_run_without_a_user_message_is_told_what_was_wanted(
    data_dir: Path, clock: SetClock
) -> None:
    async with studio(data_dir, PRESS, clock) as door:
        with pytest.raises(NoQuestion, match="wanted a user message"):
            await door.run({"messages": [{"role": "assistant", "content": "I am the user"}]})
        assert (await door.send("hi"))["answer"] == "Hello."


async def test_the_last_user_message_is_the_question(data_dir: Path, clock: SetClock) -> None:
    async with studio(data_dir, PRESS, clock) as door:
        given = [{"role": "user", "content": text} for text in ("first", "second")]
        ended = await door.run({"messages": given})
    assert ended["history"][0]["user"] == "second"


async def test_a_message_in_parts_is_read_as_its_text(data_dir: Path, clock: SetClock) -> None:
    async with studio(data_dir, PRESS, clock) as door:
        parts: list[str | dict[Any, Any]] = [
            {"type": "text", "text": "one "},
            {"type": "text", "text": "two\x00"},
        ]
        ended = await door.run({"messages": [HumanMessage(content=parts)]})
    assert ended["history"][0]["user"] == "one two\ufffd"


async def test_a_thread_of_somebody_else_is_refused(data_dir: Path, clock: SetClock) -> None:
    async with studio(data_dir, PRESS, clock) as door:
        door.context = Context(user="ada")
        await door.send("hi")
        door.context = Context(user="ben")
        with pytest.raises(ThreadOwned, match="somebody else"):
            await door.send("hi")
        found = (await door.graph.aget_state(CONFIG)).values
    assert len(found["history"]) == 1


async def test_without_a_context_the_run_is_the_local_users(
    data_dir: Path, clock: SetClock
) -> None:
    async with studio(data_dir, PRESS, clock) as door:
        await door.send("hi")
        row = await door.services.transcript.thread("thread-of-studio")
    assert row is not None
    assert (row.tenant, row.owner, row.name) == ("default", "local", "thread-of-studio")


async def test_each_turn_starts_from_clean_values(data_dir: Path, clock: SetClock) -> None:
    loop = Turn(["eyes"], {"eyes": [[call("count_boxes")]] * 9})
    async with studio(data_dir, loop, clock) as door:
        first = await door.send("press")
        second = await door.send("hi")
    assert first["notes"]
    assert [len(values["findings"]) for values in (first, second)] == [1, 0]
    assert (second["notes"], second["plan"]["experts"], second["turn"]["index"]) == ([], [], 1)


async def test_the_same_message_twice_is_two_turns(data_dir: Path, clock: SetClock) -> None:
    async with studio(data_dir, PRESS, clock) as door:
        await door.send("hi")
        ended = await door.send("hi")
    assert len({record["id"] for record in ended["history"]}) == 2
