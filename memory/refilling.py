"""Fills the full-text indexes from the rows they belong to."""

from sqlalchemy import Connection, select

from memory.artifact_rows import text_of
from memory.episodes import audience_of, searchable
from memory.tables import artifacts, episodes
from memory.text_index import ARTIFACT_TEXT, EPISODE_TEXT, TextEntry
from state import Scope

PAGE = 500


def refill_text(conn: Connection) -> None:
    """Create both indexes, which must be empty, and index every row that has a text."""
    EPISODE_TEXT.create(conn)
    ARTIFACT_TEXT.create(conn)
    last = 0
    while entries := _episode_entries(conn, last):
        EPISODE_TEXT.add(conn, entries)
        last = entries[-1].number
    last = 0
    while entries := _artifact_entries(conn, last):
        ARTIFACT_TEXT.add(conn, entries)
        last = entries[-1].number


def _episode_entries(conn: Connection, after: int) -> list[TextEntry]:
    columns = (episodes.c.number, episodes.c.audience, episodes.c.actor, episodes.c.text)
    query = (
        select(*columns)
        .where(episodes.c.number > after, episodes.c.forgotten_at.is_(None))
        .order_by(episodes.c.number)
        .limit(PAGE)
    )
    return [
        TextEntry(row.number, row.audience, searchable(row.actor, row.text))
        for row in conn.execute(query)
    ]


def _artifact_entries(conn: Connection, after: int) -> list[TextEntry]:
    query = select(artifacts).where(artifacts.c.number > after).order_by(artifacts.c.number)
    return [
        TextEntry(row.number, audience_of(Scope(tenant=row.tenant, user=row.user)), text_of(row))
        for row in conn.execute(query.limit(PAGE))
    ]
