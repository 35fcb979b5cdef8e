"""Who does the background work of a database: one process on SQLite, any number on PostgreSQL.

A seat is held for the life of a process and freed by the system when it dies, however it dies.
"""

import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from sqlalchemy import Connection, Engine, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError

from memory.ownership import OwnerLock

SEATS: Final = 64
SEAT_KEY: Final = 0x4849_5051


class Seat(Protocol):
    """The right to run jobs; every method may block, so call it in a thread, or in several."""

    @property
    def number(self) -> int:
        """Which of the seats is held, from 0."""

    @property
    def exclusive(self) -> bool:
        """Whether nobody else can run jobs while it is held."""

    @property
    def lasting(self) -> bool:
        """Whether what is queued outlives the process."""

    def acquire(self) -> bool:
        """Take a seat unless none is free; never waits."""

    def owner(self) -> str:
        """Who holds it, for messages; empty if unknown."""

    def vacant(self) -> Sequence[int]:
        """Seats that nobody holds, whose former holders may have left work."""

    def release(self) -> None:
        """Give the seat up for good: a thread that is late cannot take it once more."""


class FileSeat:
    """The one seat of a SQLite file: a lock beside it."""

    number = 0
    exclusive = True

    def __init__(self, file: Path | None) -> None:
        """Name the database file; None for one in memory, which nobody else can open."""
        self._lock = None if file is None else OwnerLock(Path(f"{file}.host"))
        self.lasting = file is not None
        self._one_at_a_time = threading.Lock()
        self._released = False

    def acquire(self) -> bool:
        """Take the seat unless another process, or another desk of this one, has it."""
        with self._one_at_a_time:
            return not self._released and (self._lock is None or self._lock.acquire())

    def owner(self) -> str:
        """The process id of the holder."""
        return "" if self._lock is None else self._lock.owner()

    def vacant(self) -> Sequence[int]:
        """None: the file has one seat, and what its former holder left is found under it."""
        return ()

    def release(self) -> None:
        """Give the seat up for good."""
        with self._one_at_a_time:
            self._released = True
            if self._lock is not None:
                self._lock.release()


class ServerSeat:
    """One of the seats of a PostgreSQL database: an advisory lock of a connection kept open."""

    exclusive = False
    lasting = True

    def __init__(self, engine: Engine) -> None:
        """Use the database's engine; nothing is opened yet."""
        self._engine = engine
        self._one_at_a_time = threading.Lock()
        self._released = False
        self._held: Connection | None = None
        self._raw: DBAPIConnection | None = None
        self.number = 0

    def acquire(self) -> bool:
        """Take the first free seat; one whose connection broke is taken anew."""
        with self._one_at_a_time:
            if self._released:
                return False
            if self._held is not None and _is_alive(self._held):
                return True
            self._let_go()
            try:
                return self._take()
            finally:
                if self._held is None:
                    self._let_go()

    def _take(self) -> bool:
        conn = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        conn.detach()  # closing it ends the session, and with it the lock
        self._raw = conn.connection.dbapi_connection
        for number in range(SEATS):
            if _lock(conn, number):
                self._held, self.number = conn, number
                return True
        return False

    def owner(self) -> str:
        """Many may hold one."""
        return ""

    def vacant(self) -> Sequence[int]:
        """Seats that could be taken now."""
        with self._one_at_a_time:
            if (conn := self._held) is None:
                return ()
            others = [number for number in range(SEATS) if number != self.number]
            free = [number for number in others if _lock(conn, number)]
            for number in free:
                conn.execute(text("SELECT pg_advisory_unlock(:key, :seat)"), _key(number))
            return free

    def release(self) -> None:
        """Give the seat up for good."""
        with self._one_at_a_time:
            self._released = True
            self._let_go()

    def _let_go(self) -> None:
        if self._held is not None:
            with suppress(DBAPIError):
                self._held.close()
            self._held = None
        if self._raw is not None:  # one that broke is not closed with its wrapper
            self._raw.close()
            self._raw = None


def _key(number: int) -> dict[str, int]:
    return {"key": SEAT_KEY, "seat": number}


def _lock(conn: Connection, number: int) -> bool:
    found = conn.execute(text("SELECT pg_try_advisory_lock(:key, :seat)"), _key(number))
    return bool(found.scalar_one())


def _is_alive(conn: Connection) -> bool:
    try:
        conn.execute(text("SELECT 1"))
    except DBAPIError:
        return False
    return True
