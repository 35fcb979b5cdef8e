"""What an episode is worth: what people said about turns, and whether heeding it went well.

A good turn credits what was recalled for it and what was made of it, a bad one debits both; the
last word on a turn counts. A failure whose lesson was kept and worked is credited; one that a later
success in the same situation contradicts is retired, and warns no more.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from memory.audit import note_down
from memory.database import Database
from memory.episode_rows import from_row, made_from, pages, payload_of, rewrite
from memory.episodes import readable_audiences
from memory.tables import episodes
from memory.tables_feedback import feedback, recalls
from state import Scope, clean_text


@dataclass(frozen=True, slots=True)
class Valued:
    """What a person's word on a turn has changed.

    Attributes:
        recalled: Items that had been recalled for the turn.
        made: Episodes that were made of it so far; later ones take the word along.
        note_before: What had been said of the turn before.
    """

    turn_id: str
    good: bool
    recalled: tuple[str, ...]
    made: tuple[str, ...]
    note_before: str = ""


class Values:
    """Credits and debits items; every call names the scope."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        """Use an open database; `clock` gives aware UTC times."""
        self._database = database
        self._clock = clock

    async def give(
        self, scope: Scope, thread: str, turn_id: str, *, good: bool, note: str = ""
    ) -> Valued:
        """Write down a person's word on a turn; a second one takes the place of the first."""
        at = self._clock().isoformat()

        def work(conn: Connection) -> Valued:
            before = conn.execute(select(feedback).where(feedback.c.turn_id == turn_id)).first()
            conn.execute(delete(feedback).where(feedback.c.turn_id == turn_id))
            conn.execute(
                insert(feedback).values(
                    turn_id=turn_id, tenant=scope.tenant, user=scope.user, thread=thread,
                    good=good, note=clean_text(note), at=at,
                )
            )  # fmt: skip
            change = _sign(good) - (0 if before is None else _sign(bool(before.good)))
            shown = select(recalls.c.item_id).where(recalls.c.turn_id == turn_id)
            recalled = list(conn.execute(shown).scalars())
            own = (episodes.c.tenant == scope.tenant, episodes.c.user == scope.user)
            made = select(episodes.c.id).where(
                *own, episodes.c.thread == thread, made_from([turn_id])
            )
            ids = list(conn.execute(made.where(episodes.c.kind == "episode")).scalars())
            _credit(conn, scope, {*recalled, *ids}, change)
            note_down(conn, scope, "feedback", turn_id, "good" if good else "bad")
            note_before = "" if before is None else str(before.note)
            return Valued(turn_id, good, tuple(recalled), tuple(ids), note_before)

        return await self._database.write(work)

    async def credit(self, scope: Scope, ids: Sequence[str], change: int = 1) -> None:
        """Change the success count of readable items."""
        await self._database.write(lambda conn: _credit(conn, scope, set(ids), change))

    async def retire(self, scope: Scope, id: str, by: str) -> bool:
        """Let an own failure warn no more, because of the success `by`; False if there is none."""

        def work(conn: Connection) -> bool:
            row = conn.execute(
                select(episodes).where(
                    episodes.c.id == id,
                    episodes.c.tenant == scope.tenant,
                    episodes.c.user == scope.user,
                    episodes.c.forgotten_at.is_(None),
                )
            ).first()
            episode = from_row(row._mapping).episode if row is not None else None
            if row is None or episode is None:
                return False
            rewrite(conn, row.number, {"payload": payload_of(replace(episode, retired_by=by))})
            note_down(conn, scope, "retire", id, f"by {by}")
            return True

        return await self._database.write(work)


def said_of(conn: Connection, turn_ids: Sequence[str]) -> int:
    """The sum of what people said about turns."""
    found = 0
    for page in pages(turn_ids):
        query = select(feedback.c.good).where(feedback.c.turn_id.in_(page))
        found += sum(_sign(bool(good)) for good in conn.execute(query).scalars())
    return found


def log_recalls(
    conn: Connection, scope: Scope, turn_id: str, item_ids: Sequence[str], at: str
) -> None:
    """Write down which items stood before a turn's question, in the turn's own transaction."""
    known = set(
        conn.execute(select(recalls.c.item_id).where(recalls.c.turn_id == turn_id)).scalars()
    )
    rows = [
        {"turn_id": turn_id, "item_id": one, "tenant": scope.tenant, "user": scope.user, "at": at}
        for one in dict.fromkeys(item_ids)
        if one not in known
    ]
    if rows:
        conn.execute(insert(recalls), rows)


def erase_values(conn: Connection, scope: Scope, turn_ids: Sequence[str], *, whole: bool) -> int:
    """Erase what was recalled and said in turns; with `whole` all of the user's."""
    erased = 0
    for table in (recalls, feedback):
        mine = (table.c.tenant == scope.tenant, table.c.user == scope.user)
        if whole:
            erased += conn.execute(delete(table).where(*mine)).rowcount
            continue
        for page in pages(turn_ids):
            erased += conn.execute(delete(table).where(*mine, table.c.turn_id.in_(page))).rowcount
    return erased


def _credit(conn: Connection, scope: Scope, ids: set[str], change: int) -> None:
    if not change:
        return
    readable = episodes.c.audience.in_(readable_audiences(scope))
    for page in pages(sorted(ids)):
        conn.execute(
            update(episodes)
            .where(episodes.c.id.in_(page), readable, episodes.c.forgotten_at.is_(None))
            .values(successes=episodes.c.successes + change)
        )


def _sign(good: bool) -> int:
    return 1 if good else -1
