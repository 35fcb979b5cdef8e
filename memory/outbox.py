"""Work for the background, written in the transaction of the turn that causes it.

A row is handled at least once: the work behind it derives its ids, so that twice is once.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, insert, select, update

from memory.database import Database
from memory.tables import outbox
from state import Scope, canonical_json, derived_id

MAX_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Job:
    """One outbox row: what happened, in whose scope, in which turn."""

    id: str
    kind: str
    scope: Scope
    thread: str
    turn_id: str
    attempts: int


def enqueue(conn: Connection, kind: str, scope: Scope, thread: str, turn_id: str, now: str) -> str:
    """Write a row inside the caller's transaction and return its id."""
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
        )
    )
    return row_id


def enqueue_once(
    conn: Connection, kind: str, scope: Scope, thread: str, turn_id: str, now: str
) -> str:
    """Write a row unless there is one, pending or ended, for the same work; return its id."""
    row_id = derived_id("job", kind, thread, turn_id)
    if conn.execute(select(outbox.c.id).where(outbox.c.id == row_id)).first() is None:
        enqueue(conn, kind, scope, thread, turn_id, now)
    return row_id


class Outbox:
    """Reading and settling outbox rows."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        """Use `database`; `clock` gives aware UTC times."""
        self._database = database
        self._clock = clock

    async def pending(self, limit: int = 100) -> list[Job]:
        """The oldest rows still to be handled."""
        query = (
            select(outbox).where(outbox.c.state == "pending").order_by(outbox.c.created_at)
        ).limit(limit)
        rows = await self._database.read(lambda conn: conn.execute(query).all())
        return [
            Job(
                row.id,
                row.kind,
                Scope(tenant=row.tenant, user=row.user, teams=tuple(json.loads(row.teams))),
                row.thread,
                row.turn_id,
                row.attempts,
            )
            for row in rows
        ]

    async def settle(self, job: Job, state: str, note: str = "") -> None:
        """Record how a row ended: `done`, `empty` (nothing to keep, with the reason) or `failed`.

        A failed row goes back to pending until it has been tried `MAX_ATTEMPTS` times; a row that
        another process has settled stays as it is.
        """
        attempts = job.attempts + 1
        kept = "pending" if state == "failed" and attempts < MAX_ATTEMPTS else state
        now = self._clock().isoformat()
        statement = (
            update(outbox)
            .where(outbox.c.id == job.id, outbox.c.state == "pending")
            .values(state=kept, attempts=attempts, note=note, updated_at=now)
        )
        await self._database.write(lambda conn: conn.execute(statement))

    async def counts(self) -> dict[str, int]:
        """How many rows are in which state."""
        query = select(outbox.c.state, func.count()).group_by(outbox.c.state)
        rows = await self._database.read(lambda conn: conn.execute(query).all())
        return {row[0]: row[1] for row in rows}
