"""Compaction and the write path to memory as one event, and summaries that a model writes later.

A fold is committed in one transaction: every turn that leaves the window has its extraction row in
the outbox, and all of them the row that consolidates them; their messages are marked, and if a
model is to write the summary, what it will read is kept and its job queued. A summary belongs to
one fold, named by the ids of all folded turns, so it can never be put before a window of another
shape.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, insert, select, update

from memory.compaction import Window
from memory.database import Database
from memory.outbox import Pause, enqueue_once
from memory.summary import Written
from memory.tables import messages, summaries, turns
from state import Scope, canonical_json, derived_id


@dataclass(frozen=True, slots=True)
class SummaryJob:
    """What a model is to summarise: the window before the fold, and which turns were folded."""

    id: str
    window: Window
    folded: tuple[str, ...]
    upto: int


class Folding:
    """Commits folds, and keeps what a model writes about them."""

    def __init__(
        self, database: Database, clock: Callable[[], datetime], pause: Pause | None = None
    ) -> None:
        """Use `database`; `clock` gives aware UTC times, `pause` when a thread rests."""
        self._database = database
        self._clock = clock
        self._pause = pause or Pause()

    async def commit(
        self,
        key: str,
        scope: Scope,
        before: Window,
        folded: Sequence[str],
        *,
        by_model: bool = False,
    ) -> None:
        """Fold turns, all of it or nothing; repeating it after a crash changes nothing.

        Args:
            key: the thread.
            scope: whose memory the turns go to.
            before: the window as it was.
            folded: ids of the turns that leave it.
            by_model: queue a model's summary.
        """
        at = self._clock()
        now, due_at = at.isoformat(), (at + timedelta(seconds=self._pause.ceiling_s)).isoformat()
        gone = frozenset(folded)
        kept = [record["id"] for record in before.history if record["id"] not in gone]

        def work(conn: Connection) -> None:
            for turn_id in folded:
                enqueue_once(conn, "turn_closed", scope, key, turn_id, now)
            if folded:
                last = _last_folded(before, gone)
                enqueue_once(
                    conn, "consolidate", scope, key, last, now, due_at=due_at, cause="compaction"
                )
            marked = update(messages).where(messages.c.turn_id.in_(list(folded)))
            conn.execute(marked.values(compression="folded"))
            if by_model and folded:
                upto = max(one["index"] for one in before.history if one["id"] in gone)
                row = _wanted(key, _fold_name(conn, key, kept), before, folded, upto)
                if conn.execute(select(summaries.c.id).filter_by(id=row["id"])).first() is None:
                    row = {**row, "created_at": now, "updated_at": now}
                    conn.execute(insert(summaries).values(row))
                enqueue_once(conn, "summarize", scope, key, row["id"], now)

        await self._database.write(work)

    async def job(self, summary_id: str) -> SummaryJob | None:
        """What to summarise; None when it is done already, or a later fold came first."""
        query = select(summaries).where(summaries.c.id == summary_id, summaries.c.state == "wanted")
        row = await self._database.read(lambda conn: conn.execute(query).one_or_none())
        if row is None:
            return None
        later = select(summaries.c.id).where(
            summaries.c.thread == row.thread, summaries.c.upto > row.upto
        )
        if await self._database.read(lambda conn: conn.execute(later).first()):
            await self.settle(summary_id, "", "a later fold came first")
            return None
        source = json.loads(row.source)
        return SummaryJob(row.id, Window(**source["thread"]), tuple(source["folded"]), row.upto)

    async def settle(self, summary_id: str, text: str, refused: str = "") -> None:
        """Keep what the model wrote, or why it is not used."""
        state = "refused" if refused else "written"
        values = {"state": state, "text": text, "note": refused, "source": ""}
        statement = (
            update(summaries)
            .where(summaries.c.id == summary_id, summaries.c.state == "wanted")
            .values(**values, updated_at=self._clock().isoformat())
        )
        await self._database.write(lambda conn: conn.execute(statement))

    async def written_for(self, key: str, history_ids: Iterable[str]) -> Written | None:
        """The summary that a model has written for exactly this window; None when there is none."""
        kept = list(history_ids)

        def work(conn: Connection) -> Written | None:
            query = select(summaries.c.fold, summaries.c.upto, summaries.c.text).where(
                summaries.c.thread == key, summaries.c.state == "written"
            )
            found = {row.fold: row for row in conn.execute(query)}
            row = found.get(_fold_name(conn, key, kept)) if found else None
            return None if row is None else Written(row.upto, row.text)

        return await self._database.read(work)


def _last_folded(before: Window, gone: frozenset[str]) -> str:
    """The newest of the turns that leave: up to it the thread is consolidated.

    That waits for the thread's next pause, which covers it, but not longer than any pause does: a
    conversation that is still going on is not cut where the window happened to be full.
    """
    folded = (record for record in before.history if record["id"] in gone)
    return max(folded, key=lambda record: record["index"])["id"]


def _fold_name(conn: Connection, key: str, kept: Sequence[str]) -> str:
    """One name for one set of folded turns: all closed turns that are not in the window."""
    query = (
        select(turns.c.id)
        .where(turns.c.thread == key, turns.c.rolled_back_at.is_(None))
        .order_by(turns.c.position)
    )
    shown = frozenset(kept)
    return derived_id("fold", *(one for one in conn.execute(query).scalars() if one not in shown))


def _wanted(
    key: str, name: str, before: Window, folded: Sequence[str], upto: int
) -> dict[str, Any]:
    thread = {
        "history": list(before.history),
        "summary": before.summary,
        "done_before": before.done_before,
        "done": list(before.done),
        "constraints": list(before.constraints),
    }
    return {
        "id": derived_id("sum", key, name),
        "thread": key,
        "fold": name,
        "upto": upto,
        "state": "wanted",
        "source": canonical_json({"thread": thread, "folded": list(folded)}),
        "text": "",
        "note": "",
    }
