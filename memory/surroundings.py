"""What recall reads beside the hits: their neighbours in the thread, and who has spoken."""

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
    values,
)

from memory.episodes import EpisodeItem
from memory.tables import episodes

MAX_ACTORS: Final = 64
STRETCHES: Final = 100
"""So many pieces of threads are asked for in one statement."""

_PIECE: Final = values(
    column("thread", Text), column("first", Integer), column("last", Integer), name="piece"
)
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
    pieces = stretches(items, reach)
    found: list[RowMapping] = []
    for at in range(0, len(pieces), STRETCHES):
        # Joined, not chained by OR: a chain makes SQLite read every row of the tenant.
        piece = _PIECE.data(pieces[at : at + STRETCHES]).cte("piece")
        here = and_(
            episodes.c.tenant == tenant,
            episodes.c.thread == piece.c.thread,
            episodes.c.position.between(piece.c.first, piece.c.last),
        )
        query = select(episodes).select_from(piece.join(episodes, here)).where(readable)
        found.extend(conn.execute(query.order_by(episodes.c.number)).mappings())
    return found


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
