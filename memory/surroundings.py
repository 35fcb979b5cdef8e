"""What recall reads beside the hits: their neighbours in the thread, and who has spoken."""

import json
from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    RowMapping,
    Text,
    and_,
    column,
    select,
    text,
)

from memory.episodes import EpisodeItem
from memory.tables import episodes

MAX_ACTORS: Final = 64

# As one value, so that the statement is the same for any number of pieces, and is prepared once.
_PIECES: Final = {
    dialect: text(statement)
    .columns(column("thread", Text), column("first", Integer), column("last", Integer))
    .cte("piece")
    for dialect, statement in {
        "sqlite": (
            "SELECT json_extract(value, '$[0]') AS thread, json_extract(value, '$[1]') AS first, "
            "json_extract(value, '$[2]') AS last FROM json_each(:pieces)"
        ),
        "postgresql": (
            "SELECT value->>0 AS thread, CAST(value->>1 AS INTEGER) AS first, "
            "CAST(value->>2 AS INTEGER) AS last "
            "FROM jsonb_array_elements(CAST(:pieces AS jsonb)) AS found(value)"
        ),
    }.items()
}
_ACTORS: Final = text(
    "WITH RECURSIVE spoken(actor) AS ("
    "SELECT min(actor) FROM episodes WHERE audience = :audience AND actor > '' "
    "UNION ALL "
    "SELECT (SELECT min(e.actor) FROM episodes e "
    "WHERE e.audience = :audience AND e.actor > spoken.actor) "
    "FROM spoken WHERE spoken.actor IS NOT NULL"
    ") SELECT actor FROM spoken WHERE actor IS NOT NULL LIMIT :most"
)


def actors_of(conn: Connection, audiences: Sequence[str]) -> list[str]:
    """Who has spoken in what the audiences may read, sorted; jumps from name to name."""
    found: set[str] = set()
    for audience in audiences:
        values = {"audience": audience, "most": MAX_ACTORS}
        found.update(conn.execute(_ACTORS, values).scalars())
    return sorted(found)[:MAX_ACTORS]


def rows_around(
    conn: Connection,
    readable: ColumnElement[bool],
    tenant: str,
    items: Iterable[EpisodeItem],
    reach: int,
) -> list[RowMapping]:
    """The readable rows that stand within `reach` positions of an item in its thread."""
    # Joined, not chained by OR: a chain makes SQLite read every row of the tenant.
    piece = _PIECES[conn.dialect.name]
    here = and_(
        episodes.c.tenant == tenant,
        episodes.c.thread == piece.c.thread,
        episodes.c.position.between(piece.c.first, piece.c.last),
    )
    query = select(episodes).select_from(piece.join(episodes, here)).where(readable)
    pieces = json.dumps(stretches(items, reach))
    found = conn.execute(query.order_by(episodes.c.number), {"pieces": pieces})
    return list(found.mappings().all())


def stretches(items: Iterable[EpisodeItem], reach: int) -> list[tuple[str, int, int]]:
    """The pieces of threads around the items: (thread, first, last), overlapping ones as one."""
    places = sorted({(item.thread, item.position) for item in items})
    found: list[tuple[str, int, int]] = []
    for thread, position in places:
        first, last = position - reach, position + reach
        if found and found[-1][0] == thread and first <= found[-1][2] + 1:
            first = found.pop()[1]
        found.append((thread, first, last))
    return found
