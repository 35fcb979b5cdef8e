"""What happens after the answer: memory is written in the background, durably, at least once."""

import asyncio
from pathlib import Path

import pytest

from graph.background import Background
from graph.hippocampus import build_hippocampus
from graph.session import Desk
from nodes.hippocampus_state import HippocampusInput
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play
from tests.memory.hashing import HashingEmbedder
from tests.tools.parts import SetClock


@pytest.fixture(autouse=True)
def _fast_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.services.shared_embedder", lambda _: HashingEmbedder())


async def facts_of(desk: Desk, user: str = "local") -> list[str]:
    scope = desk._admission.context(user, "default").scope
    return [fact.value for fact in await desk.services.facts.current(scope)]


async def test_what_the_user_states_is_a_fact_in_a_later_process_and_nobody_elses(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(Play()) as desk:
        await desk.ask(thread="t", user="local", text="My name is Ines Moreau.")
    async with open_workshop(Play()) as desk:
        assert await facts_of(desk) == ["Ines Moreau"]
        assert await facts_of(desk, "ada") == []
        assert await desk.services.outbox.counts() == {"done": 1, "empty": 1}


async def test_a_job_that_a_crash_left_is_done_by_the_next_process_and_twice_is_once(
    open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr(Background, "wake", lambda *_: None)
        stopped.setattr(Background, "drain", _nothing)
        stopped.setattr(Background, "close", _nothing)
        async with open_workshop(Play()) as desk:
            await desk.ask(thread="t", user="local", text="My name is Ines Moreau.")
            assert await desk.services.outbox.counts() == {"pending": 2}
    async with open_workshop(Play()) as desk:
        jobs = await desk.services.outbox.pending()
        for _ in range(2):
            await desk.services.background._runs._handle(jobs[0])
        assert await desk.services.background.drain(10)
        assert await facts_of(desk) == ["Ines Moreau"]


async def _nothing(*_: object) -> bool:
    return True


async def test_a_turn_that_was_rolled_back_is_not_remembered(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play()) as desk:
        await desk.ask(thread="t", user="local", text="My name is Ines Moreau.")
        await desk.rollback("t", 1, user="local")
        assert await facts_of(desk) == []
        given: HippocampusInput = {
            "tenant": "default",
            "user": "local",
            "teams": [],
            "thread_id": "default:t",
            "turn_id": "",
        }
        ended = await build_hippocampus(desk.services).compile().ainvoke(given)
    assert ended["outcome"] == "empty"


async def test_a_job_that_raises_is_failed_with_its_reason_and_the_worker_lives(
    open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch, clock: SetClock
) -> None:
    async def broken(*_: object, **__: object) -> None:
        message = "disk full"
        raise OSError(message)

    monkeypatch.setattr("memory.remembering.Memory.remember_turn", broken)
    async with open_workshop(Play()) as desk:
        await desk.ask(thread="t", user="local", text="My name is Ines Moreau.")
        for _ in range(8):
            assert await desk.services.background.drain(10)
            clock.advance(3600)
        assert await desk.services.outbox.counts() == {"failed": 1, "empty": 1}
        (failed, _) = await desk.jobs(user="local")
        assert (failed.kind, failed.state, failed.tries) == ("turn_closed", "failed", 8)
        assert failed.note == "OSError: disk full"
        assert (await desk.ask(thread="t", user="local", text="hi")).text == "Hello."


async def test_what_cannot_be_finished_in_time_is_left_for_the_next_start(
    open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hangs(*_: object, **__: object) -> None:
        await asyncio.sleep(30)

    with monkeypatch.context() as slow:
        slow.setattr("memory.remembering.Memory.remember_turn", hangs)
        async with open_workshop(Play()) as desk:
            await desk.ask(thread="t", user="local", text="My name is Ines Moreau.")
            assert not await desk.services.background.drain(0.2)
            assert await desk.services.outbox.counts() == {"pending": 2}
            slow.undo()
    async with open_workshop(Play()) as desk:
        await desk.services.background.drain(10)
        assert await facts_of(desk) == ["Ines Moreau"]


async def test_the_worker_wakes_for_a_row_and_ends_with_the_desk(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play()) as desk:
        await desk.ask(thread="t", user="local", text="My name is Ines Moreau.")
        for _ in range(400):
            if (await desk.services.outbox.counts()).get("done"):
                break
            await asyncio.sleep(0.02)
        assert await facts_of(desk) == ["Ines Moreau"]
    left = [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert left == []
