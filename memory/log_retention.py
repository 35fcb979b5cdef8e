"""Old rows of logs: calls of models and tools, jobs that have ended, summaries of old folds."""

from collections.abc import Callable
from typing import Final, TypeAlias

from sqlalchemy import Connection, and_, delete, exists

from memory.tables import model_calls, outbox, summaries
from memory.tables_calls import tool_calls

EraseOld: TypeAlias = Callable[[Connection, str], int]

ENDED: Final = ("done", "empty")
"""A failed job stays: somebody has yet to look at it."""


def old_calls(conn: Connection, before: str) -> int:
    """Delete calls from before a time; return how many."""
    tables = (model_calls, tool_calls)
    return sum(conn.execute(delete(table).where(table.c.at < before)).rowcount for table in tables)


def old_jobs(conn: Connection, before: str) -> int:
    """Delete jobs that ended before a time, and old summaries but each thread's newest."""
    ended = and_(outbox.c.state.in_(ENDED), outbox.c.updated_at < before)
    newer = summaries.alias()
    replaced = exists().where(
        newer.c.thread == summaries.c.thread,
        newer.c.state == "written",
        newer.c.upto > summaries.c.upto,
    )
    old = and_(
        summaries.c.state != "wanted",
        summaries.c.updated_at < before,
        replaced,
    )
    erased = (delete(outbox).where(ended), delete(summaries).where(old))
    return sum(conn.execute(one).rowcount for one in erased)
