"""Work for the background, written in the transaction of the turn that causes it.

A row is handled at least once: the work behind it derives its ids, so that twice is once. What is
to run, when and how often it was tried is in the row, so that any process can go on with it.
"""

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, Row, delete, func, insert, or_, select, update

from memory.database import Database
from memory.tables import outbox
from state import Scope, canonical_json, derived_id

Cause = Literal["turn", "pause", "compaction", "hand"]
MAX_TRIES = 8


@dataclass(frozen=True, slots=True)
class Job:
    """One outbox row: what happened, in whose scope, up to which turn."""

    id: str
    kind: str
    scope: Scope
    thread: str
    turn_id: str
    attempts: int
    due_at: str = ""
    cause: str = "turn"
    state: str = "pending"
    note: str = ""
    created_at: str = ""
    updated_at: str = ""


@dataclass(frozen=True, slots=True)
class Pause:
    """How long a thread rests before it is consolidated, and the longest wait, in seconds."""

    rest_s: float = 30.0
    ceiling_s: float = 600.0


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a failed job is tried, and the pause before the next try, doubled each time."""

    max_tries: int = MAX_TRIES
    first_s: float = 10.0
    longest_s: float = 3600.0

    def pause_s(self, failures: int) -> float:
        """Seconds before the next try, after so many failures."""
        return min(self.longest_s, self.first_s * 2.0 ** min(failures - 1, 30))


def enqueue(
    conn: Connection,
    kind: str,
    scope: Scope,
    thread: str,
    turn_id: str,
    now: str,
    *,
    due_at: str = "",
    cause: Cause = "turn",
) -> str:
    """Write a row inside the caller's transaction and return its id.

    Args:
        conn: the transaction.
        kind: which work.
        scope: whose memory it is for.
        thread: the thread's key.
        turn_id: the turn, or the last of the turns, that the work is about.
        now: the time, ISO 8601 UTC.
        due_at: not before; default at once.
        cause: what has brought it about.
    """
    row_id = derived_id("job", kind, thread, turn_id)
    conn.execute(
        insert(outbox).values(
            id=row_id,
            kind=kind,
            tenant=scope.tenant,
            user=scope.user,
            teams=canonical_json(list(scope.teams)),
            thread=thread,
            turn_id=turn_id,
            state="pending",
            attempts=0,
            note="",
            created_at=now,
            updated_at=now,
            due_at=due_at or now,
            cause=cause,
        )
    )
    return row_id


def enqueue_once(
    conn: Connection,
    kind: str,
    scope: Scope,
    thread: str,
    turn_id: str,
    now: str,
    *,
    due_at: str = "",
    cause: Cause = "turn",
) -> str:
    """Write a row unless there is one, pending or ended, for the same work; return its id."""
    row_id = derived_id("job", kind, thread, turn_id)
    if conn.execute(select(outbox.c.id).where(outbox.c.id == row_id)).first() is None:
        enqueue(conn, kind, scope, thread, turn_id, now, due_at=due_at, cause=cause)
    return row_id


def await_pause(
    conn: Connection, scope: Scope, thread: str, turn_id: str, now: datetime, pause: Pause
) -> None:
    """Let the thread be consolidated once it rests; each turn puts that off, up to the ceiling.

    The row of this turn takes the place of the one that an earlier turn has left pending.
    """
    waiting = (
        outbox.c.kind == "consolidate",
        outbox.c.thread == thread,
        outbox.c.state == "pending",
        outbox.c.cause == "pause",
        outbox.c.attempts == 0,
    )
    first = conn.execute(select(func.min(outbox.c.created_at)).where(*waiting)).scalar()
    since = datetime.fromisoformat(first) if first else now
    due = min(now + timedelta(seconds=pause.rest_s), since + timedelta(seconds=pause.ceiling_s))
    conn.execute(delete(outbox).where(*waiting))
    enqueue_once(
        conn,
        "consolidate",
        scope,
        thread,
        turn_id,
        since.isoformat(),
        due_at=max(due, now).isoformat(),
        cause="pause",
    )


class Outbox:
    """Reading and settling outbox rows."""

    def __init__(
        self, database: Database, clock: Callable[[], datetime], retry: Retry | None = None
    ) -> None:
        """Use `database`; `clock` gives aware UTC times."""
        self._database = database
        self._clock = clock
        self._retry = retry or Retry()

    async def pending(self, limit: int = 100) -> list[Job]:
        """Rows still to be handled, due or not, in the order in which they are due."""
        return await self._jobs(outbox.c.state == "pending", limit=limit)

    async def due(self, limit: int = 100, early: Collection[str] = ()) -> list[Job]:
        """The oldest rows to be handled now; those of the threads `early` whether due or not."""
        ready = or_(
            outbox.c.due_at <= self._clock().isoformat(),
            outbox.c.thread.in_(list(early)) & (outbox.c.attempts == 0),
        )
        return await self._jobs(outbox.c.state == "pending", ready, limit=limit)

    async def job(self, row_id: str) -> Job | None:
        """One row, in whatever state."""
        found = await self._jobs(outbox.c.id == row_id, limit=1)
        return found[0] if found else None

    async def of_user(self, scope: Scope, limit: int = 50) -> list[Job]:
        """A user's jobs, the newest first; those that are not ended before all others."""
        mine = (outbox.c.tenant == scope.tenant, outbox.c.user == scope.user)
        ended = outbox.c.state.in_(("done", "empty"))
        query = (
            select(outbox).where(*mine).order_by(ended, outbox.c.created_at.desc(), outbox.c.kind)
        )
        return await self._read(query.limit(limit))

    def seconds_to(self, job: Job) -> float:
        """How long until a job is due; 0 when it is."""
        if not job.due_at:
            return 0.0
        return max(0.0, (datetime.fromisoformat(job.due_at) - self._clock()).total_seconds())

    async def request(self, kind: str, scope: Scope, thread: str, turn_id: str) -> str:
        """Ask by hand for work that is to run now; one that failed gets new tries."""
        now = self._clock().isoformat()

        def work(conn: Connection) -> str:
            row_id = enqueue_once(conn, kind, scope, thread, turn_id, now, cause="hand")
            _reopen(conn, now, outbox.c.id == row_id, outbox.c.state.in_(("pending", "failed")))
            return row_id

        return await self._database.write(work)

    async def retry(self, scope: Scope, row_id: str | None = None) -> int:
        """Try a user's failed jobs anew, one or all; return how many."""
        mine = [outbox.c.tenant == scope.tenant, outbox.c.user == scope.user]
        if row_id is not None:
            mine.append(outbox.c.id == row_id)
        failed = (outbox.c.state == "failed") | (outbox.c.attempts > 0)
        waits = outbox.c.state.in_(("pending", "failed")) & failed
        now = self._clock().isoformat()
        return await self._database.write(lambda conn: _reopen(conn, now, waits, *mine))

    async def settle(self, job: Job, state: str, note: str = "", *, lasting: bool = True) -> str:
        """Record how a row ended: `done`, `empty` (nothing to keep, with the reason) or `failed`.

        A failed row is pending again, after a pause, until it has been tried `max_tries` times; a
        row that another process has settled stays as it is.

        Args:
            job: the row as it was handled.
            state: its end.
            note: the reason, for people.
            lasting: whether trying can end; False for an outage, which is waited out.

        Returns:
            The row's state now.
        """
        attempts, now = job.attempts + 1, self._clock()
        again = state == "failed" and (not lasting or attempts < self._retry.max_tries)
        wait = timedelta(seconds=self._retry.pause_s(attempts)) if again else timedelta()
        kept = "pending" if again else state
        statement = (
            update(outbox)
            .where(outbox.c.id == job.id, outbox.c.state == "pending")
            .values(
                state=kept,
                attempts=attempts,
                note=note,
                updated_at=now.isoformat(),
                due_at=(now + wait).isoformat(),
            )
        )
        await self._database.write(lambda conn: conn.execute(statement))
        return kept

    async def counts(self) -> dict[str, int]:
        """How many rows are in which state."""
        query = select(outbox.c.state, func.count()).group_by(outbox.c.state)
        rows = await self._database.read(lambda conn: conn.execute(query).all())
        return {row[0]: row[1] for row in rows}

    async def _jobs(self, *conditions: Any, limit: int) -> list[Job]:  # noqa: ANN401 - SQL
        query = (
            select(outbox)
            .where(*conditions)
            .order_by(outbox.c.due_at, outbox.c.kind.desc(), outbox.c.created_at)
        )
        return await self._read(query.limit(limit))

    async def _read(self, query: Any) -> list[Job]:  # noqa: ANN401 - SQL
        rows = await self._database.read(lambda conn: conn.execute(query).all())
        return [_job(row) for row in rows]


def _reopen(conn: Connection, now: str, *conditions: Any) -> int:  # noqa: ANN401 - SQL
    values = {"state": "pending", "attempts": 0, "due_at": now, "updated_at": now}
    return conn.execute(update(outbox).where(*conditions).values(**values)).rowcount


def _job(row: Row[Any]) -> Job:
    return Job(
        row.id,
        row.kind,
        Scope(tenant=row.tenant, user=row.user, teams=tuple(json.loads(row.teams))),
        row.thread,
        row.turn_id,
        row.attempts,
        row.due_at,
        row.cause,
        row.state,
        row.note,
        row.created_at,
        row.updated_at,
    )
