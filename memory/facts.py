"""Semantic memory: what users said about themselves, in declared slots.

Stored are mentions, append-only and one per statement; facts are derived from them in the order of
event time. So an imported old note cannot override a newer value, the same sentence twice is one
mention, and forgetting a source restores what it had superseded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal, Protocol

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select

from memory.database import Database
from memory.episode_rows import forgotten_turns
from memory.episodes import Source, audience_of
from memory.errors import UnknownSlot
from memory.fact_history import Fact, Mention, Polarity, derive, normalise
from memory.slots import Slot
from memory.tables import fact_mentions
from state import Scope, clean_text, derived_id

Outcome = Literal["new", "duplicate", "supersedes", "past", "ended", "refused"]

MAX_VALUE_CHARS: Final = 500
MAX_QUOTE_CHARS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDraft:
    """A statement that an extractor read.

    Attributes:
        slot: Name of a declared slot.
        value: The value as stated.
        source: Who said it; only the user's own statements become facts.
        thread: Where it was said.
        turn_id: Where it was said.
        quote: The words it was read from.
        occurred_at: Event time, or the time of mention where none was stated.
        polarity: `ended` says that the value holds no more; with an empty value, that none does.
    """

    slot: str
    value: str
    source: Source
    thread: str
    turn_id: str
    quote: str
    occurred_at: datetime
    polarity: Polarity = "holds"


@dataclass(frozen=True, slots=True)
class SourcedMessage:
    """A message as an extractor sees it: with who it comes from and when it was said."""

    text: str
    source: Source
    thread: str
    turn_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ExtractionFailed:
    """The extractor did not work; never to be read as "nothing to remember"."""

    reason: str


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
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Use an open database and the declared slots."""
        self._database = database
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
        slots = [self._slot(draft.slot) for draft in drafts]

        def work(conn: Connection) -> list[FactResult]:
            pairs = zip(drafts, slots, strict=True)
            return [self._add_one(conn, scope, draft, slot) for draft, slot in pairs]

        return await self._database.write(work)

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

    async def why(self, scope: Scope, fact_id: str) -> tuple[Mention, ...]:
        """The statements a fact rests on; empty if the scope has no such fact."""
        facts = await self.history(scope)
        return next((fact.mentions for fact in facts if fact.id == fact_id), ())

    async def forget_turn(self, scope: Scope, thread: str, turn_id: str) -> int:
        """Erase what was said in a turn; what it had superseded holds again."""
        condition = and_(
            _own(scope), fact_mentions.c.thread == thread, fact_mentions.c.turn_id == turn_id
        )
        erase = delete(fact_mentions).where(condition)
        return await self._database.write(lambda conn: conn.execute(erase).rowcount)

    def _slot(self, name: str) -> Slot:
        if name not in self._slots:
            raise UnknownSlot(name, sorted(self._slots))
        return self._slots[name]

    def _add_one(self, conn: Connection, scope: Scope, draft: FactDraft, slot: Slot) -> FactResult:
        if draft.source != "user":
            return FactResult(draft, "refused", f"said by {draft.source}, not by the user")
        if not normalise(draft.value) and draft.polarity == "holds":
            return FactResult(draft, "refused", "it has no value")
        if forgotten_turns(conn, [draft.turn_id]):
            return FactResult(draft, "refused", "its turn was forgotten")
        row = _to_row(scope, draft, self._clock())
        if conn.execute(select(fact_mentions.c.id).where(fact_mentions.c.id == row["id"])).first():
            return FactResult(draft, "duplicate", "this statement is stored already")
        conn.execute(insert(fact_mentions).values(**row))
        return FactResult(draft, _outcome(self._facts(conn, scope, slot), row["id"]))

    def _facts(self, conn: Connection, scope: Scope, slot: Slot | None) -> list[Fact]:
        condition = _own(scope)
        if slot is not None:
            condition = and_(condition, fact_mentions.c.slot == slot.name)
        by_slot: dict[str, list[Mention]] = {}
        for row in conn.execute(select(fact_mentions).where(condition)).mappings():
            by_slot.setdefault(row["slot"], []).append(_to_mention(dict(row)))
        return [
            fact
            for name, known in self._slots.items()
            for fact in derive(audience_of(scope), known, by_slot.get(name, []))
        ]


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


def _own(scope: Scope) -> ColumnElement[bool]:
    return and_(
        fact_mentions.c.audience == audience_of(scope),
        fact_mentions.c.tenant == scope.tenant,
        fact_mentions.c.user == scope.user,
    )


def _to_row(scope: Scope, draft: FactDraft, now: datetime) -> dict[str, Any]:
    audience = audience_of(scope)
    normalised = normalise(draft.value)
    said = (draft.slot, normalised, draft.polarity, draft.thread, draft.turn_id)
    return {
        "id": derived_id("men", audience, *said),
        "tenant": scope.tenant,
        "user": scope.user,
        "audience": audience,
        "slot": draft.slot,
        "value": clean_text(draft.value)[:MAX_VALUE_CHARS],
        "normalised": clean_text(normalised),
        "polarity": draft.polarity,
        "thread": draft.thread,
        "turn_id": draft.turn_id,
        "quote": clean_text(draft.quote)[:MAX_QUOTE_CHARS],
        "occurred_at": draft.occurred_at.astimezone(UTC).isoformat(),
        "recorded_at": now.astimezone(UTC).isoformat(),
    }


def _to_mention(row: dict[str, Any]) -> Mention:
    same = ("id", "slot", "value", "normalised", "polarity", "thread", "turn_id", "quote")
    return Mention(
        **{name: row[name] for name in same},
        occurred_at=datetime.fromisoformat(row["occurred_at"]),
        recorded_at=datetime.fromisoformat(row["recorded_at"]),
    )
