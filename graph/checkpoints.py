"""Where checkpoints lie: a SQLite file beside the data, or PostgreSQL with the database's URL."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from configs.settings import Settings
from graph.pruning import TABLE
from graph.quick_saver import QuickSqliteSaver

BUSY_TIMEOUT_MS = 15_000
SETUP_LOCK = 0x4849_5051


def strict_serializer() -> JsonPlusSerializer:
    """Plain values and messages only: a tampered row cannot name a class to import."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)


@asynccontextmanager
async def open_checkpointer(settings: Settings) -> AsyncIterator[BaseCheckpointSaver[str]]:
    """A saver for the settings' database, made in the running loop."""
    if settings.database_url.startswith("postgresql"):
        async with _postgres(settings.database_url) as saver:
            yield saver
        return
    await asyncio.to_thread(settings.data_dir.mkdir, parents=True, exist_ok=True)
    file = settings.data_dir / "checkpoints.db"
    async with aiosqlite.connect(file, isolation_level=None) as conn:
        await conn.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
        await conn.execute("PRAGMA journal_mode=WAL")
        await conn.execute("PRAGMA synchronous=NORMAL")
        await conn.execute("PRAGMA secure_delete=ON")
        saver = QuickSqliteSaver(conn, serde=strict_serializer())
        await saver.setup()
        yield saver


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
