"""Semantic memory: what users said about themselves, in declared slots.

Stored are mentions, append-only and one per statement; facts are derived from them in the order of
event time. So an imported old note cannot override a newer value, the same sentence twice is one
mention, and forgetting a source restores what it had superseded.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Final, Literal, Protocol

from sqlalchemy import Connection, and_, delete, insert, select

from configs.clock import REAL_CLOCK, ClockSettings
from memory.database import Database
from memory.episodes import Source, readable_audiences
from memory.errors import UnknownSlot
from memory.fact_history import Fact, Mention, derive
from memory.fact_rows import (
    FactDraft,
    Known,
    audience_for,
    known_values,
    lock_facts,
    meaning_of,
    overwrite,
    owned,
    readable,
    refusal_of,
    shortened,
    to_mention,
    to_row,
    where_known,
)
from memory.near_values import NOTHING, NearValues, Related
from memory.normalising import normalise
from memory.profile import UserProfile, profile_of
from memory.slots import Slot
from memory.tables import fact_mentions
from state import Scope

Outcome = Literal["new", "duplicate", "supersedes", "past", "ended", "refused"]

TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class SourcedMessage:
    """A message as an extractor sees it: with who it comes from and when it was said.

    `turn` is the index of the turn `turn_id` in its thread; `app_time` is the time by the app's
    clock, where that is another one than `at`.
    """

    text: str
    source: Source
    thread: str
    turn_id: str
    at: datetime
    turn: int = 0
    app_time: datetime | None = None

    @property
    def told_at(self) -> datetime:
        """What "yesterday" is counted from."""
        return self.app_time or self.at


@dataclass(frozen=True, slots=True)
class ExtractionFailed:
    """The extractor did not work; never to be read as "nothing to remember".

    `waits` says that it will work again without anybody's doing: after an outage, or when there is
    a budget for it.
    """

    reason: str
    waits: bool = False


class FactExtractor(Protocol):
    """Reads statements out of messages; handed in, since memory asks no model itself."""

    async def extract(
        self, messages: Sequence[SourcedMessage], slots: Sequence[Slot]
    ) -> list[FactDraft] | ExtractionFailed:
        """The statements that fit a slot, or why none could be read."""


@dataclass(frozen=True, slots=True)
class FactResult:
    """What became of a draft."""

    draft: FactDraft
    outcome: Outcome
    reason: str = ""


class Facts:
    """The facts of one profile declaration; every call names the scope."""

    def __init__(
        self,
        database: Database,
        slots: Sequence[Slot],
        *,
        near: NearValues | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        calendar: ClockSettings = REAL_CLOCK,
    ) -> None:
        """Bind an open database.

        Args:
            database: Where statements are stored.
            slots: The declared slots.
            near: Finds other wordings of a value; without it only spelling and names are compared.
            clock: Gives aware UTC times.
            calendar: Dates them.
        """
        self._database = database
        self._calendar = calendar
        self._near = near
        self._slots = {slot.name: slot for slot in slots}
        self._clock = clock

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The declared slots."""
        return tuple(self._slots.values())

    async def add(self, scope: Scope, drafts: Sequence[FactDraft]) -> list[FactResult]:
        """Store statements of the user; anything else is refused with the reason.

        Raises:
            UnknownSlot: a draft names a slot that is not declared; nothing is stored.
        """
        for draft in drafts:
            self._slot(draft.slot)
        for _ in range(TRIES):
            known = await self._database.read(lambda conn: known_values(conn, scope))
            drafts = [where_known(shortened(one), known, self._slots) for one in drafts]
            pairs = await self._alike(known, drafts)
            results = await self._database.write(
                partial(self._add_all, scope, drafts, known, pairs)
            )
            if results is not None:
                return results
        last = partial(self._add_all, scope, drafts, None, [NOTHING] * len(drafts))
        return await self._database.write(last) or []

    async def history(self, scope: Scope, slot: str | None = None) -> list[Fact]:
        """All facts of the scope, past ones too, by slot and then by the start of validity."""
        wanted = None if slot is None else self._slot(slot)
        return await self._database.read(lambda conn: self._facts(conn, scope, wanted))

    async def current(self, scope: Scope, slot: str | None = None) -> list[Fact]:
        """The facts of the scope that hold now."""
        return [fact for fact in await self.history(scope, slot) if fact.is_current]

    async def profile(self, scope: Scope) -> dict[str, str | list[str]]:
        """The current values by slot: one for a single slot, a list for the others."""
        values: dict[str, list[str]] = {}
        for fact in await self.current(scope):
            values.setdefault(fact.slot, []).append(fact.value)
        single = {name for name, slot in self._slots.items() if slot.cardinality == "single"}
        return {name: found[0] if name in single else found for name, found in values.items()}

    async def view(self, scope: Scope, module: str = "") -> UserProfile:
        """The current values as a typed object, for a module or of everything."""
        return profile_of(self.slots, await self.current(scope), module, self._calendar)

    async def why(self, scope: Scope, fact_id: str) -> tuple[Mention, ...]:
        """The statements a fact rests on; empty if the scope has no such fact."""
        facts = await self.history(scope)
        return next((fact.mentions for fact in facts if fact.id == fact_id), ())

    async def edit(self, scope: Scope, fact_id: str, value: str) -> Fact | None:
        """Correct what the user's statements of a fact say; the former value is overwritten.

        Returns:
            The fact as it is now; None if the user has stated no such fact.

        Raises:
            ValueError: the value is empty.
        """
        if not normalise(value):
            message = f"wanted a value, got {value!r}"
            raise ValueError(message)
        mentions = [one for one in await self.why(scope, fact_id) if one.by == scope.user]
        if not mentions:
            return None
        slot = self._slots[mentions[0].slot]
        await self._database.write(lambda conn: overwrite(conn, scope, slot, mentions, value))
        wanted = {one.id for one in mentions}
        facts = await self.history(scope, slot.name)
        return next(fact for fact in facts if wanted & {one.id for one in fact.mentions})

    async def forget_turn(self, scope: Scope, thread: str, turn_id: str) -> int:
        """Erase what was said in a turn; what it had superseded holds again."""
        condition = and_(
            owned(scope), fact_mentions.c.thread == thread, fact_mentions.c.turn_id == turn_id
        )
        erase = delete(fact_mentions).where(condition)
        return await self._database.write(lambda conn: conn.execute(erase).rowcount)

    def _slot(self, name: str) -> Slot:
        if name not in self._slots:
            raise UnknownSlot(name, sorted(self._slots))
        return self._slots[name]

    async def _alike(self, known: Known, drafts: Sequence[FactDraft]) -> list[Related]:
        """For each draft how it relates to the stored and the new values of its slot."""
        if self._near is None:
            return [NOTHING] * len(drafts)
        found = []
        for at, draft in enumerate(drafts):
            before = {(one.value, one.period) for one in drafts[:at] if one.slot == draft.slot}
            told = known.get(draft.slot, set()) | before
            values = sorted({value for value, _ in told})
            likely = frozenset(value for value, period in told if _is_day(period, draft.period))
            found.append(await self._near.of(self._slots[draft.slot], draft.value, values, likely))
        return found

    def _add_all(
        self,
        scope: Scope,
        drafts: Sequence[FactDraft],
        known: Known | None,
        alike: Sequence[Related],
        conn: Connection,
    ) -> list[FactResult] | None:
        """Store all drafts; None if somebody else stored a value that they were not compared to."""
        lock_facts(conn, scope)
        if self._near is not None and known is not None and known_values(conn, scope) != known:
            return None
        both = zip(drafts, alike, strict=True)
        return [self._add_one(conn, scope, draft, found) for draft, found in both]

    def _add_one(
        self,
        conn: Connection,
        scope: Scope,
        draft: FactDraft,
        related: Related,
    ) -> FactResult:
        slot = self._slots[draft.slot]
        if related.is_end:
            draft = replace(draft, polarity="ended")
        if reason := refusal_of(conn, draft):
            return FactResult(draft, "refused", reason)
        try:
            audience = audience_for(scope, slot)
        except ValueError as error:
            return FactResult(draft, "refused", str(error))
        now = self._clock()
        row = to_row(scope, draft, audience, now)
        # Told again, a value that says only that another ended is known, and seems to hold.
        turned = replace(draft, polarity="holds" if draft.polarity == "ended" else "ended")
        told = (row["id"], to_row(scope, turned, audience, now)["id"])
        if any(_is_stored(conn, one) for one in told):
            return FactResult(draft, "duplicate", "this statement is stored already")
        row["meaning"] = meaning_of(conn, audience, slot, draft.value, related.same)
        conn.execute(insert(fact_mentions).values(**row))
        for value in sorted(related.ended):
            end = to_row(scope, replace(draft, value=value, polarity="ended"), audience, now)
            end["meaning"] = meaning_of(conn, audience, slot, value)
            if not _is_stored(conn, end["id"]):
                conn.execute(insert(fact_mentions).values(**end))
        return FactResult(draft, _outcome(self._facts(conn, scope, slot), row["id"]))

    def _facts(self, conn: Connection, scope: Scope, slot: Slot | None) -> list[Fact]:
        condition = readable(scope)
        if slot is not None:
            condition = and_(condition, fact_mentions.c.slot == slot.name)
        said: dict[tuple[str, str], list[Mention]] = {}
        for row in conn.execute(select(fact_mentions).where(condition)).mappings():
            known = self._slots.get(row["slot"])
            if known is not None:
                mention = to_mention(known, dict(row), scope.user)
                said.setdefault((known.name, row["audience"]), []).append(mention)
        return [
            fact
            for name, known in self._slots.items()
            for audience in readable_audiences(scope)
            for fact in derive(audience, known, said.get((name, audience), []))
        ]


def _is_day(period: str, other: str) -> bool:
    """Whether two stated periods are one and the same day."""
    return period == other and re.fullmatch(r"\d{4}-\d\d-\d\d", period) is not None


def _is_stored(conn: Connection, mention_id: str) -> bool:
    found = select(fact_mentions.c.id).where(fact_mentions.c.id == mention_id)
    return conn.execute(found).first() is not None


def _outcome(facts: Sequence[Fact], mention_id: str) -> Outcome:
    holder = next(
        (fact for fact in facts if any(one.id == mention_id for one in fact.mentions)), None
    )
    if holder is None:
        return "ended"
    if len(holder.mentions) > 1:
        return "duplicate"
    if not holder.is_current:
        return "past"
    replaced = any(fact.superseded_by == holder.id for fact in facts)
    return "supersedes" if replaced else "new"
