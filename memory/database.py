"""One SQL database for everything that outlives a turn: SQLite by default, PostgreSQL by URL.

Several processes may open the SQLite file (WAL, BEGIN IMMEDIATE, busy time-out). All access goes
through `read` and `write`, each one transaction in a worker thread, so the event loop never waits.
"""

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Self, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from memory.errors import DatabaseUnavailable
from memory.hosting import FileSeat, Seat, ServerSeat
from memory.migrations import migrate
from memory.statements import SQLITE_STATEMENTS

BUSY_TIMEOUT_MS = 15_000

T = TypeVar("T")


class Database:
    """A pool of connections with two verbs; hand it a function of a SQLAlchemy connection."""

    def __init__(self, engine: Engine) -> None:
        """Wrap an engine whose schema is current; see `open`."""
        self._engine = engine

    @classmethod
    async def open(cls, url: str) -> Self:
        """Connect, create or upgrade the schema, and return the database.

        Args:
            url: SQLAlchemy URL, such as `sqlite:////var/lib/desk/hippograph.db`.

        Raises:
            DatabaseUnavailable: the file or server cannot be opened.
        """
        try:
            return await asyncio.to_thread(cls._open, url)
        except (DBAPIError, OSError) as error:
            shown = make_url(url).render_as_string(hide_password=True)
            raise DatabaseUnavailable(shown, error, is_damaged=_is_damage(error)) from error

    @classmethod
    def _open(cls, url: str) -> Self:
        parsed = make_url(url)
        is_sqlite = parsed.get_backend_name() == "sqlite"
        shared = {"compiled_cache": SQLITE_STATEMENTS} if is_sqlite else {}
        engine = create_engine(
            parsed,
            execution_options={"preserve_rowcount": True, **shared},
            pool_pre_ping=not is_sqlite,  # a server closes idle connections
        )
        if is_sqlite:
            if parsed.database and parsed.database != ":memory:":
                Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
            event.listen(engine, "connect", _on_connect)
            event.listen(engine, "begin", _on_begin)
        try:
            _run(migrate, engine, write=True)
        except BaseException:
            engine.dispose()
            raise
        return cls(engine)

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._engine.dialect.name

    @property
    def file(self) -> Path | None:
        """The SQLite file; None for a server, or a database in memory."""
        name = self._engine.url.database
        lasting = self.dialect == "sqlite" and name not in (None, "", ":memory:")
        return Path(str(name)) if lasting else None

    def seat(self) -> Seat:
        """A seat for the process that does the background work of this database."""
        return FileSeat(self.file) if self.dialect == "sqlite" else ServerSeat(self._engine)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a read transaction in a thread and return its result."""
        return await asyncio.to_thread(_run, work, self._engine)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one write transaction in a thread; all of it is kept, or none."""
        return await asyncio.to_thread(_run, work, self._engine, write=True)

    async def close(self) -> None:
        """Give all connections back, those that are in use when their work has ended."""
        event.listen(self._engine, "checkin", _on_late_checkin)
        await asyncio.to_thread(self._engine.dispose)


def _run(work: Callable[[Connection], T], engine: Engine, *, write: bool = False) -> T:
    with engine.connect() as conn:
        if write:
            conn.execution_options(write=True)  # an engine with the option costs more each time
        with conn.begin():
            return work(conn)


def _on_late_checkin(_: DBAPIConnection | None, entry: ConnectionPoolEntry) -> None:
    """A work may outlast its caller, who was cancelled: it comes back to a pool nobody has."""
    entry.invalidate()


def _is_damage(error: Exception) -> bool:
    """Whether SQLite could not make sense of the file; locks and rights are its other errors."""
    return isinstance(error, DBAPIError) and type(error.orig) is sqlite3.DatabaseError


def _on_connect(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA secure_delete=ON")


def _on_begin(conn: Connection) -> None:
    write = conn.get_execution_options().get("write", False)
    conn.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
