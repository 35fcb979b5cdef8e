"""Rows of stated facts: how a statement is stored, and read again."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from sqlalchemy import ColumnElement, Connection, and_, or_, select, text, update

from configs.masking import MARK
from memory.audit import note_down
from memory.episode_rows import forgotten_turns, pages
from memory.episodes import Source, audience_of, readable_audiences
from memory.fact_history import Mention, Polarity
from memory.normalising import normalise
from memory.same_values import value_key
from memory.slots import Slot
from memory.tables import fact_mentions
from state import Scope, clean_text, derived_id

Known: TypeAlias = dict[str, set[tuple[str, str]]]
"""By slot its values, each with the period that was stated of it."""

MAX_VALUE_CHARS: Final = 500
LIKELY_SLOT: Final = 0.1
"""From here another slot is taken where nothing is known in the likeliest one."""
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
        period: The stated day, month or year of an event, or since when it holds; see `Mention`.
        recorded_at: When it was stored elsewhere before; None for now.
        also: Slots that it may be of instead, with how likely, 0 to 1; what is known decides.
    """

    slot: str
    value: str
    source: Source
    thread: str
    turn_id: str
    quote: str
    occurred_at: datetime
    polarity: Polarity = "holds"
    period: str = ""
    recorded_at: datetime | None = None
    also: tuple[tuple[str, float], ...] = ()


def owned(scope: Scope) -> ColumnElement[bool]:
    """What the scope's user has said."""
    return and_(
        fact_mentions.c.tenant == scope.tenant,
        fact_mentions.c.user == scope.user,
    )


def shortened(draft: FactDraft) -> FactDraft:
    """A draft as long as it may be, and clean."""
    value, quote = draft.value[:MAX_VALUE_CHARS], draft.quote[:MAX_QUOTE_CHARS]
    return replace(draft, value=clean_text(value), quote=clean_text(quote))


def refusal_of(conn: Connection, draft: FactDraft) -> str:
    """Why a draft is not kept; empty if it is."""
    if draft.source != "user":
        return f"said by {draft.source}, not by the user"
    if not normalise(draft.value) and draft.polarity == "holds":
        return "it has no value"
    if MARK in draft.value:
        return "a part of it was masked"
    return "its turn was forgotten" if forgotten_turns(conn, [draft.turn_id]) else ""


def lock_facts(conn: Connection, scope: Scope) -> None:
    """Let one writer at a time add facts to a tenant; on SQLite every writer is alone anyway."""
    if conn.dialect.name == "postgresql":
        key = zlib.crc32(f"facts {scope.tenant}".encode("utf-8", "replace"))
        conn.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})


def audience_for(scope: Scope, slot: Slot) -> str:
    """Whom statements in a slot are about: the key of those who may read them.

    Raises:
        ValueError: the slot is a team's, and the scope is in none or in several.
    """
    if slot.scope != "team":
        return audience_of(scope, "private" if slot.scope == "user" else "organisation")
    if len(set(scope.teams)) != 1:
        message = f"a statement about a team, by somebody of {len(set(scope.teams))} teams"
        raise ValueError(message)
    return audience_of(scope, "team", scope.teams[0])


def readable(scope: Scope) -> ColumnElement[bool]:
    """The scope's own statements, and those about its teams and its organisation."""
    mine, *shared = readable_audiences(scope)
    same_tenant = fact_mentions.c.tenant == scope.tenant
    private = and_(fact_mentions.c.audience == mine, fact_mentions.c.user == scope.user)
    return and_(same_tenant, or_(private, fact_mentions.c.audience.in_(shared)))


def to_row(scope: Scope, draft: FactDraft, audience: str, now: datetime) -> dict[str, Any]:
    """A draft as a row; its meaning is yet to be found."""
    normalised = normalise(draft.value)
    said = (draft.slot, normalised, draft.polarity, draft.thread, draft.turn_id)
    return {
        "id": derived_id("men", audience, *said),
        "tenant": scope.tenant,
        "user": scope.user,
        "audience": audience,
        "slot": draft.slot,
        "value": draft.value,
        "normalised": clean_text(normalised),
        "polarity": draft.polarity,
        "period": draft.period,
        "thread": draft.thread,
        "turn_id": draft.turn_id,
        "quote": draft.quote,
        "occurred_at": draft.occurred_at.astimezone(UTC).isoformat(),
        "recorded_at": (draft.recorded_at or now).astimezone(UTC).isoformat(),
    }


def to_mention(slot: Slot, row: dict[str, Any], reader: str) -> Mention:
    """A row as a statement; the words and the conversation are shown to who said it only."""
    same = ("id", "slot", "value", "normalised", "polarity", "turn_id", "period")
    own = row["user"] == reader
    return Mention(
        **{name: row[name] for name in same},
        thread=row["thread"] if own else "",
        quote=row["quote"] if own else row["value"],
        by=row["user"],
        occurred_at=datetime.fromisoformat(row["occurred_at"]),
        recorded_at=datetime.fromisoformat(row["recorded_at"]),
        meaning=row["meaning"] or spelled(slot, row["value"]),
    )


def spelled(slot: Slot, value: str) -> str:
    """What values of one spelling have in common; no text of it, so that it can be forgotten."""
    return derived_id("val", slot.name, value_key(slot, value))


def known_values(conn: Connection, scope: Scope) -> Known:
    """The distinct values that the scope can read, by slot, with their periods."""
    found: Known = {}
    columns = (fact_mentions.c[name] for name in ("slot", "value", "period"))
    for row in conn.execute(select(*columns).where(readable(scope)).distinct()):
        found.setdefault(row.slot, set()).add((row.value, row.period))
    return found


def where_known(draft: FactDraft, known: Known, slots: Mapping[str, Slot]) -> FactDraft:
    """A draft in the one of its slots that what is known speaks for; as it is where nothing does.

    That is the first slot that knows the value; else, where nothing is known in its own, a likely
    one in which something is: who told a team moves to a team.
    """
    also = [(name, share) for name, share in draft.also if name in slots]
    if not also:
        return draft
    for name in (draft.slot, *(name for name, _ in also)):
        key = value_key(slots[name], draft.value)
        if any(value_key(slots[name], value) == key for value, _ in known.get(name, ())):
            return replace(draft, slot=name)
    if not known.get(draft.slot):
        for name, share in also:
            if share >= LIKELY_SLOT and known.get(name):
                return replace(draft, slot=name)
    return draft


def meaning_of(
    conn: Connection, audience: str, slot: Slot, value: str, same: frozenset[str] = frozenset()
) -> str:
    """One id for all wordings of a value, whatever the order they come in."""
    own = spelled(slot, value)
    columns = (fact_mentions.c[name] for name in ("id", "value", "meaning"))
    said = (fact_mentions.c.audience == audience, fact_mentions.c.slot == slot.name)
    rows = [
        (row.id, row.value, row.meaning or spelled(slot, row.value))
        for row in conn.execute(select(*columns).where(*said))
    ]
    alike = (key for _, one, key in rows if one in same or spelled(slot, one) == own)
    joined = {own, *alike}
    chosen = min(joined)
    changed = [key for key, _, meaning in rows if meaning in joined and meaning != chosen]
    for page in pages(changed):
        mine = update(fact_mentions).where(fact_mentions.c.id.in_(page))
        conn.execute(mine.values(meaning=chosen))
    return chosen


def overwrite(
    conn: Connection, scope: Scope, slot: Slot, mentions: Sequence[Mention], value: str
) -> None:
    """Put another value into stored statements, and write down that it was done."""
    new = {
        "value": clean_text(value)[:MAX_VALUE_CHARS],
        "normalised": clean_text(normalise(value)),
        "meaning": spelled(slot, value),
    }
    chosen = fact_mentions.c.id.in_([one.id for one in mentions])
    conn.execute(update(fact_mentions).where(owned(scope), chosen).values(**new))
    for mention in mentions:
        note_down(conn, scope, "edit", mention.id)
