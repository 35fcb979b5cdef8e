"""Forgetting in the SQL database: every row that holds a text of the target, in one transaction.

What must stay, stays without text: closed effects (they may not happen twice), and tombstones of
items and artifacts (a job that comes late must not bring them back). Everything is selected by
tenant and user, so that what others hold of the same source is left alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, or_, select, update

from memory.artifacts import tombstone
from memory.audit import note_down
from memory.database import Database
from memory.episode_rows import FORGOTTEN, erase, made_from, pages
from memory.errors import NotSettled
from memory.fact_history import Fact
from memory.facts import Facts
from memory.log_erasing import erase_calls, erase_thread_names
from memory.receipts import Erased, Receipt, Target, changes
from memory.segment_erasing import erase_segments
from memory.tables import (
    artifacts,
    effect_events,
    effects,
    episodes,
    fact_mentions,
    leases,
    messages,
    outbox,
    summaries,
    threads,
    turns,
)
from memory.values import erase_values
from state import Scope

OPEN_EFFECTS = ("prepared", "approved", "started", "unsettled")


class Forgetting:
    """Erases a scope's own rows; files, vectors and checkpoints follow in the room above."""

    def __init__(self, database: Database, facts: Facts, clock: Callable[[], datetime]) -> None:
        """Use an open database; `clock` gives aware UTC times."""
        self._database = database
        self._facts = facts
        self._clock = clock

    async def resolve(self, scope: Scope, ids: Sequence[str], *, memory_only: bool) -> Target:
        """What ids stand for: turns, or items and facts with the turns they come from.

        Args:
            scope: Whose memory.
            ids: Of items, facts, artifacts or turns.
            memory_only: Leave the conversations alone, and forget only what memory made of them.
        """
        if memory_only:
            return Target("memory", tuple(ids))
        mentions = {
            fact.id: [mention.turn_id for mention in fact.mentions]
            for fact in await self._facts.history(scope)
        }
        stated = [turn for one in ids for turn in mentions.get(one, ())]

        def work(conn: Connection) -> list[str]:
            return _turns_of(conn, scope, [*ids, *stated])

        found = await self._database.read(work)
        return Target("turn", tuple(found)) if found else Target("memory", tuple(ids))

    async def forget(
        self, scope: Scope, target: Target, also: Sequence[str] = (), *, rehearse: bool = False
    ) -> Receipt:
        """Erase the target's rows; all of it, or nothing.

        Args:
            scope: Whose memory.
            target: What to forget.
            also: Ids of items, facts or artifacts to forget with it.
            rehearse: Count what would be erased, and change nothing.

        Raises:
            NotSettled: an action of the target is not decided, or its outcome is unknown.
        """
        before = await self._facts.history(scope)
        receipt = Receipt(target, rehearse)

        def work(conn: Connection) -> None:
            _Erasing(conn, scope, self._clock().isoformat(), before, receipt).run(target, also)
            if rehearse:
                raise _Rehearsed

        try:
            await self._database.write(work)
        except _Rehearsed:
            return receipt
        receipt.derived += changes(before, await self._facts.history(scope))
        return receipt


class _Rehearsed(Exception):
    """Ends the transaction of a rehearsal, so that nothing of it is kept."""


@dataclass(frozen=True, slots=True)
class _Erasing:
    """One forgetting inside its transaction."""

    conn: Connection
    scope: Scope
    now: str
    facts: Sequence[Fact]
    receipt: Receipt

    def run(self, target: Target, also: Sequence[str]) -> None:
        found = self._chosen(target)
        self._check_settled(target, found)
        for thread, turn_id in found:
            self.receipt.turns.setdefault(thread, []).append(turn_id)
        whole, ids = target.level in ("thread", "user"), [one for _, one in found]
        erased = {
            "transcript": self._transcript(found, whole, target),
            "artifacts": self._artifacts(target, found, also),
            "episodes": self._episodes(target, found, also),
            "facts": self._statements(target, found, also),
            "effects": self._effects(target, found),
            "job queue": self._rows(outbox, target, found),
            "summaries": self._summaries(found),
            "call logs": erase_calls(self.conn, self.scope, target, found, self.receipt.turns),
            "feedback": erase_values(self.conn, self.scope, ids, whole=target.level == "user"),
            "segments": erase_segments(self.conn, self.scope, target, ids),
        }
        self.receipt.stores += [Erased(store, rows) for store, rows in erased.items()]
        if whole:
            erase_thread_names(self.conn, self.scope, target)
        subject = target.level if whole or not target.ids else target.ids[0]
        note_down(self.conn, self.scope, "forget", subject, f"{self.receipt.rows} rows")

    def _chosen(self, target: Target) -> list[tuple[str, str]]:
        """The closed turns that are to go, each with its thread."""
        if target.level == "memory":
            return []
        query = select(turns.c.thread, turns.c.id).where(self._mine(turns))
        query = query.where(turns.c.status != FORGOTTEN)
        if target.level == "turn":
            query = query.where(turns.c.id.in_(target.ids))
        if target.level == "thread":
            query = query.where(turns.c.thread.in_(target.ids))
        return [(row.thread, row.id) for row in self.conn.execute(query)]

    def _check_settled(self, target: Target, found: Sequence[tuple[str, str]]) -> None:
        waiting = effects.c.status.in_(OPEN_EFFECTS)
        for chosen in self._asked_for(target, found):
            tool = self.conn.execute(select(effects.c.tool).where(chosen, waiting)).scalar()
            if tool is not None:
                raise NotSettled(tool)

    def _transcript(self, found: Sequence[tuple[str, str]], whole: bool, target: Target) -> int:
        ids = [turn_id for _, turn_id in found]
        for page in pages(ids):
            self.conn.execute(delete(messages).where(messages.c.turn_id.in_(page)))
            # The rows stay, without text: a job that comes late sees that nothing may be kept.
            gone = {"record": "{}", "status": FORGOTTEN, "rolled_back_at": self.now}
            gone |= {"thread": ""} if whole else {}
            chosen = (self._mine(turns), turns.c.id.in_(page))
            self.conn.execute(update(turns).where(*chosen).values(**gone))
        if whole:
            self._threads(target)
        return len(ids)

    def _threads(self, target: Target) -> None:
        mine = and_(threads.c.tenant == self.scope.tenant, threads.c.owner == self.scope.user)
        if target.level == "thread":
            mine = and_(mine, threads.c.key.in_(target.ids))
        keys = list(self.conn.execute(select(threads.c.key).where(mine)).scalars())
        for page in pages(keys):
            self.conn.execute(delete(leases).where(leases.c.thread.in_(page)))
            self.conn.execute(delete(threads).where(threads.c.key.in_(page)))
        for key in keys:
            self.receipt.turns.setdefault(key, [])

    def _artifacts(
        self, target: Target, found: Sequence[tuple[str, str]], also: Sequence[str]
    ) -> int:
        chosen = self._of(artifacts, target, found, also)
        gone = tombstone(self.conn, and_(self._mine(artifacts), chosen), "forgotten", self.now)
        return len(gone)

    def _episodes(
        self, target: Target, found: Sequence[tuple[str, str]], also: Sequence[str]
    ) -> int:
        chosen = self._of(episodes, target, found, also)
        if target.level == "turn":
            cited = [made_from([turn_id]) for _, turn_id in found]
            chosen = or_(chosen, *cited)
        mine = and_(self._mine(episodes), episodes.c.forgotten_at.is_(None))
        originals = select(episodes.c.id).where(mine, chosen)
        wanted = and_(mine, or_(chosen, episodes.c.origin.in_(originals)))
        shared = select(episodes.c.id, episodes.c.visibility).where(
            wanted, episodes.c.visibility != "private"
        )
        for row in self.conn.execute(shared):
            self.receipt.derived.append(f"{row.id} (shared with {row.visibility}): erased")
        return len(erase(self.conn, wanted))

    def _statements(
        self, target: Target, found: Sequence[tuple[str, str]], also: Sequence[str]
    ) -> int:
        wanted = {*target.ids, *also}
        stated = [
            mention.id for fact in self.facts if fact.id in wanted for mention in fact.mentions
        ]
        chosen = self._of(fact_mentions, target, found, [*also, *stated])
        mine = and_(self._mine(fact_mentions), chosen)
        return self.conn.execute(delete(fact_mentions).where(mine)).rowcount

    def _effects(self, target: Target, found: Sequence[tuple[str, str]]) -> int:
        """Leave of each effect that it was, never what it said."""
        blank = {"args": "{}", "message": "", "note": "", "reasons": "[]", "artifact": None}
        rows = 0
        for chosen in self._asked_for(target, found):
            ids = select(effects.c.id).where(chosen)
            noted = update(effect_events).where(effect_events.c.effect.in_(ids))
            self.conn.execute(noted.values(note=""))
            rows += self.conn.execute(update(effects).where(chosen).values(**blank)).rowcount
        return rows

    def _asked_for(
        self, target: Target, found: Sequence[tuple[str, str]]
    ) -> list[ColumnElement[bool]]:
        """The effects of the target, those of turns that were never closed among them."""
        mine = and_(
            effects.c.tenant == self.scope.tenant, effects.c.requested_by == self.scope.user
        )
        if target.level == "user":
            return [mine]
        if target.level == "thread":
            return [and_(mine, effects.c.thread.in_(target.ids))]
        ids = [turn_id for _, turn_id in found]
        return [and_(mine, effects.c.turn_id.in_(page)) for page in pages(ids)]

    def _rows(self, table: Table, target: Target, found: Sequence[tuple[str, str]]) -> int:
        chosen = and_(self._mine(table), self._of(table, target, found, ()))
        return self.conn.execute(delete(table).where(chosen)).rowcount

    def _summaries(self, found: Sequence[tuple[str, str]]) -> int:
        """Summaries speak of several turns: all of an affected thread go, and are made anew."""
        keys = sorted({thread for thread, _ in found} | set(self.receipt.turns))
        chosen = [summaries.c.thread.in_(page) for page in pages(keys)]
        return sum(self.conn.execute(delete(summaries).where(one)).rowcount for one in chosen)

    def _of(
        self,
        table: Table,
        target: Target,
        found: Sequence[tuple[str, str]],
        also: Sequence[str],
    ) -> ColumnElement[bool]:
        """Which rows of a table the target means, among the scope's own."""
        if target.level == "user":
            return table.c.tenant == self.scope.tenant
        single = [*also, *(target.ids if target.level == "memory" else ())]
        parts: list[ColumnElement[bool]] = [table.c.id.in_(page) for page in pages(single)]
        if target.level == "thread":
            parts.append(table.c.thread.in_(target.ids))
        parts += [table.c.turn_id.in_(page) for page in pages([turn for _, turn in found])]
        return or_(table.c.id.is_(None), *parts)

    def _mine(self, table: Table) -> ColumnElement[bool]:
        return and_(table.c.tenant == self.scope.tenant, table.c.user == self.scope.user)


def _turns_of(conn: Connection, scope: Scope, ids: Sequence[str]) -> list[str]:
    """The transcript's turns among the ids, and those that items and artifacts come from."""
    named: set[str] = set()
    for table, column in ((turns, "id"), (episodes, "turn_id"), (artifacts, "turn_id")):
        for page in pages(ids):
            mine = (table.c.tenant == scope.tenant, table.c.user == scope.user)
            query: Any = select(table.c[column]).where(*mine, table.c.id.in_(page))
            named.update(conn.execute(query).scalars())
    mine = (turns.c.tenant == scope.tenant, turns.c.user == scope.user)
    known: list[str] = []
    for page in pages(sorted({*named, *ids})):
        query = select(turns.c.id).where(*mine, turns.c.id.in_(page))
        query = query.where(turns.c.status != FORGOTTEN)
        known += conn.execute(query).scalars()
    return known
