import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from memory.artifacts import Artifacts
from memory.database import Database
from memory.group_commit import GroupCommit
from memory.tables import effect_events, effects, leases
from memory.tool_log import ToolLog
from tests.tools.parts import SetClock
from tools.ledger import Ledger


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def database_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'hippograph.db'}"


@pytest.fixture
async def database(
    request: pytest.FixtureRequest, database_url: str, tmp_path: Path, founded: Path
) -> AsyncIterator[Database]:
    """A database without rows: SQLite, or what a test marked with `ON_BOTH` asks for."""
    if getattr(request, "param", "sqlite") == "postgresql":
        opened = await Database.open(request.getfixturevalue("postgres_server"))
        await opened.write(_empty)
    else:
        shutil.copy(founded, tmp_path)
        opened = await Database.open(database_url)
    yield opened
    await opened.close()


def _empty(conn: Connection) -> None:
    names = ", ".join(table.name for table in (effects, effect_events, leases))
    conn.execute(text(f"TRUNCATE {names}"))


@pytest.fixture
def ledger(database: Database, clock: SetClock) -> Ledger:
    return Ledger(database, clock)


@pytest.fixture
def artifacts(database: Database) -> Artifacts:
    return Artifacts(database)


@pytest.fixture
async def log(database: Database, clock: SetClock) -> AsyncIterator[ToolLog]:
    group = GroupCommit(database)
    yield ToolLog(database, group, clock)
    await group.close()
