"""Export and import of a user's memory as JSON lines, with a schema version.

An import is the user's own act in the user's own scope: everything becomes private to who imports,
whatever the file says about readers, and event times are kept, so that an old note cannot override
a newer fact.
"""

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from memory.audit import note_down
from memory.database import Database
from memory.episode_rows import payload_of, read_episode
from memory.episodes import EpisodeItem, Kind, Result, Source, Visibility, audience_of
from memory.errors import WrongImport
from memory.fact_rows import FactDraft
from memory.facts import Facts
from memory.sql_episodes import SqlEpisodes
from state import Scope, canonical_json, derived_id

SCHEMA: Final = "hippograph-memory"
VERSION: Final = 1
PAGE: Final = 500


class _Line(BaseModel):
    """Every line refuses keys it does not know: nothing may name another user."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _Header(_Line):
    type: Literal["header"]
    schema_name: Literal["hippograph-memory"] = Field(alias="schema")
    version: Literal[1]
    exported_at: AwareDatetime


class _Item(_Line):
    type: Literal["item"]
    id: str
    kind: Kind
    text: str
    thread: str
    turn_id: str
    position: int = 0
    actor: str = ""
    domain: str = ""
    operation: str = ""
    result: Result = "none"
    source: Source = "user"
    visibility: Visibility = "private"
    team: str = ""
    origin: str = ""
    uses: int = Field(default=0, ge=0)
    successes: int = Field(default=0, ge=0)
    occurred_at: AwareDatetime
    recorded_at: AwareDatetime
    episode: dict[str, Any] | None = None


class _Statement(_Line):
    type: Literal["statement"]
    slot: str
    value: str
    polarity: Literal["holds", "ended"] = "holds"
    thread: str
    turn_id: str
    quote: str
    occurred_at: AwareDatetime
    period: str = Field(default="", pattern=r"^(\?|\d{4}(-\d{2}){0,2})?$")


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import stored, and what it found to be there already or forgotten before."""

    items: int
    known_items: int
    statements: int
    known_statements: int


async def export_lines(store: SqlEpisodes, facts: Facts, scope: Scope) -> AsyncIterator[str]:
    """What the scope's user wrote, one JSON document a line, the header first."""
    now = datetime.now(UTC).isoformat()
    yield canonical_json(
        {"type": "header", "schema": SCHEMA, "version": VERSION, "exported_at": now}
    )
    last = 0
    while page := await store.scoped(scope).own(last, PAGE):
        for place, item in page:
            last = place
            yield canonical_json(_item_line(item))
    for fact in await facts.history(scope):
        for mention in fact.mentions:
            if mention.by != scope.user:
                continue
            line = asdict(mention)
            for name in ("id", "normalised", "recorded_at", "meaning", "by"):
                line.pop(name)
            line["occurred_at"] = mention.occurred_at.isoformat()
            yield canonical_json({"type": "statement", **line})


async def import_lines(
    database: Database, store: SqlEpisodes, facts: Facts, scope: Scope, lines: Iterable[str]
) -> Imported:
    """Store an export in the scope; doing it again stores nothing new.

    Raises:
        WrongImport: a line cannot be read; nothing is stored.
    """
    items, statements = _read(lines, {slot.name for slot in facts.slots})
    own = {one.id for one in await store.scoped(scope).get([line.id for line in items])}
    wanted = [_to_item(scope, line) for line in items if line.id not in own and not line.origin]
    stored = 0
    for at in range(0, len(wanted), PAGE):
        stored += await store.scoped(scope).add(wanted[at : at + PAGE])
    results = await facts.add(scope, [_to_draft(line) for line in statements])
    new = sum(result.outcome not in ("duplicate", "refused") for result in results)
    detail = f"{stored} items, {new} statements"
    await database.write(lambda conn: note_down(conn, scope, "import", "", detail))
    return Imported(stored, len(items) - stored, new, len(results) - new)


def _item_line(item: EpisodeItem) -> dict[str, Any]:
    line: dict[str, Any] = asdict(item)
    line["occurred_at"] = item.occurred_at.isoformat()
    line["recorded_at"] = item.recorded_at.isoformat()
    line["episode"] = json.loads(payload_of(item.episode)) or None
    return {"type": "item", **line}


def _read(lines: Iterable[str], slots: set[str]) -> tuple[list[_Item], list[_Statement]]:
    items: list[_Item] = []
    statements: list[_Statement] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        read = _parsed(number, line, first=number == 1)
        if isinstance(read, _Item):
            items.append(read)
        elif isinstance(read, _Statement):
            if read.slot not in slots:
                raise WrongImport(number, f"a slot of {', '.join(sorted(slots))}", repr(read.slot))
            statements.append(read)
    return items, statements


def _parsed(number: int, line: str, *, first: bool) -> _Line:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WrongImport(number, "one JSON document a line", str(error)) from error
    kind = value.get("type") if isinstance(value, dict) else None
    if first != (kind == "header") or kind not in ("header", "item", "statement"):
        wanted = f"a header of {SCHEMA} version {VERSION}" if first else "an item or a statement"
        raise WrongImport(number, wanted, repr(value))
    models: dict[str, type[_Line]] = {"header": _Header, "item": _Item, "statement": _Statement}
    try:
        read = models[kind].model_validate(value)
        if isinstance(read, _Item) and read.episode is not None:
            read_episode(read.episode)
    except (ValidationError, KeyError, TypeError, OverflowError) as error:
        raise WrongImport(number, f"a line as an export writes it ({kind})", str(error)) from error
    return read


def _to_item(scope: Scope, line: _Item) -> EpisodeItem:
    values = line.model_dump(exclude={"type", "episode"})
    episode = None if line.episode is None else read_episode(line.episode)
    values |= {"visibility": "private", "team": "", "origin": ""}
    values["id"] = derived_id("imp", audience_of(scope), line.id)
    return EpisodeItem(**values, episode=episode)


def _to_draft(line: _Statement) -> FactDraft:
    return FactDraft(source="user", **line.model_dump(exclude={"type"}))
