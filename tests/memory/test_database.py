"""The database itself: what is in use when it is closed, and what could not be opened."""

import asyncio
import threading
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from memory import database as database_module
from memory.database import Database
from memory.errors import DatabaseUnavailable
from memory.sql_episodes import SqlEpisodes
from memory.statements import SQLITE_STATEMENTS
from state import Scope
from tests.memory.samples import item
from tests.sessions import connections

SCOPE = Scope(user="ana")


async def test_a_work_that_outlasts_the_database_leaves_no_connection(
    postgres_database: str,
) -> None:
    database = await Database.open(postgres_database)
    begun, may_end = threading.Event(), threading.Event()

    def work(conn: Connection) -> int:
        begun.set()
        may_end.wait(30)
        return int(conn.execute(text("SELECT 1")).scalar_one())

    reading = asyncio.create_task(database.read(work))
    await asyncio.to_thread(begun.wait, 30)
    await database.close()
    may_end.set()
    assert await reading == 1
    assert await asyncio.to_thread(connections, postgres_database) == 0


async def test_a_database_that_does_not_open_leaves_no_connection(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def migrate(_: Connection) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(database_module, "migrate", migrate)
    with pytest.raises(DatabaseUnavailable, match="the disk is full"):
        await Database.open(postgres_database)
    assert await asyncio.to_thread(connections, postgres_database) == 0


async def test_a_second_database_compiles_no_statement_again(tmp_path: Path) -> None:
    async def use(name: str) -> int:
        database = await Database.open(f"sqlite:///{tmp_path / name}.db")
        await SqlEpisodes(database).scoped(SCOPE).add([item(SCOPE, "1", f"what {name} has read")])
        found = await SqlEpisodes(database).scoped(SCOPE).search_text(name, 5)
        await database.close()
        assert len(found) == 1
        return len(SQLITE_STATEMENTS)

    known = await use("first")
    assert known > 0
    assert await use("second") == known
