"""Threads, closed turns and their messages in full: what State is rebuilt from.

A turn is closed in one transaction with its transcript and the outbox row that hands it to the
background, so that after a crash either all of it is there or none.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, func, insert, select, update

from memory.database import Database
from memory.errors import ThreadOwned
from memory.outbox import Pause, await_pause, enqueue
from memory.tables import messages, threads, turns
from memory.values import log_recalls
from models.tokens import count
from state import Scope, TurnRecord, canonical_json, clean_text, derived_id, thread_name

Source = Literal["user", "agent"]
IMPORTANCE: dict[str, float] = {"user": 0.7, "agent": 0.5}


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """One thread: LangGraph's key, the name its owner gave it, and how far it has come."""

    key: str
    name: str
    tenant: str
    owner: str
    turns: int
    updated_at: str


@dataclass(frozen=True, slots=True)
class MessageRow:
    """One message of the transcript with its metadata; never rendered before the Memory Message."""

    turn_id: str
    role: str
    source: str
    text: str
    at: str
    tokens: int
    importance: float
    compression: str
    id: str = ""


class Transcript:
    """The durable record of threads; every call names the thread's key and checks its owner."""

    def __init__(
        self, database: Database, clock: Callable[[], datetime], pause: Pause | None = None
    ) -> None:
        """Use `database`; `clock` gives aware UTC times, `pause` when a thread rests."""
        self._database = database
        self._clock = clock
        self._pause = pause or Pause()

    async def claim(self, key: str, scope: Scope, name: str = "") -> None:
        """Make the thread this user's, or confirm that it is.

        Raises:
            ThreadOwned: the thread belongs to another user or tenant.
        """
        now = self._clock().isoformat()

        def work(conn: Connection) -> None:
            row = conn.execute(select(threads).where(threads.c.key == key)).one_or_none()
            if row is None:
                conn.execute(
                    insert(threads).values(
                        key=key,
                        tenant=scope.tenant,
                        name=name or thread_name(key),
                        owner=scope.user,
                        created_at=now,
                        updated_at=now,
                    )
                )
            elif (row.tenant, row.owner) != (scope.tenant, scope.user):
                raise ThreadOwned(row.name)

        if not await self._owned(key, scope):
            await self._database.write(work)

    async def _owned(self, key: str, scope: Scope) -> bool:
        row = await self.thread(key)
        return row is not None and (row.tenant, row.owner) == (scope.tenant, scope.user)

    async def thread(self, key: str) -> ThreadRow | None:
        """The thread, or None when nobody has used it."""
        found = await self._threads(threads.c.key == key)
        return found[0] if found else None

    async def threads(self, scope: Scope) -> list[ThreadRow]:
        """A user's threads, newest first."""
        return await self._threads(threads.c.tenant == scope.tenant, threads.c.owner == scope.user)

    async def _threads(self, *conditions: Any) -> list[ThreadRow]:  # noqa: ANN401 - SQL expressions
        closed = (
            select(func.count())
            .where(turns.c.thread == threads.c.key, turns.c.rolled_back_at.is_(None))
            .scalar_subquery()
        )
        query = (
            select(threads, closed.label("closed"))
            .where(*conditions)
            .order_by(threads.c.updated_at.desc(), threads.c.key)
        )
        rows = await self._database.read(lambda conn: conn.execute(query).all())
        return [
            ThreadRow(row.key, row.name, row.tenant, row.owner, row.closed, row.updated_at)
            for row in rows
        ]

    async def close_turn(
        self,
        key: str,
        scope: Scope,
        record: TurnRecord,
        answer: str,
        recalled: Sequence[str] = (),
    ) -> str | None:
        """Commit record, transcript and outbox row in one transaction.

        Args:
            key: The thread's key.
            scope: Who asked.
            record: The turn.
            answer: What the user was told, whole.
            recalled: Ids of the items that stood before the question.

        Returns:
            The outbox row's id, or None when the turn had been closed before (nothing is changed).
        """
        at = self._clock()
        now = at.isoformat()
        row = {
            "id": record["id"],
            "tenant": scope.tenant,
            "user": scope.user,
            "thread": key,
            "position": record["index"],
            "record": canonical_json(record),
            "status": record["status"],
            "closed_at": now,
        }
        said: list[tuple[str, Source, str]] = [
            ("user", "user", record["user"]),
            ("assistant", "agent", answer),
        ]

        def work(conn: Connection) -> str | None:
            if conn.execute(select(turns.c.id).where(turns.c.id == record["id"])).first():
                return None
            conn.execute(insert(turns).values(row))
            for ordinal, (role, source, text) in enumerate(said):
                conn.execute(
                    insert(messages).values(
                        id=_message_id(record["id"], ordinal),
                        thread=key,
                        turn_id=record["id"],
                        ordinal=ordinal,
                        role=role,
                        source=source,
                        text=clean_text(text),
                        at=record["at"] if role == "user" else now,
                        tokens=count(text),
                        importance=IMPORTANCE[source],
                        compression="verbatim",
                    )
                )
            log_recalls(conn, scope, record["id"], recalled, now)
            conn.execute(update(threads).where(threads.c.key == key).values(updated_at=now))
            await_pause(conn, scope, key, record["id"], at, self._pause)
            return enqueue(conn, "turn_closed", scope, key, record["id"], now)

        return await self._database.write(work)

    async def records(self, key: str) -> list[TurnRecord]:
        """All closed turns of a thread that were not rolled back, oldest first."""
        query = (
            select(turns.c.record)
            .where(turns.c.thread == key, turns.c.rolled_back_at.is_(None))
            .order_by(turns.c.position)
        )
        rows = await self._database.read(lambda conn: conn.execute(query).scalars().all())
        return [json.loads(text) for text in rows]

    async def messages(self, key: str) -> list[MessageRow]:
        """The full transcript of a thread, rolled-back turns left out."""
        query = (
            select(messages)
            .join(turns, turns.c.id == messages.c.turn_id)
            .where(messages.c.thread == key, turns.c.rolled_back_at.is_(None))
            .order_by(turns.c.position, messages.c.ordinal)
        )
        rows = await self._database.read(lambda conn: conn.execute(query).all())
        return [
            MessageRow(r.turn_id, r.role, r.source, r.text, r.at, r.tokens, r.importance,
                       r.compression, r.id)
            for r in rows
        ]  # fmt: skip

    async def roll_back(self, key: str, turn_ids: Sequence[str]) -> None:
        """Mark turns as taken back; their rows stay, for the audit."""
        now = self._clock().isoformat()
        statement = (
            update(turns)
            .where(turns.c.thread == key, turns.c.id.in_(list(turn_ids)))
            .values(rolled_back_at=now)
        )
        await self._database.write(lambda conn: conn.execute(statement))

    async def taken_back_with(self, key: str, turn_id: str) -> list[str]:
        """The turns that were taken back at once with this one, oldest first; none if it stays."""
        at = select(turns.c.rolled_back_at).where(turns.c.thread == key, turns.c.id == turn_id)
        query = select(turns.c.id).where(
            turns.c.thread == key, turns.c.rolled_back_at == at.scalar_subquery()
        )
        ordered = query.order_by(turns.c.position)
        return list(await self._database.read(lambda conn: conn.scalars(ordered).all()))


def last_message_id(turn_id: str) -> str:
    """The id of the message that ends a turn: its answer."""
    return _message_id(turn_id, 1)


def _message_id(turn_id: str, ordinal: int) -> str:
    return derived_id("msg", turn_id, ordinal)
