"""One run at a time on a thread, several processes on one file, and nothing lost between them."""

import ast
import asyncio
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from graph.errors import ThreadIsBusy
from graph.session import Desk, open_desk
from tests.graph.child import run
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call, plan
from tests.graph.workshop import happened, workshop

ROOT = Path(__file__).parents[2]
SLOW = {
    "one": Turn(plan(answer="First."), delay_s=0.3),
    "two": Turn(plan(answer="Second."), delay_s=0.1),
    "press": Turn(["hands"], {"hands": [[call("press_button", item="red")]]}),
}


async def users_words(desk: Desk, thread: str = "t") -> list[str]:
    return [turn["user"] for turn in await desk.show(thread, "local")]


async def test_of_two_messages_at_once_one_is_refused_and_none_is_lost(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(Play(SLOW)) as desk:
        both = [desk.ask(thread="t", user="local", text=word) for word in ("one", "two")]
        ended = await asyncio.gather(*both, return_exceptions=True)
        refused = [end for end in ended if isinstance(end, ThreadIsBusy)]
        assert len(refused) == 1
        assert str(refused[0]).startswith("thread 't' has a run in progress since")
        taken = "one" if isinstance(ended[1], ThreadIsBusy) else "two"
        assert await users_words(desk) == [taken]


async def test_a_second_message_can_queue_and_sees_the_first_ones_turn(
    open_workshop: OpenDesk,
) -> None:
    play = Play(SLOW)
    async with open_workshop(play) as desk:
        first = asyncio.create_task(desk.ask(thread="t", user="local", text="one"))
        await asyncio.sleep(0.1)
        second = await desk.ask(thread="t", user="local", text="two", on_busy="queue")
        assert (await first).text == "First."
        assert await users_words(desk) == ["one", "two"]
    assert second.text == "Second."
    assert "First." in play.prompts[-1].text


async def test_threads_do_not_wait_for_each_other(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play(SLOW)) as desk:
        names = [f"t{n}" for n in range(5)]
        asked = [desk.ask(thread=name, user="local", text="one") for name in names]
        replies = await asyncio.wait_for(asyncio.gather(*asked), 10)
    assert [reply.text for reply in replies] == ["First."] * 5


async def test_two_desks_on_one_file_refuse_each_other_on_one_thread(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(Play(SLOW)) as here, open_workshop(Play(SLOW)) as there:
        first = asyncio.create_task(here.ask(thread="t", user="local", text="one"))
        await asyncio.sleep(0.15)
        with pytest.raises(ThreadIsBusy):
            await there.ask(thread="t", user="local", text="two")
        await first
        assert (await there.ask(thread="t", user="local", text="two")).text == "Second."
        assert await users_words(here) == ["one", "two"]


async def test_of_two_decisions_at_once_one_counts(open_workshop: OpenDesk, data_dir: Path) -> None:
    async with open_workshop(Play(SLOW)) as here, open_workshop(Play(SLOW)) as there:
        reply = await here.ask(thread="t", user="local", text="press")
        decision = [{"id": reply.pending[0].id, "type": "approve"}]
        both = [desk.decide("t", decision, user="local") for desk in (here, there)]
        ended = await asyncio.gather(*both, return_exceptions=True)
    assert sum(isinstance(end, Exception) for end in ended) == 1
    assert happened(data_dir) == ["press_button"]


async def test_a_turn_that_is_cancelled_can_be_resumed(open_workshop: OpenDesk) -> None:
    """Ctrl-C in the middle of a model call; every step before it is on disk."""
    play = Play({"one": Turn(["eyes"], {"eyes": [[call("count_boxes")]]}, delay_s=0.3)})
    async with open_workshop(play) as desk:
        running = asyncio.create_task(desk.ask(thread="t", user="local", text="one"))
        while not play.prompts_of("expert"):  # noqa: ASYNC110 - the script has no event
            await asyncio.sleep(0.02)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        reply = await desk.resume("t", user="local")
        assert await users_words(desk) == ["one"]
    assert (reply.status, reply.text) == ("done", "All done.")
    assert len(play.prompts_of("router")) == 1


async def test_a_turn_waits_for_another_process_that_writes(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(SLOW)) as desk:
        await desk.ask(thread="t", user="local", text="hi")
        for name in ("hippograph.db", "checkpoints.db"):
            with closing(sqlite3.connect(data_dir / name, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                asked = asyncio.create_task(desk.ask(thread="t", user="local", text="two"))
                await asyncio.sleep(0.4)
                assert not asked.done()
                other.execute("COMMIT")
            assert (await asked).text == "Second."
        assert await users_words(desk) == ["hi", "two", "two"]


def test_three_processes_open_an_empty_folder_at_once(tmp_path: Path) -> None:
    """Migrations run once; each process has its turn on its own or a clear refusal."""
    folder = tmp_path / "data"
    with ThreadPoolExecutor(3) as pool:
        ended = list(pool.map(lambda _: run(folder, ["ask", "hi"]), range(3)))
    done = [json.loads(end.stdout) for end in ended if end.returncode == 0]
    refused = [end.stderr for end in ended if end.returncode != 0]
    assert done
    assert all(reply["text"] == "Hello." for reply in done)
    assert all("ThreadIsBusy" in text for text in refused), refused
    with closing(sqlite3.connect(folder / "hippograph.db")) as books:
        assert books.execute("SELECT count(*) FROM turns").fetchone() == (len(done),)


def test_a_desk_can_be_opened_again_in_another_event_loop(data_dir: Path) -> None:
    async def once() -> str:
        async with open_desk(workshop(data_dir), models=Play().models) as desk:
            return (await desk.ask(thread="t", user="local", text="hi")).text

    assert [asyncio.run(asyncio.wait_for(once(), 20)) for _ in range(2)] == ["Hello."] * 2


def test_no_room_uses_a_sync_saver_or_a_sync_run() -> None:
    savers = {"SqliteSaver", "PostgresSaver", "MemorySaver", "InMemorySaver"}
    runs = {"invoke", "update_state"}
    found = []
    for room in ("graph", "nodes", "tools", "memory", "models"):
        for file in (ROOT / room).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            if not any(name in text for name in savers | runs):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Name) and node.id in savers:
                    found.append(f"{file.name}: {node.id}")
                if isinstance(node, ast.Attribute) and node.attr in runs:
                    found.append(f"{file.name}: .{node.attr}")
    assert found == []
