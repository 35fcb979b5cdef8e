"""Seats of the background: one on a file, one for each process on a server, however many ask."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory.database import Database
from tests.sessions import asked, connections

SEATS_HELD = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    url = f"sqlite:///{tmp_path / 'hippograph.db'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_database")
    opened = await Database.open(url)
    yield opened
    await opened.close()


async def test_many_threads_that_ask_at_once_get_the_same_seat(database: Database) -> None:
    seat = database.seat()
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda _: seat.acquire(), range(40))) == [True] * 40
    seat.release()


async def test_threads_of_one_seat_take_one_lock_and_one_connection(postgres_database: str) -> None:
    database = await Database.open(postgres_database)
    seat = database.seat()
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: seat.vacant() if n % 3 else seat.acquire(), range(40)))
    assert asked(postgres_database, SEATS_HELD) == 1
    seat.release()
    await database.close()
    assert connections(postgres_database) == 0


async def test_a_seat_given_up_is_not_taken_again_by_a_thread_that_is_late(
    database: Database,
) -> None:
    first, second = database.seat(), database.seat()
    assert first.acquire()
    first.release()
    assert not first.acquire()
    assert second.acquire()
    assert second.number not in second.vacant()
    second.release()
