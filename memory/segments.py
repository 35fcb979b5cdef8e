"""Conversations, topics and the segment of each message as rows.

Ids are derived, so keeping the same segments twice changes nothing. A segment that is not final may
be replaced by a later cut of its thread; one that is final stays, and what became of it is written
once: episodes, or a reason for none.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, delete, insert, select, update

from memory.database import Database
from memory.episode_rows import forgotten_turns, pages
from memory.segment_shapes import Segment
from memory.tables_segments import conversations, segmented_messages, segments
from state import Scope, canonical_json, clean_text

State = Literal["open", "episode", "discarded"]
MAX_TOPIC_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A stored segment with what became of it."""

    id: str
    conversation_id: str
    message_ids: tuple[str, ...]
    turn_ids: tuple[str, ...]
    agent: tuple[str, ...]
    cause: str
    score: float
    final: bool
    domain: str
    operation: str
    entities: tuple[str, ...]
    topic: str
    state: State
    episode_ids: tuple[str, ...]
    reason: str


class Segments:
    """Keeps the segments of threads; a message is in one of them at most."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        """Use an open database; `clock` gives aware UTC times."""
        self._database = database
        self._clock = clock

    async def placed(self, thread: str) -> set[str]:
        """Ids of the messages whose segment is final and has become an episode or a discard."""
        ended = and_(segments.c.final, segments.c.state != "open")
        query = (
            select(segmented_messages.c.message_id)
            .join(segments, segments.c.id == segmented_messages.c.segment_id)
            .where(segmented_messages.c.thread == thread, ended)
        )
        return set(await self._database.read(lambda conn: conn.execute(query).scalars().all()))

    async def keep(self, scope: Scope, thread: str, found: Sequence[Segment]) -> None:
        """Store segments in the state "open"; those that are there already stay as they are.

        Rows of the thread that are neither final nor ended give way. Messages of turns that were
        forgotten are left out, and their segment then keeps no words.
        """
        now = self._clock().isoformat()

        def work(conn: Connection) -> None:
            _drop_provisional(conn, thread)
            taken = _taken(conn, [one for each in found for one in each["message_ids"]])
            gone = forgotten_turns(conn, {one for each in found for one in each["turn_ids"]})
            for one in found:
                _insert(conn, scope, thread, one, now, taken, set(gone))

        await self._database.write(work)

    async def end(
        self,
        segment_id: str,
        state: Literal["episode", "discarded"],
        episode_ids: Sequence[str] = (),
        reason: str = "",
    ) -> bool:
        """Write what became of a segment; return False when that had been written before."""
        now = self._clock().isoformat()
        what = (state, episode_ids, reason)
        return await self._database.write(lambda conn: _end(conn, segment_id, *what, now))

    async def settle(
        self,
        scope: Scope,
        thread: str,
        segment: Segment,
        state: Literal["episode", "discarded"],
        *,
        episode_ids: Sequence[str] = (),
        reason: str = "",
        also: Callable[[Connection], object] | None = None,
    ) -> bool:
        """Keep and end a segment in one transaction, with whatever else belongs to its end.

        Args:
            scope: Whose thread.
            thread: The thread.
            segment: What has ended.
            state: How.
            episode_ids: The episodes it became.
            reason: Why it became none.
            also: What is to happen in the same transaction; not called when it had ended before.

        Returns:
            False when it had ended before.
        """
        now = self._clock().isoformat()

        def work(conn: Connection) -> bool:
            gone = forgotten_turns(conn, segment["turn_ids"])
            taken = _taken(conn, segment["message_ids"])
            _insert(conn, scope, thread, segment, now, taken, set(gone))
            ended = _end(conn, segment["id"], state, episode_ids, reason, now)
            if ended and also is not None:
                also(conn)
            return ended

        return await self._database.write(work)

    async def of_thread(self, thread: str) -> list[SegmentRow]:
        """The thread's segments in the order of their messages."""

        def work(conn: Connection) -> list[SegmentRow]:
            query = select(segments).where(segments.c.thread == thread)
            rows = conn.execute(query.order_by(segments.c.position, segments.c.id)).all()
            members = select(segmented_messages).where(segmented_messages.c.thread == thread)
            ids: dict[str, list[str]] = {}
            turn_ids: dict[str, dict[str, None]] = {}
            for one in conn.execute(members.order_by(segmented_messages.c.position)):
                ids.setdefault(one.segment_id, []).append(one.message_id)
                turn_ids.setdefault(one.segment_id, {})[one.turn_id] = None
            return [_row(row, ids.get(row.id, ()), turn_ids.get(row.id, ())) for row in rows]

        return await self._database.read(work)


def _row(row: Row[Any], message_ids: Iterable[str], turn_ids: Iterable[str]) -> SegmentRow:
    return SegmentRow(
        id=row.id,
        conversation_id=row.conversation_id,
        message_ids=tuple(message_ids),
        turn_ids=tuple(turn_ids),
        agent=tuple(json.loads(row.agent)),
        cause=row.cause,
        score=row.score,
        final=bool(row.final),
        domain=row.domain,
        operation=row.operation,
        entities=tuple(json.loads(row.entities)),
        topic=row.topic,
        state=row.state,
        episode_ids=tuple(json.loads(row.episode_ids)),
        reason=row.reason,
    )


def _end(
    conn: Connection,
    segment_id: str,
    state: Literal["episode", "discarded"],
    episode_ids: Sequence[str],
    reason: str,
    now: str,
) -> bool:
    values = {
        "state": state,
        "episode_ids": canonical_json(list(episode_ids)),
        "reason": clean_text(reason),
        "final": True,
        "updated_at": now,
    }
    is_open = (segments.c.id == segment_id, segments.c.state == "open")
    return bool(conn.execute(update(segments).where(*is_open).values(values)).rowcount)


def _drop_provisional(conn: Connection, thread: str) -> None:
    loose = and_(segments.c.thread == thread, ~segments.c.final, segments.c.state == "open")
    ids = list(conn.execute(select(segments.c.id).where(loose)).scalars())
    for page in pages(ids):
        conn.execute(delete(segmented_messages).where(segmented_messages.c.segment_id.in_(page)))
        conn.execute(delete(segments).where(segments.c.id.in_(page)))
    drop_empty_conversations(conn, conversations.c.thread == thread)


def drop_empty_conversations(conn: Connection, chosen: ColumnElement[bool]) -> int:
    """Delete those of the chosen conversations that have no segment left; return how many."""
    filled = select(segments.c.id).where(segments.c.conversation_id == conversations.c.id)
    return conn.execute(delete(conversations).where(chosen, ~filled.exists())).rowcount


def _taken(conn: Connection, message_ids: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for page in pages(message_ids):
        query = select(segmented_messages.c.message_id)
        found.update(conn.execute(query.where(segmented_messages.c.message_id.in_(page))).scalars())
    return found


def _insert(
    conn: Connection,
    scope: Scope,
    thread: str,
    one: Segment,
    now: str,
    taken: set[str],
    gone: set[str],
) -> None:
    members = [
        each
        for each in one["classes"]
        if each["message_id"] not in taken and each["turn_id"] not in gone
    ]
    if not members or _has(conn, segments, one["id"]):
        return
    owner = {"tenant": scope.tenant, "user": scope.user, "thread": thread}
    begins = {
        **owner,
        "agent": canonical_json(one["agent"]),
        "cause": one["cause"],
        "score": one["score"],
        "position": members[0]["position"],
        "created_at": now,
    }
    if not _has(conn, conversations, one["conversation_id"]):
        conn.execute(insert(conversations).values(id=one["conversation_id"], **begins))
    clean = not gone & set(one["turn_ids"])
    conn.execute(
        insert(segments).values(
            id=one["id"],
            conversation_id=one["conversation_id"],
            **begins,
            final=one["final"],
            domain=one["domain"],
            operation=one["operation"],
            entities=canonical_json(one["entities"] if clean else []),
            topic=clean_text(one["topic"])[:MAX_TOPIC_CHARS] if clean else "",
            state="open",
            episode_ids="[]",
            reason="",
            updated_at=now,
        )
    )
    rows = [{**owner, "segment_id": one["id"], **each} for each in members]
    conn.execute(insert(segmented_messages), rows)
    taken.update(each["message_id"] for each in members)


def _has(conn: Connection, table: Table, id_: str) -> bool:
    return conn.execute(select(table.c.id).where(table.c.id == id_)).first() is not None
