"""One run per thread: a lease in the database, kept alive by a heartbeat, taken over when stale."""

import asyncio
import os
import platform
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import Connection, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError

from memory.database import Database
from memory.tables import leases
from tools.effects import stamp
from tools.errors import LeaseLost, ThreadBusy

BEATS_PER_LEASE: Final = 3
POLL_S: Final = 0.05


@dataclass(slots=True)
class Lease:
    """A hold on a thread; `lost` once another run has taken it over.

    It is `ending` when its holder erases its row with the thread: then nobody looks for it.
    """

    thread: str
    owner: str
    ttl_s: float
    acquired_at: datetime
    lost: bool = field(default=False)
    ending: bool = field(default=False)


class Leases:
    """Hands out holds on threads, to one run at a time across processes."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        """Keep leases in the database; `clock` tells the time, aware."""
        self._db = database
        self._clock = clock

    @asynccontextmanager
    async def hold(
        self, thread: str, owner: str, ttl_s: float, *, wait_s: float = 0.0
    ) -> AsyncIterator[Lease]:
        """Hold a thread for the length of the block.

        The block runs in the task that enters it. When the lease is lost (the process was stopped
        for longer than `ttl_s`, or the database was away), that task is cancelled and the block
        ends with LeaseLost, so that two runs never go on side by side.

        Args:
            thread: the thread's key.
            owner: who holds it, for people who look; each hold is told apart by itself.
            ttl_s: after this long without a heartbeat others may take over.
            wait_s: how long to queue for a thread that is held.

        Raises:
            ThreadBusy: another run holds the thread.
            LeaseLost: another run took the thread over.
        """
        lease = await self._acquire(thread, f"{owner}/{_place()}/{uuid4().hex}", ttl_s, wait_s)
        holder = asyncio.current_task()
        beat = asyncio.create_task(self._beat(lease, holder), name=f"lease {thread}")
        try:
            yield lease
        except asyncio.CancelledError:
            if not lease.lost:
                raise
        finally:
            beat.cancel()
            if not lease.lost:
                await asyncio.shield(self._release(lease))
        if lease.lost:
            if holder is not None:
                holder.uncancel()
            raise LeaseLost(thread)

    async def any_held(self, *, apart_from: str = "") -> bool:
        """Whether some run holds a thread now; those of processes that are gone do not count.

        Args:
            apart_from: threads whose key begins so do not count either.
        """
        query = select(leases.c.thread, leases.c.owner).where(
            leases.c.expires_at > stamp(self._clock())
        )
        rows = await self._db.read(lambda conn: conn.execute(query).all())
        return any(
            not (apart_from and row.thread.startswith(apart_from)) and not _is_dead(row.owner)
            for row in rows
        )

    async def _acquire(self, thread: str, owner: str, ttl_s: float, wait_s: float) -> Lease:
        deadline = asyncio.get_running_loop().time() + wait_s
        while True:
            try:
                return await self._db.write(lambda conn: self._take(conn, thread, owner, ttl_s))
            except ThreadBusy:
                if asyncio.get_running_loop().time() >= deadline:
                    raise
            await asyncio.sleep(POLL_S)

    def _take(self, conn: Connection, thread: str, owner: str, ttl_s: float) -> Lease:
        now = self._clock()
        values = {
            "owner": owner,
            "acquired_at": stamp(now),
            "expires_at": stamp(now + timedelta(seconds=ttl_s)),
        }
        dialect: Any = postgresql if conn.dialect.name == "postgresql" else sqlite
        free = dialect.insert(leases).values(thread=thread, **values).on_conflict_do_nothing()
        while conn.execute(free).rowcount != 1:
            held = conn.execute(select(leases).where(leases.c.thread == thread)).one_or_none()
            if held is None:
                continue  # given back since: on a server, each statement sees what is committed
            if held.expires_at > stamp(now) and not _is_dead(held.owner):
                raise ThreadBusy(thread, datetime.fromisoformat(held.acquired_at))
            here = (leases.c.thread == thread, leases.c.owner == held.owner)
            if conn.execute(update(leases).where(*here).values(**values)).rowcount == 1:
                break
        return Lease(thread, owner, ttl_s, now)

    async def _beat(self, lease: Lease, holder: asyncio.Task[Any] | None) -> None:
        loop = asyncio.get_running_loop()
        kept_at = loop.time()
        while True:
            await asyncio.sleep(lease.ttl_s / BEATS_PER_LEASE)
            try:
                kept = await self._db.write(lambda conn: self._extend(conn, lease))
            except DBAPIError:
                kept = None
            if lease.ending:
                return
            if kept:
                kept_at = loop.time()
            elif kept is False or loop.time() - kept_at >= lease.ttl_s:
                lease.lost = True
                if holder is not None:
                    holder.cancel()
                return

    def _extend(self, conn: Connection, lease: Lease) -> bool:
        until = stamp(self._clock() + timedelta(seconds=lease.ttl_s))
        mine = (leases.c.thread == lease.thread, leases.c.owner == lease.owner)
        return conn.execute(update(leases).where(*mine).values(expires_at=until)).rowcount == 1

    async def _release(self, lease: Lease) -> None:
        mine = (leases.c.thread == lease.thread, leases.c.owner == lease.owner)

        def work(conn: Connection) -> None:
            conn.execute(delete(leases).where(*mine))

        with suppress(DBAPIError):  # it goes stale by itself
            await self._db.write(work)


def _place() -> str:
    """Where this process runs: host and process id."""
    return f"{platform.node().replace('/', '_')}/{os.getpid()}"


def _is_dead(owner: str) -> bool:
    """Whether the lease's process ran on this host and is gone; what cannot be told is alive."""
    *_, host, pid, _ = ["", *owner.split("/")]
    if host != platform.node().replace("/", "_") or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
