"""Where checkpoints lie: a SQLite file beside the data, or PostgreSQL with the database's URL."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from configs.settings import Settings
from graph.errors import CheckpointsUnreadable
from graph.pruning import TABLE
from graph.quick_saver import QuickSqliteSaver

FILE = "checkpoints.db"
BUSY_TIMEOUT_MS = 15_000
STEPS_BETWEEN_LOOKS = 10_000
"""Of SQLite's machine, between looks at the clock."""
SETUP_LOCK = 0x4849_5051


def strict_serializer() -> JsonPlusSerializer:
    """Plain values and messages only: a tampered row cannot name a class to import."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)


@asynccontextmanager
async def open_checkpointer(settings: Settings) -> AsyncIterator[BaseCheckpointSaver[str]]:
    """A saver for the settings' database, made in the running loop.

    Raises:
        CheckpointsUnreadable: the file cannot be opened, or is no database.
    """
    if settings.database_url.startswith("postgresql"):
        async with _postgres(settings.database_url) as saver:
            yield saver
        return
    await asyncio.to_thread(settings.data_dir.mkdir, parents=True, exist_ok=True)
    async with AsyncExitStack() as opened:
        try:
            saver = await _sqlite(settings.data_dir / FILE, opened)
        except sqlite3.Error as error:
            raise _unreadable(settings.data_dir / FILE, error) from error
        yield saver


async def look_through(settings: Settings, seconds: float) -> str:
    """Open the checkpoints, read the newest, and of a file every page if time allows.

    Args:
        settings: where they lie.
        seconds: how long the pages of a file may be looked at.

    Returns:
        What was looked at.

    Raises:
        CheckpointsUnreadable: something of it cannot be read.
    """
    file = settings.data_dir / FILE
    try:
        async with open_checkpointer(settings) as saver:
            async for _ in saver.alist(None, limit=1):
                pass
            if not isinstance(saver, QuickSqliteSaver):
                return "postgresql, can be read"
            fault = await asyncio.to_thread(damage_of, file, seconds)
    except sqlite3.Error as error:
        raise _unreadable(file, error) from error
    if fault:
        raise CheckpointsUnreadable(str(file), fault)
    return f"{file} can be read"


def damage_of(file: Path, seconds: float) -> str:
    """What SQLite finds wrong with the pages of a file; empty if nothing, or none in time."""
    ends = time.monotonic() + seconds
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as conn:
        conn.set_progress_handler(lambda: time.monotonic() > ends, STEPS_BETWEEN_LOOKS)
        try:
            said = str(conn.execute("PRAGMA quick_check(1)").fetchone()[0])
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                return ""
            raise
    return "" if said == "ok" else said


def _unreadable(file: Path, error: sqlite3.Error) -> CheckpointsUnreadable:
    is_damaged = not isinstance(error, sqlite3.OperationalError)  # those are locks and rights
    return CheckpointsUnreadable(str(file), error, is_damaged=is_damaged)


async def _sqlite(file: Path, opened: AsyncExitStack) -> QuickSqliteSaver:
    conn = await opened.enter_async_context(aiosqlite.connect(file, isolation_level=None))
    await conn.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
    await conn.execute("PRAGMA journal_mode=WAL")
    await conn.execute("PRAGMA synchronous=NORMAL")
    await conn.execute("PRAGMA secure_delete=ON")
    saver = QuickSqliteSaver(conn, serde=strict_serializer())
    await saver.setup()
    return saver


@asynccontextmanager
async def _postgres(url: str) -> AsyncIterator[BaseCheckpointSaver[str]]:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver  # noqa: PLC0415 - an extra
    from psycopg import AsyncConnection  # noqa: PLC0415 - an extra
    from psycopg.rows import DictRow, dict_row  # noqa: PLC0415 - an extra
    from psycopg_pool import AsyncConnectionPool  # noqa: PLC0415 - an extra

    plain = "postgresql" + url[url.index("://") :]
    options = {"autocommit": True, "prepare_threshold": None, "row_factory": dict_row}
    async with AsyncConnectionPool(
        plain,
        connection_class=AsyncConnection[DictRow],
        min_size=1,
        max_size=8,
        kwargs=options,
        check=AsyncConnectionPool.check_connection,
        max_idle=300,
        open=False,
    ) as pool:
        saver = AsyncPostgresSaver(pool, serde=strict_serializer())
        async with pool.connection() as conn, _alone(conn):
            await saver.setup()
            await conn.execute(TABLE)
        yield saver


@asynccontextmanager
async def _alone(conn: Any) -> AsyncIterator[None]:  # noqa: ANN401 - psycopg is an extra
    """One process at a time; a waiting one holds no snapshot, which would stop the index builds."""
    take = "SELECT pg_try_advisory_lock(%s) AS taken"
    while not (await (await conn.execute(take, (SETUP_LOCK,))).fetchone())["taken"]:  # noqa: ASYNC110 - another process's
        await asyncio.sleep(0.1)
    try:
        yield
    finally:
        await conn.execute("SELECT pg_advisory_unlock(%s)", (SETUP_LOCK,))
