import asyncio
import platform
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, delete, event, insert, select, update

from memory.database import Database
from memory.tables import leases
from tests.tools.parts import ON_BOTH, THREAD, SetClock
from tools.effects import stamp
from tools.errors import LeaseLost, ThreadBusy
from tools.lease import Leases

TTL_S = 30.0


@ON_BOTH
async def test_a_held_thread_is_busy_and_says_since_when(
    database: Database, clock: SetClock
) -> None:
    held = Leases(database, clock)
    since = clock.now
    async with held.hold(THREAD, "a", TTL_S):
        clock.advance(1)
        with pytest.raises(ThreadBusy) as caught:
            async with Leases(database, clock).hold(THREAD, "b", TTL_S):
                pass
        async with held.hold("default:other", "a", TTL_S):
            pass
    assert (caught.value.thread, caught.value.since) == (THREAD, since)
    async with held.hold(THREAD, "b", TTL_S):
        pass


async def test_the_same_owner_is_not_let_in_twice(database: Database, clock: SetClock) -> None:
    held = Leases(database, clock)
    async with held.hold(THREAD, "a", TTL_S):
        with pytest.raises(ThreadBusy):
            async with held.hold(THREAD, "a", TTL_S):
                pass


@ON_BOTH
async def test_a_thread_is_free_again_after_an_error(database: Database, clock: SetClock) -> None:
    held = Leases(database, clock)
    with pytest.raises(ValueError, match="broken"):
        async with held.hold(THREAD, "a", TTL_S):
            raise ValueError("broken")
    async with held.hold(THREAD, "a", TTL_S):
        pass


@ON_BOTH
async def test_what_a_dead_process_held_is_taken_over(database: Database, clock: SetClock) -> None:
    held = Leases(database, clock)
    await database.write(lambda conn: held._take(conn, THREAD, "dead", TTL_S))
    clock.advance(TTL_S)
    async with held.hold(THREAD, "b", TTL_S) as lease:
        assert lease.acquired_at == clock.now


@ON_BOTH
async def test_a_run_that_queues_gets_the_thread_when_it_is_free(
    database: Database, clock: SetClock
) -> None:
    held = Leases(database, clock)
    order: list[str] = []

    async def second() -> None:
        async with held.hold(THREAD, "b", TTL_S, wait_s=10):
            order.append("second")

    async with held.hold(THREAD, "a", TTL_S):
        task = asyncio.create_task(second())
        await asyncio.sleep(0.12)
        order.append("first")
    await task
    assert order == ["first", "second"]


async def test_a_heartbeat_keeps_a_long_run_s_hold(database: Database) -> None:
    held = Leases(database, lambda: datetime.now(UTC))
    async with held.hold(THREAD, "a", 0.3):
        await asyncio.sleep(0.8)
        with pytest.raises(ThreadBusy):
            async with held.hold(THREAD, "b", 0.3):
                pass


@ON_BOTH
async def test_a_run_that_lost_its_thread_is_stopped_and_leaves_the_new_hold_alone(
    database: Database,
) -> None:
    held = Leases(database, lambda: datetime.now(UTC))

    def take_over(conn: Connection) -> None:
        later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
        conn.execute(update(leases).values(owner="new", expires_at=later))

    with pytest.raises(LeaseLost):
        async with held.hold(THREAD, "a", 0.3):
            await database.write(take_over)
            await asyncio.sleep(10)
    owner = await database.read(lambda conn: conn.execute(select(leases.c.owner)).scalar_one())
    assert owner == "new"
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_cancelled_run_gives_its_thread_back(database: Database, clock: SetClock) -> None:
    held = Leases(database, clock)
    inside = asyncio.Event()

    async def run() -> None:
        async with held.hold(THREAD, "a", TTL_S):
            inside.set()
            await asyncio.sleep(10)

    task = asyncio.create_task(run())
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with held.hold(THREAD, "b", TTL_S):
        pass


@ON_BOTH
async def test_the_lease_of_a_killed_process_is_taken_over_at_once(
    database: Database, clock: SetClock
) -> None:
    ended = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await ended.wait()
    row = {
        "thread": THREAD,
        "owner": f"a/{platform.node()}/{ended.pid}/x",
        "acquired_at": stamp(clock.now),
        "expires_at": stamp(clock.now + timedelta(hours=1)),
    }
    await database.write(lambda conn: conn.execute(insert(leases).values(**row)))
    async with Leases(database, clock).hold(THREAD, "b", TTL_S) as lease:
        assert not lease.lost


@ON_BOTH
async def test_the_lease_of_a_process_on_another_host_is_respected(
    database: Database, clock: SetClock
) -> None:
    row = {
        "thread": THREAD,
        "owner": "a/another-host/1/x",
        "acquired_at": stamp(clock.now),
        "expires_at": stamp(clock.now + timedelta(hours=1)),
    }
    await database.write(lambda conn: conn.execute(insert(leases).values(**row)))
    with pytest.raises(ThreadBusy):
        async with Leases(database, clock).hold(THREAD, "b", TTL_S):
            pass


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
@pytest.mark.parametrize("expired", [False, True])
async def test_a_lease_given_back_while_it_is_looked_at_is_taken(
    expired: bool, database: Database, clock: SetClock
) -> None:
    """Only a server lets another write come between two statements of one transaction."""
    held = Leases(database, clock)
    await database.write(lambda conn: held._take(conn, THREAD, "other/host/1/x", TTL_S))
    clock.advance(TTL_S if expired else 0)
    after = "SELECT" if expired else "INSERT"
    engine, given_back = database._engine, list[str]()

    def give_back(*came: Any) -> None:  # noqa: ANN401 - what SQLAlchemy tells
        if came[2].startswith(after) and not given_back:
            given_back.append(came[2])
            with engine.begin() as other:
                other.execute(delete(leases))

    event.listen(engine, "after_cursor_execute", give_back)
    async with held.hold(THREAD, "b", TTL_S) as lease:
        assert not lease.lost
    assert len(given_back) == 1
