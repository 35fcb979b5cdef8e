"""Keeps memory from growing without end: by age, and by the least valuable above a cap.

What goes leaves tombstones, like what is forgotten. Value is recency, use and success: what was
never recalled and never helped goes before what was.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, func, select

from configs.growth import RetentionSettings
from memory.artifacts import tombstone
from memory.audit import last_act, note_down
from memory.database import Database
from memory.episode_rows import erase, pages
from memory.log_retention import EraseOld, old_calls, old_jobs
from memory.ranking import recency
from memory.tables import artifacts, episodes, turns
from state import Scope

RECENCY: Final = 0.4
USE: Final = 0.3
SUCCESS: Final = 0.3
HALF_LIFE_DAYS: Final = 90.0
SECONDS_PER_DAY: Final = 86_400.0
MEGABYTE: Final = 1_000_000
ACT: Final = "retention"
NOBODY: Final = Scope(tenant="", user="")


@dataclass(frozen=True, slots=True)
class Evicted:
    """How many entries of each kind went."""

    artifacts: int = 0
    turns: int = 0
    episodes: int = 0
    documents: int = 0
    calls: int = 0
    jobs: int = 0


def value_of(age_days: float, uses: int, successes: int, result: str) -> float:
    """How much an item is worth keeping, 0 to 1."""
    recent = recency(age_days, HALF_LIFE_DAYS)
    used = 1.0 - 1.0 / (1.0 + max(uses, 0))
    # A failure warns as much as a success teaches; what was never judged does neither.
    judged = 0.5 if result in ("positive", "negative", "mixed") else 0.0
    helped = max(judged, min(1.0, (successes + 0.5) / (uses + 1.0))) if successes else judged
    return RECENCY * recent + USE * used + SUCCESS * helped


class Retention:
    """Evicts by the settings, over all scopes; only the background calls it."""

    def __init__(
        self, database: Database, settings: RetentionSettings, clock: Callable[[], datetime]
    ) -> None:
        """Use an open database; `clock` gives aware UTC times."""
        self._database = database
        self._settings = settings
        self._clock = clock

    async def is_due(self) -> bool:
        """Whether no process has done it within the settings' interval."""
        last = await last_act(self._database, ACT)
        interval = timedelta(hours=self._settings.every_hours)
        return not last or self._clock() - datetime.fromisoformat(last) >= interval

    async def run(self) -> Evicted:
        """Evict what is too old, then what is above a cap."""
        settings = self._settings
        evicted = Evicted(
            artifacts=await self._artifacts(),
            turns=await self._items("turn", settings.turn_days, settings.turns),
            episodes=await self._items("episode", settings.episode_days, settings.episodes),
            documents=await self._items("document", settings.document_days, settings.documents),
            calls=await self._logs(old_calls, settings.call_days),
            jobs=await self._logs(old_jobs, settings.job_days),
        )
        detail = ", ".join(f"{name} {number}" for name, number in asdict(evicted).items())
        now = self._clock()
        await self._database.write(lambda conn: note_down(conn, NOBODY, ACT, "", detail, at=now))
        return evicted

    async def _logs(self, erase_old: EraseOld, days: float | None) -> int:
        old = self._before(days)
        if old is None:
            return 0
        before = min(old, self._grace())
        return await self._database.write(lambda conn: erase_old(conn, before))

    async def _artifacts(self) -> int:
        old, grace = self._before(self._settings.artifact_days), self._grace()
        cap = self._settings.artifact_megabytes
        gone = 0
        if old is not None:
            gone += await self._bury(artifacts.c.created_at < min(old, grace))
        if cap is not None:
            over = await self._database.read(lambda conn: _over(conn, cap * MEGABYTE, grace))
            for page in pages(over):
                gone += await self._bury(artifacts.c.number.in_(page))
        return gone

    async def _bury(self, condition: ColumnElement[bool]) -> int:
        now = self._clock().isoformat()
        return len(await self._database.write(lambda conn: tombstone(conn, condition, ACT, now)))

    async def _items(self, kind: str, days: float | None, cap: int | None) -> int:
        of_kind = and_(episodes.c.kind == kind, episodes.c.forgotten_at.is_(None))
        gone = 0
        old = self._before(days)
        if old is not None:
            too_old = and_(of_kind, episodes.c.occurred_at < old)
            settled = and_(too_old, episodes.c.recorded_at < self._grace())
            gone += len(await self._database.write(lambda conn: erase(conn, settled)))
        if cap is not None:
            for audience in await self._database.read(lambda conn: _crowded(conn, of_kind, cap)):
                least = await self._least(and_(of_kind, episodes.c.audience == audience), cap)
                gone += await self._database.write(partial(_erase_pages, numbers=least))
        return gone

    async def _least(self, condition: ColumnElement[bool], cap: int) -> list[int]:
        """The rows of one audience that are above the cap, the least valuable."""
        names = ("number", "occurred_at", "recorded_at", "uses", "successes", "result")
        query = select(*(episodes.c[name] for name in names)).where(condition)
        rows = await self._database.read(lambda conn: conn.execute(query).all())
        now, grace = self._clock(), self._grace()
        ordered = sorted(rows, key=lambda row: (_value(row, now), row.number))
        return [row.number for row in ordered[: len(rows) - cap] if row.recorded_at < grace]

    def _before(self, days: float | None) -> str | None:
        if days is None:
            return None
        try:
            return (self._clock() - timedelta(days=days)).isoformat()
        except OverflowError:
            return None

    def _grace(self) -> str:
        return self._before(self._settings.grace_days) or self._clock().isoformat()


def _value(row: Row[Any], now: datetime) -> float:
    age = (now - datetime.fromisoformat(row.occurred_at)).total_seconds() / SECONDS_PER_DAY
    return value_of(age, row.uses, row.successes, row.result)


def _over(conn: Connection, cap_bytes: float, grace: str) -> list[int]:
    """The artifacts that are above the cap of their user."""
    size = func.sum(func.length(artifacts.c.body)).label("size")
    query = select(artifacts.c.tenant, artifacts.c.user, size)
    found = conn.execute(query.group_by(artifacts.c.tenant, artifacts.c.user)).all()
    return [
        number
        for row in found
        if row.size > cap_bytes
        for number in _oldest(conn, row.tenant, row.user, int(row.size - cap_bytes), grace)
    ]


def _oldest(conn: Connection, tenant: str, user: str, over: int, grace: str) -> list[int]:
    """The oldest artifacts of closed turns, as many as hold `over` bytes."""
    query = (
        select(artifacts.c.number, func.length(artifacts.c.body).label("size"))
        .join(turns, turns.c.id == artifacts.c.turn_id)
        .where(
            artifacts.c.tenant == tenant,
            artifacts.c.user == user,
            artifacts.c.created_at < grace,
        )
        .order_by(artifacts.c.created_at, artifacts.c.number)
    )
    chosen: list[int] = []
    for row in conn.execute(query):
        if over <= 0:
            break
        chosen.append(row.number)
        over -= row.size
    return chosen


def _crowded(conn: Connection, condition: ColumnElement[bool], cap: int) -> Sequence[str]:
    query = select(episodes.c.audience).where(condition).group_by(episodes.c.audience)
    return conn.execute(query.having(func.count() > cap)).scalars().all()


def _erase_pages(conn: Connection, numbers: Sequence[int]) -> int:
    return sum(len(erase(conn, episodes.c.number.in_(page))) for page in pages(numbers))
