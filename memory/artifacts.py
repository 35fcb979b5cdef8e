"""The append-only log of everything heavy a turn made: tool results, traces, reasoning.

An artifact is written once under an id derived by its maker; writing it again changes nothing, a
trigger of the database refuses every UPDATE, and another one every DELETE without a tombstone.
Reading checks the text against its sha256. State and prompts carry ids only.
"""

import json
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, delete, insert, select

from memory.artifact_drafts import Draft, insert_artifacts
from memory.artifact_rows import Artifact, ArtifactRef, ref_of, text_of
from memory.database import Database
from memory.episodes import audience_of
from memory.errors import DamagedArtifact
from memory.fulltext import excerpt
from memory.group_commit import GroupCommit
from memory.history import calls_of, handle_of, read_handle, render_turn
from memory.tables import artifact_tombstones, artifacts, turns
from memory.text_index import ARTIFACT_TEXT
from state import CallRecord, Scope, TurnRecord, canonical_json

__all__ = ["Artifact", "ArtifactHit", "ArtifactRef", "Artifacts", "tombstone"]

EXCERPT_CHARS: Final = 240
PAGE: Final = 500

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ArtifactHit:
    """An artifact found by full text, with the passage that fits best."""

    ref: ArtifactRef
    excerpt: str
    score: float


class Artifacts:
    """Artifacts by scope: private to the tenant and user whose turn made them."""

    def __init__(
        self, database: Database, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        """Use an open database."""
        self._database = database
        self._clock = clock
        self._waiting: dict[tuple[str, str, str], Draft] = {}

    async def put(
        self,
        scope: Scope,
        *,
        id: str,
        thread: str,
        turn_id: str,
        module: str,
        kind: str,
        text: str,
        source: str,
    ) -> ArtifactRef:
        """Store a text under an id, unless the id is taken; return what is stored there.

        Under the id of a forgotten artifact nothing is stored: it stays forgotten.
        """
        draft = Draft(scope, id, thread, turn_id, module, kind, text, source, self._clock())

        def work(conn: Connection) -> ArtifactRef:
            insert_artifacts(conn, [draft])
            stored = conn.execute(_own(scope, artifacts.c.id == id)).first()
            return draft.ref if stored is None else ref_of(stored)

        return await self._database.write(work)

    def put_soon(
        self,
        group: GroupCommit,
        scope: Scope,
        *,
        id: str,
        thread: str,
        turn_id: str,
        module: str,
        kind: str,
        text: str,
        source: str,
    ) -> ArtifactRef:
        """Like `put`, on disk after the next flush of the group; it can be read at once.

        The id must be new to the log: what is stored under it already is kept, unseen.
        """
        draft = Draft(scope, id, thread, turn_id, module, kind, text, source, self._clock())
        place = (scope.tenant, scope.user, id)
        self._waiting[place] = draft

        def written() -> None:
            self._waiting.pop(place, None)

        group.add(insert_artifacts, draft, written)
        return draft.ref

    async def get(self, scope: Scope, id: str) -> Artifact | None:
        """The artifact of that id, None if the scope has none.

        Raises:
            DamagedArtifact: what is stored is not what was written.
        """
        waiting = self._waiting.get((scope.tenant, scope.user, id))
        if waiting is not None:
            return Artifact(waiting.ref, waiting.plain)

        def work(conn: Connection) -> Artifact | None:
            row = conn.execute(_own(scope, artifacts.c.id == id)).first()
            return None if row is None else Artifact(ref_of(row), text_of(row))

        return await self._database.read(work)

    async def existing(self, scope: Scope, ids: Collection[str]) -> set[str]:
        """Those of the ids under which the scope has an artifact."""
        query = select(artifacts.c.id).where(
            artifacts.c.tenant == scope.tenant, artifacts.c.user == scope.user
        )

        def work(conn: Connection) -> set[str]:
            wanted = [list(ids)[at : at + PAGE] for at in range(0, len(ids), PAGE)]
            found = [conn.execute(query.where(artifacts.c.id.in_(page))) for page in wanted]
            return {key for rows in found for key in rows.scalars()}

        return await self._database.read(work)

    async def of_turn(self, scope: Scope, thread: str, turn_id: str) -> list[ArtifactRef]:
        """What a turn has left in the log, oldest first."""
        of_turn = (artifacts.c.thread == thread, artifacts.c.turn_id == turn_id)
        query = _own(scope, *of_turn).order_by(artifacts.c.number)
        rows = await self._database.read(lambda conn: conn.execute(query).all())
        return [ref_of(row) for row in rows]

    async def of_handle(self, scope: Scope, thread: str, handle: str) -> str | None:
        """What a turn's handle stands for: `#12.2` one call's result, `#12` the turn and all of it.

        None when the thread has no such turn or call, or it is not this user's.
        """
        place = read_handle(handle)
        if place is None:
            return None
        index, number = place
        query = select(turns.c.record).where(
            turns.c.thread == thread,
            turns.c.position == index,
            turns.c.tenant == scope.tenant,
            turns.c.user == scope.user,
            turns.c.rolled_back_at.is_(None),
        )
        found = await self._database.read(lambda conn: conn.execute(query).scalar())
        if found is None:
            return None
        record: TurnRecord = json.loads(found)
        calls = list(enumerate(calls_of(record), start=1))
        chosen = [(n, call) for n, call in calls if number in (None, n)]
        texts = [await self._result(scope, index, n, call) for n, call in chosen]
        if number is None:
            return "\n".join([render_turn(record), *texts])
        return texts[0] if texts else None

    async def _result(self, scope: Scope, index: int, number: int, call: CallRecord) -> str:
        head = f"{handle_of(index, number)} {call['name']} {canonical_json(call['args'])}"
        stored = await self.get(scope, call["artifact"]) if call["artifact"] else None
        return f"{head} -> {call['status']}\n{stored.text if stored else call['note']}"

    async def search(
        self, scope: Scope, query: str, limit: int = 5, *, thread: str | None = None
    ) -> list[ArtifactHit]:
        """The scope's artifacts that match a question by full text, best first.

        Args:
            scope: Whose artifacts.
            query: Words, ids or codes to look for.
            limit: How many at most.
            thread: Only this thread's.
        """

        def work(conn: Connection) -> list[ArtifactHit]:
            wide = limit if thread is None else 20 * limit
            hits = ARTIFACT_TEXT.search(conn, query, [audience_of(scope)], wide)
            found: list[ArtifactHit] = []
            for hit in hits:
                row = conn.execute(_own(scope, artifacts.c.number == hit.number)).first()
                elsewhere = row is None or (thread is not None and row.thread != thread)
                if row is not None and not elsewhere and len(found) < limit:
                    passage = _passage(row, query)
                    if passage is not None:
                        found.append(ArtifactHit(ref_of(row), passage, hit.score))
            return found

        return await self._database.read(work)


def _own(scope: Scope, *more: ColumnElement[bool]) -> Select[Any]:
    mine = and_(artifacts.c.tenant == scope.tenant, artifacts.c.user == scope.user)
    return select(artifacts).where(mine, *more)


def _passage(row: Row[Any], query: str) -> str | None:
    try:
        return excerpt(text_of(row), query, EXCERPT_CHARS)
    except DamagedArtifact as error:
        logger.warning("left out of a search: %s", error)
        return None


def tombstone(conn: Connection, condition: ColumnElement[bool], reason: str, now: str) -> list[str]:
    """Delete artifacts with their full text, leaving text-free tombstones; return their ids."""
    kept = ("tenant", "user", "id", "thread", "turn_id", "number")
    found = conn.execute(select(*(artifacts.c[name] for name in kept)).where(condition)).all()
    if not found:
        return []
    stones = [
        {**{name: row._mapping[name] for name in kept[:-1]}, "forgotten_at": now, "reason": reason}
        for row in found
    ]
    conn.execute(insert(artifact_tombstones), stones)
    numbers = [row.number for row in found]
    for at in range(0, len(numbers), PAGE):
        conn.execute(delete(artifacts).where(artifacts.c.number.in_(numbers[at : at + PAGE])))
    ARTIFACT_TEXT.remove(conn, numbers)
    return [row.id for row in found]
