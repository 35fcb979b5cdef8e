"""Jobs of the background: when they run, who runs them, what is left when a process ends."""

import asyncio
import json
import signal
import sqlite3
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from graph.background import Background
from graph.errors import UnknownJob
from graph.session import Desk
from memory.outbox import Job
from models.errors import ConnectionFailed
from tests.forks import Forked, command_line
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call
from tests.memory.hashing import HashingEmbedder
from tests.tools.parts import SetClock

SHORT: dict[str, Any] = {"pause_s": 0.3, "give_way_s": 0.2}
NAME = "My name is Ines Moreau."
PRESS = Turn(["hands"], {"hands": [[call("press_button", item="red")]]})


@pytest.fixture(autouse=True)
def _fast_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.services.shared_embedder", lambda _: HashingEmbedder())


async def until(done: Callable[[], Awaitable[bool]], seconds: float = 30.0) -> None:
    async with asyncio.timeout(seconds):
        while not await done():  # noqa: ASYNC110 - another process or thread does it
            await asyncio.sleep(0.02)


async def kinds(desk: Desk) -> list[tuple[str, str]]:
    found = await desk.jobs(user="local")
    return sorted((job.kind, job.state) for job in found)


async def nothing_waits(desk: Desk) -> bool:
    return not await desk.services.outbox.pending()


async def say(desk: Desk, text: str, thread: str = "t") -> None:
    reply = await desk.ask(thread=thread, user="local", text=text)
    if reply.pending:
        decision = {"id": reply.pending[0].id, "type": "approve"}
        await desk.decide(thread, [decision], user="local")


async def episodes(desk: Desk) -> int:
    query = "SELECT count(*) FROM episodes WHERE kind = 'episode'"
    file = desk.services.database.file
    assert file is not None
    with closing(sqlite3.connect(file)) as books:
        return int(books.execute(query).fetchone()[0])


def leave(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A process that ends without a word."""

    async def nothing(*_: object) -> bool:
        return True

    monkeypatch.setattr(Background, "wake", lambda *_: None)
    monkeypatch.setattr(Background, "close", nothing)
    return monkeypatch


async def test_turns_within_a_pause_are_consolidated_together_and_by_the_engine(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play({"press": PRESS}), hippocampus=SHORT) as desk:
        await desk.services.background.launch()
        for text in (NAME, "press", "thanks"):
            await say(desk, text)
        await until(lambda: nothing_waits(desk))
        assert await kinds(desk) == [("consolidate", "done"), *[("turn_closed", "done")] * 3]
        assert await episodes(desk) == 1
    with closing(sqlite3.connect(data_dir / "hippograph.db")) as books:
        ran = books.execute("SELECT status, executor_id FROM workflow_status").fetchall()
    assert set(ran) == {("SUCCESS", "host-0")}


async def test_a_thread_that_never_rests_is_consolidated_at_the_ceiling(
    open_workshop: OpenDesk, clock: SetClock
) -> None:
    patient = {"pause_s": 30.0, "pause_ceiling_s": 60.0}
    async with open_workshop(Play(), hippocampus=patient) as desk:
        for _ in range(4):
            await say(desk, "hi")
            clock.advance(20)
            await desk.services.background.drain(10)
        found = await desk.jobs(user="local")
    consolidated = [job for job in found if job.kind == "consolidate"]
    assert [job.state for job in consolidated] == ["pending", "empty"]


async def test_no_text_and_no_name_of_a_thread_is_in_the_engines_tables(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(), hippocampus=SHORT) as desk:
        await desk.services.background.launch()
        await say(desk, "zq417-canary-text", "zq417-canary-name")
        await until(lambda: nothing_waits(desk))
    with closing(sqlite3.connect(data_dir / "hippograph.db")) as books:
        tables = [row[0] for row in books.execute("SELECT name FROM sqlite_master")]
        engine = [name for name in tables if name.startswith(("workflow", "operation", "queue"))]
        rows = [
            str(row) for name in engine if "index" not in name and "idx" not in name
            for row in _rows(books, name)
        ]  # fmt: skip
    assert any("job_" in row for row in rows)
    assert not [row for row in rows if "canary" in row]


def _rows(books: sqlite3.Connection, name: str) -> list[Any]:
    try:
        return books.execute(f'SELECT * FROM "{name}"').fetchall()
    except sqlite3.OperationalError:  # an index
        return []


async def test_the_second_desk_of_a_database_writes_rows_and_the_first_one_runs_them(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(Play()) as first, open_workshop(Play()) as second:
        assert await first.services.background.is_host()
        await say(second, NAME)
        assert not await second.services.background.is_host()
        assert not await second.services.background.drain(5)
        assert await kinds(second) == [("consolidate", "pending"), ("turn_closed", "pending")]
        assert await first.services.background.drain(5)
        assert await kinds(second) == [("consolidate", "pending"), ("turn_closed", "done")]


async def test_the_next_turn_does_not_wait_for_the_background(
    open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, go_on = asyncio.Event(), asyncio.Event()

    async def slow(*_: object, **__: object) -> None:
        started.set()
        await go_on.wait()

    monkeypatch.setattr("memory.remembering.Memory.remember_turn", slow)
    async with open_workshop(Play()) as desk:
        await say(desk, "hi")
        running = asyncio.create_task(desk.services.background.drain(20))
        await started.wait()
        await say(desk, "and now?")
        assert not running.done()
        go_on.set()
        monkeypatch.undo()
        await running


async def test_a_models_outage_stays_pending_however_often_it_is_tried(
    open_workshop: OpenDesk, clock: SetClock
) -> None:
    async with open_workshop(Play()) as desk:
        await say(desk, NAME)
        runs = desk.services.background._runs
        handle = runs._handle
        runs._handle = down
        for _ in range(20):
            await desk.services.background.drain(5)
            clock.advance(3600)
        found = await desk.jobs(user="local")
        assert {job.state for job in found} == {"pending"}
        tries = {job.kind: job.tries for job in found}
        assert tries["turn_closed"] == 20
        assert tries["consolidate"] in (19, 20), "its pause may end before or after the first drain"
        assert all("out of reach" in job.note for job in found)
        runs._handle = handle
        assert await desk.retry_jobs(user="local") == 2
        await desk.services.background.drain(5)
        assert await kinds(desk) == [("consolidate", "empty"), ("turn_closed", "done")]


async def down(_: Job) -> tuple[str, str]:
    raise ConnectionFailed(wanted="a reply", came="out of reach", next_step="wait")


async def test_only_a_failed_job_of_ones_own_is_tried_again(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play()) as desk:
        await say(desk, NAME)
        (job, *_) = await desk.jobs(user="local")
        for user, job_id in (("local", job.id), ("local", "job_none"), ("ada", job.id)):
            with pytest.raises(UnknownJob):
                await desk.retry_jobs(job_id, user=user)


async def test_the_background_run_ten_times_over_remembers_once(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play({"press": PRESS})) as desk:
        for text in (NAME, "press"):
            await say(desk, text)
        await desk.consolidate("t", user="local")
        scope = desk._admission.context("local", "default").scope
        before = (await episodes(desk), await desk.services.facts.current(scope))
        for job in await desk.services.outbox.of_user(scope):
            for _ in range(10):
                await desk.services.background._runs._handle(job)
        assert (await episodes(desk), await desk.services.facts.current(scope)) == before
        assert before[0] == 1


async def test_consolidation_by_hand_does_not_wait_for_a_pause(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play({"press": PRESS})) as desk:
        await say(desk, "press")
        done = await desk.consolidate("t", user="local")
        again = await desk.consolidate("t", user="local")
        assert (done.kind, done.state, done.tries) == ("consolidate", "done", 1)
        assert again.id == done.id
        assert await episodes(desk) == 1


async def test_a_job_that_is_cut_off_is_recovered_by_the_next_host(
    open_workshop: OpenDesk, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = asyncio.Event()

    async def hang(*_: object, **__: object) -> None:
        hanging.set()
        await asyncio.Event().wait()

    with monkeypatch.context() as slow:
        slow.setattr("memory.remembering.Memory.remember_turn", hang)
        async with open_workshop(Play(), hippocampus={"drain_s": 0.1}) as desk:
            await desk.services.background.launch()
            await say(desk, NAME)
            await asyncio.wait_for(hanging.wait(), 20)
    with closing(sqlite3.connect(data_dir / "hippograph.db")) as books:
        left = books.execute("SELECT status FROM workflow_status").fetchall()
        states = books.execute("SELECT DISTINCT state, attempts FROM outbox").fetchall()
    assert ("PENDING",) in left
    assert states == [("pending", 0)]
    async with open_workshop(Play(), hippocampus=SHORT) as desk:
        await desk.services.background.launch()
        await until(lambda: turn_is_done(desk))
    with closing(sqlite3.connect(data_dir / "hippograph.db")) as books:
        items = books.execute("SELECT count(*) FROM episodes WHERE kind = 'turn'").fetchone()
    assert items == (1,)


async def turn_is_done(desk: Desk) -> bool:
    return ("turn_closed", "done") in await kinds(desk)


async def test_a_worker_finishes_what_was_left_a_second_one_waits_and_both_end_at_sigterm(
    open_workshop: OpenDesk, data_dir: Path, monkeypatch: pytest.MonkeyPatch, clock: SetClock
) -> None:
    clock.now = clock.now.replace(year=2020)
    with monkeypatch.context() as gone:
        leave(gone)
        async with open_workshop(Play()) as desk:
            await say(desk, NAME)
            assert await desk.services.outbox.counts() == {"pending": 2}
    monkeypatch.setenv("HIPPOGRAPH_DATA_DIR", str(data_dir))
    with command_line("worker", "--json") as first:
        await until(lambda: settled(data_dir), 60)
        with command_line("worker", "--json") as second:
            said = await asyncio.to_thread(read_line, second)
            assert f"Process {first.pid} does the background work here" in said
            ended = [await asyncio.to_thread(end, process) for process in (second, first)]
    assert ended == [(0, 0), (0, 2)]


async def settled(data_dir: Path) -> bool:
    with closing(sqlite3.connect(data_dir / "hippograph.db")) as books:
        states = {row[0] for row in books.execute("SELECT state FROM outbox")}
    return "pending" not in states


def read_line(process: Forked) -> str:
    while line := process.stderr.readline():
        if "Process" in line:
            return line
    return ""


def end(process: Forked) -> tuple[int | None, int]:
    """Its exit code after SIGTERM, and how many jobs it says it has handled."""
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate()
    return process.returncode, json.loads(said)["handled"]
