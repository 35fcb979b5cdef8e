"""Episodic items in the SQL database: the truth, opened for one scope at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select, update

from memory.audit import note_down
from memory.database import Database
from memory.episode_rows import (
    MAX_TEXT_CHARS,
    PAGE,
    erase,
    from_row,
    insert_new,
    made_from,
    pages,
    payload_of,
    rewrite,
    shortened,
    to_row,
)
from memory.episodes import (
    EpisodeItem,
    TextMatch,
    Visibility,
    WordFits,
    audience_of,
    readable_audiences,
)
from memory.surroundings import actors_of, rows_around
from memory.tables import episodes
from memory.text_index import EPISODE_TEXT
from state import Scope, clean_text, derived_id

__all__ = ["MAX_TEXT_CHARS", "SqlEpisodeHandle", "SqlEpisodes", "shortened"]


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
        rows = [to_row(self._scope, item) for item in items]
        return await self._database.write(lambda conn: insert_new(conn, rows))

    async def get(self, ids: Sequence[str]) -> list[EpisodeItem]:
        """The readable items among the ids, in the order asked for."""

        def work(conn: Connection) -> list[EpisodeItem]:
            found: dict[str, EpisodeItem] = {}
            for page in pages(ids):
                query = select(episodes).where(self._allowed(), episodes.c.id.in_(page))
                for row in conn.execute(query).mappings():
                    found[row["id"]] = from_row(row)
            return [found[wanted] for wanted in dict.fromkeys(ids) if wanted in found]

        return await self._database.read(work)

    async def search_text(self, query: str, limit: int) -> list[TextMatch]:
        """The best readable items by full text."""

        def work(conn: Connection) -> list[TextMatch]:
            hits = EPISODE_TEXT.search(conn, query, self._audiences, limit)
            scores = {hit.number: hit.score for hit in hits}
            known: dict[int, str] = {}
            for page in pages(list(scores)):
                rows = conn.execute(
                    select(episodes.c.number, episodes.c.id).where(
                        self._allowed(), episodes.c.number.in_(page)
                    )
                )
                known |= {row.number: row.id for row in rows}
            return [TextMatch(known[n], score) for n, score in scores.items() if n in known]

        return await self._database.read(work)

    async def fit_words(self, query: str, ids: Sequence[str]) -> WordFits:
        """How the readable items among the ids fit a question by words."""

        def work(conn: Connection) -> WordFits:
            names: dict[int, str] = {}
            for page in pages(ids):
                columns = (episodes.c.number, episodes.c.id)
                readable = select(*columns).where(self._allowed(), episodes.c.id.in_(page))
                names |= {row.number: row.id for row in conn.execute(readable)}
            fits = EPISODE_TEXT.fits(conn, query, self._audiences, list(names))
            scores = {names[number]: score for number, score in fits.scores.items()}
            terms = {names[number]: found for number, found in fits.terms.items()}
            return WordFits(fits.weights, fits.unknown, scores, terms)

        return await self._database.read(work)

    async def around(self, items: Sequence[EpisodeItem], reach: int) -> list[EpisodeItem]:
        """The readable items within `reach` positions of the given ones in their threads."""

        def work(conn: Connection) -> list[EpisodeItem]:
            rows = rows_around(conn, self._allowed(), self._scope.tenant, items, reach)
            return [from_row(row) for row in rows]

        return await self._database.read(work)

    async def actors(self) -> list[str]:
        """Who has spoken in what the scope can read, sorted."""
        return await self._database.read(lambda conn: actors_of(conn, self._audiences))

    async def recent(self, limit: int) -> list[EpisodeItem]:
        """The readable items, newest event first."""
        newest = (episodes.c.occurred_at.desc(), episodes.c.number.desc())
        query = select(episodes).where(self._readable()).order_by(*newest).limit(limit)

        def work(conn: Connection) -> list[EpisodeItem]:
            return [from_row(row) for row in conn.execute(query).mappings()]

        return await self._database.read(work)

    async def failures(self, limit: int) -> list[EpisodeItem]:
        """The readable failures that nothing contradicts yet, newest event first."""
        failed = (episodes.c.kind == "episode", episodes.c.result.in_(("negative", "mixed")))
        newest = (episodes.c.occurred_at.desc(), episodes.c.number.desc())
        query = select(episodes).where(self._readable(), *failed).order_by(*newest).limit(limit)

        def work(conn: Connection) -> list[EpisodeItem]:
            found = [from_row(row) for row in conn.execute(query).mappings()]
            return [one for one in found if one.episode and not one.episode.retired_by]

        return await self._database.read(work)

    async def own(self, after: int, limit: int) -> list[tuple[int, EpisodeItem]]:
        """A page of what the scope's user wrote, each with its place: go on after the last one."""
        query = select(episodes).where(self._own(episodes.c.number > after))
        query = query.order_by(episodes.c.number).limit(limit)

        def work(conn: Connection) -> list[tuple[int, EpisodeItem]]:
            return [(row["number"], from_row(row)) for row in conn.execute(query).mappings()]

        return await self._database.read(work)

    async def count(self) -> int:
        """How many items the scope can read."""
        query = select(func.count()).select_from(episodes).where(self._readable())
        return await self._database.read(lambda conn: int(conn.execute(query).scalar_one()))

    async def is_empty(self) -> bool:
        """Whether the scope can read nothing; unlike `count` it does not look at every row."""
        query = select(episodes.c.number).where(self._readable()).limit(1)
        return await self._database.read(lambda conn: conn.execute(query).first() is None)

    async def mark_used(self, ids: Sequence[str]) -> int:
        """Count one more recall of each readable item; return how many were counted."""
        change = (
            update(episodes)
            .where(self._allowed(), episodes.c.id.in_(list(ids)[:PAGE]))
            .values(uses=episodes.c.uses + 1)
        )
        return await self._database.write(lambda conn: conn.execute(change).rowcount)

    async def promote(
        self, id: str, visibility: Visibility, team: str = "", *, clean: EpisodeItem | None = None
    ) -> EpisodeItem | None:
        """Share an own item: a copy for its new readers, so that each can be forgotten alone.

        Args:
            id: The item.
            visibility: Who may read the copy.
            team: Which team.
            clean: What the copy says, when that is not what the original does.

        Returns:
            The copy, the same one when it is promoted again; None if the scope's user has no such
            item, or the copy was forgotten.

        Raises:
            ValueError: the scope is not in the team, or the item would not get other readers.
        """
        audience = audience_of(self._scope, visibility, team)
        if visibility == "private":
            message = "wanted visibility 'team' or 'organisation', got 'private'"
            raise ValueError(message)

        def work(conn: Connection) -> str | None:
            row = conn.execute(select(episodes).where(self._own(episodes.c.id == id))).first()
            if row is None or row.audience == audience:
                return None if row is None else str(row.id)
            origin = row.origin or row.id
            key = derived_id("pro", origin, audience)
            item = replace(
                clean or from_row(row._mapping),
                id=key,
                origin=origin,
                visibility=visibility,
                team=team,
                uses=0,
            )
            if insert_new(conn, [to_row(self._scope, item)]):
                to = f"team:{team}" if visibility == "team" else visibility
                note_down(conn, self._scope, "promote", origin, f"to {to} as {key}")
            return key

        key = await self._database.write(work)
        found = await self.get([key]) if key is not None else []
        return found[0] if found else None

    async def edit(self, id: str, changes: Mapping[str, Any]) -> EpisodeItem | None:
        """Change an own item's text, result, or fields of its episode; None if there is none.

        The former wording is overwritten; copies that were promoted keep theirs.
        """

        def work(conn: Connection) -> bool:
            row = conn.execute(select(episodes).where(self._own(episodes.c.id == id))).first()
            if row is None:
                return False
            item = from_row(row._mapping)
            values = {name: changes[name] for name in ("text", "result") if name in changes}
            if "text" in values:
                values["text"] = shortened(clean_text(values["text"]))
            inner = {name: changes[name] for name in ("lesson", "avoid") if name in changes}
            if item.episode is not None and inner:
                values["payload"] = payload_of(replace(item.episode, **inner))
            rewrite(conn, row.number, values)
            note_down(conn, self._scope, "edit", id, ", ".join(sorted(changes)))
            return True

        edited = await self._database.write(work)
        return (await self.get([id]))[0] if edited else None

    async def forget(self, ids: Sequence[str]) -> int:
        """Erase own items and what was promoted from them; return how many were erased."""

        def work(conn: Connection) -> int:
            wanted = [
                or_(episodes.c.id.in_(page), episodes.c.origin.in_(page)) for page in pages(ids)
            ]
            return sum(len(erase(conn, self._own(condition))) for condition in wanted)

        return await self._database.write(work)

    async def forget_turn(self, thread: str, turn_id: str) -> int:
        """Erase what one of the scope's turns left; return how many items were erased."""
        of_turn = self._own(episodes.c.thread == thread, made_from([turn_id]))
        return await self._database.write(lambda conn: len(erase(conn, of_turn)))

    def _readable(self) -> ColumnElement[bool]:
        """What the scope may read, found by its audiences."""
        return and_(
            episodes.c.audience.in_(self._audiences),
            episodes.c.tenant.concat("") == self._scope.tenant,
            episodes.c.forgotten_at.is_(None),
        )

    def _allowed(self) -> ColumnElement[bool]:
        """The same for rows that are found by id: in a form that no index serves.

        SQLite would otherwise read all rows of the tenant to find a few ids.
        """
        return and_(
            episodes.c.audience.concat("").in_(self._audiences),
            episodes.c.tenant.concat("") == self._scope.tenant,
            episodes.c.forgotten_at.is_(None),
        )

    def _own(self, *more: ColumnElement[bool]) -> ColumnElement[bool]:
        """What the scope's user wrote, even for a team that the user has left."""
        mine = (episodes.c.tenant == self._scope.tenant, episodes.c.user == self._scope.user)
        return and_(*mine, episodes.c.forgotten_at.is_(None), *more)
