"""Episodic items as rows of the SQL database: the truth, with full text in the same transaction."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, func, insert, select, update

from memory.database import Database
from memory.episodes import (
    Action,
    Episode,
    EpisodeItem,
    TextMatch,
    audience_of,
    readable_audiences,
    searchable,
)
from memory.fulltext import EPISODE_TEXT
from memory.tables import episodes
from state import Scope, clean_text

MAX_TEXT_CHARS: Final = 20_000
PAGE: Final = 500


class SqlEpisodes:
    """Opens handles on the `episodes` table."""

    def __init__(self, database: Database) -> None:
        """Use an open database."""
        self._database = database

    def scoped(self, scope: Scope) -> "SqlEpisodeHandle":
        """The items of one scope."""
        return SqlEpisodeHandle(self._database, scope)


class SqlEpisodeHandle:
    """The items one scope may read and write; every statement carries its audiences."""

    def __init__(self, database: Database, scope: Scope) -> None:
        """Bind to one scope for good; see `SqlEpisodes.scoped`."""
        self._database = database
        self._scope = scope
        self._audiences = readable_audiences(scope)

    async def add(self, items: Sequence[EpisodeItem]) -> int:
        """Store items whose id is new, even a forgotten one's; return how many were new."""
        rows = [_to_row(self._scope, item) for item in items]

        def work(conn: Connection) -> int:
            return sum(_insert_once(conn, row) for row in rows)

        return await self._database.write(work)

    async def get(self, ids: Sequence[str]) -> list[EpisodeItem]:
        """The readable items among the ids, in the order asked for."""

        def work(conn: Connection) -> list[EpisodeItem]:
            found: dict[str, EpisodeItem] = {}
            for page in _pages(ids):
                query = select(episodes).where(self._readable(), episodes.c.id.in_(page))
                for row in conn.execute(query).mappings():
                    found[row["id"]] = _from_row(dict(row))
            return [found[wanted] for wanted in dict.fromkeys(ids) if wanted in found]

        return await self._database.read(work)

    async def search_text(self, query: str, limit: int) -> list[TextMatch]:
        """The best readable items by full text."""

        def work(conn: Connection) -> list[TextMatch]:
            hits = EPISODE_TEXT.search(conn, query, self._audiences, limit)
            scores = {hit.number: hit.score for hit in hits}
            rows = conn.execute(
                select(episodes.c.number, episodes.c.id).where(
                    self._readable(), episodes.c.number.in_(list(scores))
                )
            )
            known = {row.number: row.id for row in rows}
            return [TextMatch(known[n], score) for n, score in scores.items() if n in known]

        return await self._database.read(work)

    async def recent(self, limit: int) -> list[EpisodeItem]:
        """The readable items, newest event first."""
        newest = (episodes.c.occurred_at.desc(), episodes.c.number.desc())
        query = select(episodes).where(self._readable()).order_by(*newest).limit(limit)

        def work(conn: Connection) -> list[EpisodeItem]:
            return [_from_row(dict(row)) for row in conn.execute(query).mappings()]

        return await self._database.read(work)

    async def count(self) -> int:
        """How many items the scope can read."""
        query = select(func.count()).select_from(episodes).where(self._readable())
        return await self._database.read(lambda conn: int(conn.execute(query).scalar_one()))

    async def mark_used(self, ids: Sequence[str]) -> int:
        """Count one more recall of each readable item; return how many were counted."""
        change = (
            update(episodes)
            .where(self._readable(), episodes.c.id.in_(list(ids)[:PAGE]))
            .values(uses=episodes.c.uses + 1)
        )
        return await self._database.write(lambda conn: conn.execute(change).rowcount)

    async def forget(self, ids: Sequence[str]) -> int:
        """Erase own items, leaving text-free tombstones; return how many were erased."""

        def work(conn: Connection) -> int:
            return sum(_erase(conn, self._own(episodes.c.id.in_(page))) for page in _pages(ids))

        return await self._database.write(work)

    async def forget_turn(self, thread: str, turn_id: str) -> int:
        """Erase what one of the scope's turns left; return how many items were erased."""
        of_turn = self._own(episodes.c.thread == thread, episodes.c.turn_id == turn_id)
        return await self._database.write(lambda conn: _erase(conn, of_turn))

    def _readable(self) -> ColumnElement[bool]:
        return and_(
            episodes.c.audience.in_(self._audiences),
            episodes.c.tenant == self._scope.tenant,
            episodes.c.forgotten_at.is_(None),
        )

    def _own(self, *more: ColumnElement[bool]) -> ColumnElement[bool]:
        return and_(self._readable(), episodes.c.user == self._scope.user, *more)


def _insert_once(conn: Connection, row: Mapping[str, Any]) -> int:
    taken = conn.execute(select(episodes.c.number).where(episodes.c.id == row["id"])).first()
    if taken is not None:
        return 0
    number = conn.execute(insert(episodes).values(**row).returning(episodes.c.number)).scalar_one()
    EPISODE_TEXT.add(conn, number, row["audience"], searchable(row["actor"], row["text"]))
    return 1


def _erase(conn: Connection, condition: ColumnElement[bool]) -> int:
    numbers = list(conn.execute(select(episodes.c.number).where(condition)).scalars())
    for page in _pages(numbers):
        conn.execute(
            update(episodes)
            .where(episodes.c.number.in_(page))
            .values(
                text="",
                payload="{}",
                actor="",
                domain="",
                operation="",
                forgotten_at=datetime.now(UTC).isoformat(),
            )
        )
    EPISODE_TEXT.remove(conn, numbers)
    return len(numbers)


def _pages(values: Sequence[Any]) -> list[list[Any]]:
    return [list(values[at : at + PAGE]) for at in range(0, len(values), PAGE)]


def _to_row(scope: Scope, item: EpisodeItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "tenant": scope.tenant,
        "user": scope.user,
        "visibility": item.visibility,
        "team": item.team,
        "audience": audience_of(scope, item.visibility, item.team),
        "kind": item.kind,
        "thread": item.thread,
        "turn_id": item.turn_id,
        "position": item.position,
        "actor": clean_text(item.actor),
        "domain": clean_text(item.domain),
        "operation": clean_text(item.operation),
        "result": item.result,
        "source": item.source,
        "text": shortened(clean_text(item.text)),
        "payload": _payload(item.episode),
        "occurred_at": item.occurred_at.astimezone(UTC).isoformat(),
        "recorded_at": item.recorded_at.astimezone(UTC).isoformat(),
        "uses": item.uses,
        "successes": item.successes,
        "indexed": "",
        "forgotten_at": None,
    }


def shortened(value: str, limit_chars: int = MAX_TEXT_CHARS) -> str:
    """The text, or its opening with a remark on how much was left out."""
    if len(value) <= limit_chars:
        return value
    return f"{value[:limit_chars]} [{len(value) - limit_chars} more characters in the transcript]"


def _payload(episode: Episode | None) -> str:
    if episode is None:
        return "{}"
    return clean_text(json.dumps(asdict(episode), ensure_ascii=False, sort_keys=True, default=str))


def _from_row(row: Mapping[str, Any]) -> EpisodeItem:
    payload: dict[str, Any] = json.loads(row["payload"])
    same = ("id", "kind", "text", "thread", "turn_id", "position", "actor", "domain", "operation")
    more = ("result", "source", "visibility", "team", "uses", "successes")
    return EpisodeItem(
        **{name: row[name] for name in (*same, *more)},
        occurred_at=datetime.fromisoformat(row["occurred_at"]),
        recorded_at=datetime.fromisoformat(row["recorded_at"]),
        episode=_episode(payload) if payload else None,
    )


def _episode(payload: dict[str, Any]) -> Episode:
    return Episode(
        agent=tuple(payload["agent"]),
        situation=payload["situation"],
        actions=tuple(Action(**action) for action in payload["actions"]),
        observation=payload["observation"],
        topic=payload["topic"],
        entities=tuple(payload["entities"]),
        lesson=payload["lesson"],
        avoid=payload["avoid"],
        constraints=tuple(payload["constraints"]),
    )
