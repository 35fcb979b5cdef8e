"""Takes the bytes of erased rows off the disk: indexes, free pages and the write-ahead log."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from memory.database import BUSY_TIMEOUT_MS, Database
from memory.receipts import Erased
from memory.text_index import ARTIFACT_TEXT, EPISODE_TEXT

TRIES: Final = 20
PAUSE_S: Final = 0.25
BUSY: Final = "another process reads the old pages; run the command again to be sure"
SERVER: Final = (
    "rows deleted; the server frees their pages at its next VACUUM and keeps its own log"
)


async def erase_database(database: Database) -> list[Erased]:
    """Rewrite the full-text indexes and the file without what was deleted before."""

    def rewrite(conn: Connection) -> None:
        EPISODE_TEXT.erase(conn)
        ARTIFACT_TEXT.erase(conn)

    await database.write(rewrite)
    if database.file is None:
        return [Erased("full text", 0), Erased("database file", 0, SERVER)]
    note = await erase_file(database.file)
    done = "rewritten; its log is empty"
    return [
        Erased("full text", 0, "rewritten"),
        Erased("database file", 0, note or done, done=not note),
    ]


async def erase_file(file: Path) -> str:
    """Rewrite a SQLite file and empty its log; return why bytes may be left, empty if none are."""
    return await asyncio.to_thread(_vacuum, file) or await _empty_log(file)


def _vacuum(file: Path) -> str:
    try:
        with closing(_connect(file)) as conn:
            conn.execute("VACUUM")
    except sqlite3.OperationalError as error:
        return f"not rewritten ({error}); run the command again"
    return ""


async def _empty_log(file: Path) -> str:
    for _ in range(TRIES):
        if await asyncio.to_thread(_truncated, file):
            return ""
        await asyncio.sleep(PAUSE_S)
    return BUSY


def _truncated(file: Path) -> bool:
    with closing(_connect(file)) as conn:
        busy, _, _ = conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _connect(file: Path) -> sqlite3.Connection:
    conn = sqlite3.connect(file, isolation_level=None)
    conn.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
    conn.execute("PRAGMA secure_delete=ON")
    return conn
