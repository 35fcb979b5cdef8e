"""Export and import of a user's memory as JSON lines, with a schema version.

An import is the user's own act in the user's own scope: everything becomes private to who imports,
whatever the file says about readers, and event times are kept, so that an old note cannot override
a newer fact. What comes out does not depend on the order of the lines.
"""

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, select

from configs.masking import NO_MASKING, Masking
from memory.artifact_drafts import Draft, insert_artifacts
from memory.artifact_rows import ref_of, text_of
from memory.audit import note_down
from memory.database import Database
from memory.episode_rows import pages, payload_of, read_episode
from memory.episodes import EpisodeItem, audience_of
from memory.exchange_lines import (
    SCHEMA,
    VERSION,
    ArtifactLine,
    ItemLine,
    StatementLine,
    read_lines,
)
from memory.fact_history import Mention
from memory.fact_rows import FactDraft
from memory.facts import Facts
from memory.sql_episodes import SqlEpisodes
from memory.tables import artifacts
from state import Scope, canonical_json, derived_id

PAGE: Final = 500
ARTIFACT_PAGE: Final = 50
_OF_STATEMENT: Final = ("slot", "value", "polarity", "thread", "turn_id", "quote", "period")


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import stored, and what it found to be there already or forgotten before."""

    items: int
    known_items: int
    statements: int
    known_statements: int
    artifacts: int = 0
    known_artifacts: int = 0


async def export_lines(
    database: Database, store: SqlEpisodes, facts: Facts, scope: Scope
) -> AsyncIterator[str]:
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
            if mention.by == scope.user:
                yield canonical_json(_statement_line(mention))
    last = 0
    while rows := await database.read(partial(_artifacts, scope=scope, after=last)):
        for number, line in rows:
            last = number
            yield canonical_json(line)


async def import_lines(
    database: Database,
    store: SqlEpisodes,
    facts: Facts,
    scope: Scope,
    lines: Iterable[str],
    masking: Masking = NO_MASKING,
) -> Imported:
    """Store an export in the scope, its secrets masked; doing it again stores nothing new.

    Raises:
        WrongImport: a line cannot be read; nothing is stored.
    """
    found = read_lines(lines, {slot.name for slot in facts.slots}, masking)
    items = await _store_items(store, scope, found.items)
    results = await facts.add(scope, [_to_draft(line) for line in found.statements])
    new = sum(result.outcome not in ("duplicate", "refused") for result in results)
    kept = await database.write(lambda conn: _store_artifacts(conn, scope, found.artifacts))
    detail = f"{items} items, {new} statements, {kept} artifacts"
    await database.write(lambda conn: note_down(conn, scope, "import", "", detail))
    return Imported(
        items,
        len(found.items) - items,
        new,
        len(results) - new,
        kept,
        len(found.artifacts) - kept,
    )


async def _store_items(store: SqlEpisodes, scope: Scope, lines: list[ItemLine]) -> int:
    own = {one.id for one in await store.scoped(scope).get([line.id for line in lines])}
    wanted = [_to_item(scope, line) for line in lines if line.id not in own and not line.origin]
    return sum(
        [
            await store.scoped(scope).add(wanted[at : at + PAGE])
            for at in range(0, len(wanted), PAGE)
        ]
    )


def _store_artifacts(conn: Connection, scope: Scope, lines: list[ArtifactLine]) -> int:
    before = _known_artifacts(conn, scope, lines)
    drafts = [
        Draft(scope, now=line.created_at, **line.model_dump(exclude={"type", "created_at"}))
        for line in lines
    ]
    insert_artifacts(conn, drafts)
    return _known_artifacts(conn, scope, lines) - before


def _known_artifacts(conn: Connection, scope: Scope, lines: list[ArtifactLine]) -> int:
    mine = (artifacts.c.tenant == scope.tenant, artifacts.c.user == scope.user)
    found = 0
    for page in pages(sorted({line.id for line in lines})):
        query = select(artifacts.c.id).where(*mine, artifacts.c.id.in_(page))
        found += len(conn.execute(query).all())
    return found


def _artifacts(conn: Connection, scope: Scope, after: int) -> list[tuple[int, dict[str, Any]]]:
    """A page of the user's artifacts behind a number, as lines."""
    query = (
        select(artifacts)
        .where(
            artifacts.c.tenant == scope.tenant,
            artifacts.c.user == scope.user,
            artifacts.c.number > after,
        )
        .order_by(artifacts.c.number)
        .limit(ARTIFACT_PAGE)
    )
    return [
        (
            row.number,
            {
                "type": "artifact",
                **{
                    name: row._mapping[name]
                    for name in ("id", "thread", "turn_id", "module", "kind", "source")
                },
                "text": text_of(row),
                "created_at": ref_of(row).created_at.isoformat(),
            },
        )
        for row in conn.execute(query)
    ]


def _item_line(item: EpisodeItem) -> dict[str, Any]:
    line: dict[str, Any] = asdict(item)
    line["occurred_at"] = item.occurred_at.isoformat()
    line["recorded_at"] = item.recorded_at.isoformat()
    line["episode"] = json.loads(payload_of(item.episode)) or None
    return {"type": "item", **line}


def _statement_line(mention: Mention) -> dict[str, Any]:
    return {
        "type": "statement",
        **{name: getattr(mention, name) for name in _OF_STATEMENT},
        "occurred_at": mention.occurred_at.isoformat(),
        "recorded_at": mention.recorded_at.isoformat(),
    }


def _to_item(scope: Scope, line: ItemLine) -> EpisodeItem:
    values = line.model_dump(exclude={"type", "episode"})
    episode = None if line.episode is None else read_episode(line.episode)
    values |= {"visibility": "private", "team": "", "origin": ""}
    values["id"] = derived_id("imp", audience_of(scope), line.id)
    return EpisodeItem(**values, episode=episode)


def _to_draft(line: StatementLine) -> FactDraft:
    return FactDraft(source="user", **line.model_dump(exclude={"type"}))
