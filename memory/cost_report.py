"""What model calls have cost, by module, turn, thread, user and model, from the kept calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, func, select

from memory.database import Database
from memory.tables import model_calls, threads
from state import Scope

_BY: Final[dict[str, Sequence[ColumnElement[Any]]]] = {
    "module": (model_calls.c.module,),
    "model": (model_calls.c.model,),
    "thread": (threads.c.name,),
    "turn": (threads.c.name, model_calls.c.turn),
    "user": (threads.c.owner,),
}


@dataclass(frozen=True, slots=True)
class CostRow:
    """Sums of one module, turn, thread, user or model.

    `usd` is None when no call of the row has a known price; `unpriced` is how many have none.
    """

    name: str
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    usd: float | None
    unpriced: int


async def cost_report(
    database: Database, scope: Scope, thread: str | None = None
) -> dict[str, list[CostRow]]:
    """The user's calls by everything, and `total`.

    Args:
        database: where calls are kept.
        scope: whose calls.
        thread: the name of one thread; all of the user's without it.
    """
    where = [threads.c.tenant == scope.tenant, threads.c.owner == scope.user]
    if thread is not None:
        where.append(threads.c.name == thread)

    def work(conn: Connection) -> dict[str, list[CostRow]]:
        report = {name: _rows(conn, columns, where) for name, columns in _BY.items()}
        return {"total": _rows(conn, (), where), **report}

    return await database.read(work)


def _rows(
    conn: Connection, by: Sequence[ColumnElement[Any]], where: Sequence[ColumnElement[bool]]
) -> list[CostRow]:
    calls = model_calls.c
    sums = (
        func.count(),
        func.coalesce(func.sum(calls.input_tokens), 0),
        func.coalesce(func.sum(calls.cache_read_tokens), 0),
        func.coalesce(func.sum(calls.output_tokens), 0),
        func.sum(calls.cost_usd),
        func.count() - func.count(calls.cost_usd),
    )
    joined = model_calls.join(threads, threads.c.key == calls.thread)
    query = select(*by, *sums).select_from(joined).where(*where).group_by(*by).order_by(*by)
    rows = []
    for row in conn.execute(query):
        names, (count, read, cached, written, usd, unpriced) = row[: len(by)], row[len(by) :]
        name = " ".join(map(str, names)) or "total"
        cost = None if usd is None else float(usd)
        rows.append(CostRow(name, count, int(read), int(cached), int(written), cost, unpriced))
    return rows
