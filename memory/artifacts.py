"""The append-only log of everything heavy a turn made: tool results, traces, reasoning.

An artifact is written once under an id derived by its maker; writing it again changes nothing and
a trigger of the database refuses every UPDATE. State and prompts carry ids only.
"""

import hashlib
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, insert, select

from memory.database import Database
from memory.episodes import audience_of
from memory.fulltext import ARTIFACT_TEXT, excerpt
from memory.history import calls_of, handle_of, read_handle, render_turn
from memory.tables import artifacts, turns
from models.tokens import count
from state import CallRecord, Scope, TurnRecord, canonical_json, clean_text

COMPRESS_OVER_BYTES: Final = 4_096
EXCERPT_CHARS: Final = 240


@dataclass(frozen=True, slots=True)
class ArtifactRef:
    """What is known of an artifact without its text; `tokens` are exact."""

    id: str
    thread: str
    turn_id: str
    module: str
    kind: str
    source: str
    sha256: str
    tokens: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Artifact:
    """An artifact with its text."""

    ref: ArtifactRef
    text: str


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
        """Store a text under an id, unless the id is taken; return what is stored there."""

        def work(conn: Connection) -> ArtifactRef:
            stored = conn.execute(_own(scope, artifacts.c.id == id)).first()
            if stored is not None:
                return _ref(stored)
            plain = clean_text(text)
            values = {"id": id, "thread": thread, "turn_id": turn_id, "module": module}
            values |= {"kind": kind, "source": source, "created_at": self._clock().isoformat()}
            values |= {"tenant": scope.tenant, "user": scope.user, **_body(plain)}
            row = conn.execute(insert(artifacts).values(**values).returning(artifacts)).one()
            ARTIFACT_TEXT.add(conn, row.number, audience_of(scope), plain)
            return _ref(row)

        return await self._database.write(work)

    async def get(self, scope: Scope, id: str) -> Artifact | None:
        """The artifact of that id, None if the scope has none."""

        def work(conn: Connection) -> Artifact | None:
            row = conn.execute(_own(scope, artifacts.c.id == id)).first()
            return None if row is None else Artifact(_ref(row), _text(row))

        return await self._database.read(work)

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
                    passage = excerpt(_text(row), query, EXCERPT_CHARS)
                    found.append(ArtifactHit(_ref(row), passage, hit.score))
            return found

        return await self._database.read(work)


def _own(scope: Scope, *more: ColumnElement[bool]) -> Select[Any]:
    mine = and_(artifacts.c.tenant == scope.tenant, artifacts.c.user == scope.user)
    return select(artifacts).where(mine, *more)


def _body(text: str) -> dict[str, Any]:
    raw = text.encode("utf-8")
    digest = hashlib.sha256(raw).hexdigest()
    packed = zlib.compress(raw, 6) if len(raw) > COMPRESS_OVER_BYTES else raw
    smaller = len(packed) < len(raw)
    return {
        "sha256": digest,
        "tokens": count(text),
        "encoding": "zlib" if smaller else "plain",
        "body": packed if smaller else raw,
    }


def _text(row: Row[Any]) -> str:
    raw = zlib.decompress(row.body) if row.encoding == "zlib" else bytes(row.body)
    return raw.decode("utf-8")


def _ref(row: Row[Any]) -> ArtifactRef:
    return ArtifactRef(
        row.id,
        row.thread,
        row.turn_id,
        row.module,
        row.kind,
        row.source,
        row.sha256,
        row.tokens,
        datetime.fromisoformat(row.created_at),
    )
