"""What forgetting takes from the logs of calls, and the names of threads from what stays.

Whose a call was and the digests of what it read go. What a model has cost stays counted, for
nobody's thread: it was spent. A tool's call goes whole; of an effect the ledger keeps that it was.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, Connection, and_, delete, or_, select, update

from memory.episode_rows import pages
from memory.receipts import Target
from memory.tables import artifact_tombstones, effects, episodes, model_calls, turns
from memory.tables_calls import tool_calls
from state import Scope


def erase_calls(
    conn: Connection,
    scope: Scope,
    target: Target,
    found: Sequence[tuple[str, str]],
    threads: Iterable[str],
) -> int:
    """Take the target's calls out of the logs; return how many rows were changed or erased.

    Args:
        conn: A connection inside the forgetting's transaction.
        scope: Whose.
        target: What is forgotten.
        found: The closed turns of it, each with its thread.
        threads: The threads of it, those without a closed turn among them.
    """
    if target.level == "memory":
        return 0
    ids = [turn_id for _, turn_id in found]
    return _model_calls(conn, target, ids, sorted(threads)) + _tool_calls(conn, scope, target, ids)


def erase_thread_names(conn: Connection, scope: Scope, target: Target) -> None:
    """A thread's name was given by its user: of a whole thread not even that stays."""
    for table, owner in (
        (episodes, "user"),
        (artifact_tombstones, "user"),
        (effects, "requested_by"),
    ):
        mine = and_(table.c.tenant == scope.tenant, table.c[owner] == scope.user)
        if target.level == "thread":
            mine = and_(mine, table.c.thread.in_(target.ids))
        if table is episodes:
            mine = and_(mine, episodes.c.forgotten_at.is_not(None))
        conn.execute(update(table).where(mine).values(thread=""))


def _model_calls(conn: Connection, target: Target, ids: Sequence[str], keys: Sequence[str]) -> int:
    if target.level != "turn":
        blank = update(model_calls).values(thread="", blocks="[]")
        chosen = [model_calls.c.thread.in_(page) for page in pages(keys)]
        return sum(conn.execute(blank.where(one)).rowcount for one in chosen)
    rows = 0
    for page in pages(ids):
        place = select(turns.c.thread, turns.c.position).where(turns.c.id.in_(page))
        for row in conn.execute(place).all():
            of_turn = and_(model_calls.c.thread == row.thread, model_calls.c.turn == row.position)
            rows += conn.execute(update(model_calls).where(of_turn).values(blocks="[]")).rowcount
    return rows


def _tool_calls(conn: Connection, scope: Scope, target: Target, ids: Sequence[str]) -> int:
    mine = and_(tool_calls.c.tenant == scope.tenant, tool_calls.c.user == scope.user)
    chosen: list[ColumnElement[bool]] = [tool_calls.c.turn_id.in_(page) for page in pages(ids)]
    if target.level == "thread":
        chosen.append(tool_calls.c.thread.in_(target.ids))
    if target.level == "user":
        chosen = [mine]
    wanted = and_(mine, or_(tool_calls.c.number.is_(None), *chosen))
    return conn.execute(delete(tool_calls).where(wanted)).rowcount
