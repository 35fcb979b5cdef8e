"""Artifacts on their way into the log: prepared once, written many in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Table, and_, insert, or_, select

from memory.artifact_rows import ArtifactRef, body_of
from memory.episodes import audience_of
from memory.tables import artifact_tombstones, artifacts
from memory.text_index import ARTIFACT_TEXT, TextEntry
from state import Scope, clean_text

PAGE: Final = 200


@dataclass(frozen=True)
class Draft:
    """An artifact before it is written."""

    scope: Scope
    id: str
    thread: str
    turn_id: str
    module: str
    kind: str
    text: str
    source: str
    now: datetime

    @cached_property
    def plain(self) -> str:
        """The text as it is stored."""
        return clean_text(self.text)

    @cached_property
    def body(self) -> dict[str, Any]:
        """The columns that hold the text."""
        return body_of(self.plain)

    @property
    def ref(self) -> ArtifactRef:
        """What will be known of it."""
        place = (self.id, self.thread, self.turn_id, self.module, self.kind, self.source)
        return ArtifactRef(*place, self.body["sha256"], self.body["tokens"], self.now)

    @property
    def key(self) -> tuple[str, str, str]:
        """What is unique in the log."""
        return (self.scope.tenant, self.scope.user, self.id)

    @property
    def row(self) -> dict[str, Any]:
        """All columns."""
        return {
            "id": self.id,
            "tenant": self.scope.tenant,
            "user": self.scope.user,
            "thread": self.thread,
            "turn_id": self.turn_id,
            "module": self.module,
            "kind": self.kind,
            "source": self.source,
            "created_at": self.now.isoformat(),
            **self.body,
        }


def insert_artifacts(conn: Connection, drafts: Sequence[Draft]) -> None:
    """Write those whose id is neither taken nor forgotten, with their full text."""
    for at in range(0, len(drafts), PAGE):
        page = {draft.key: draft for draft in reversed(drafts[at : at + PAGE])}
        for table in (artifacts, artifact_tombstones):
            for taken in _taken(conn, table, page):
                page.pop(taken, None)
        new = list(reversed(page.values()))
        if not new:
            continue
        conn.execute(insert(artifacts), [draft.row for draft in new])
        numbers = _taken(conn, artifacts, page)
        entries = [
            TextEntry(numbers[draft.key], audience_of(draft.scope), draft.plain) for draft in new
        ]
        ARTIFACT_TEXT.add(conn, entries)


def _taken(
    conn: Connection, table: Table, keys: Mapping[tuple[str, str, str], Draft]
) -> dict[tuple[str, str, str], int]:
    """Which of the keys a table has, with their numbers where it numbers its rows."""
    if not keys:
        return {}
    number = table.c.get("number", table.c.id)
    query = select(table.c.tenant, table.c.user, table.c.id, number.label("place"))
    found = conn.execute(query.where(_any_of(table, keys)))
    return {(row.tenant, row.user, row.id): row.place for row in found}


def _any_of(table: Table, keys: Mapping[tuple[str, str, str], Draft]) -> ColumnElement[bool]:
    """The rows of the keys, looked up by scope and a list of ids."""
    by_scope: dict[tuple[str, str], list[str]] = {}
    for tenant, user, id_ in keys:
        by_scope.setdefault((tenant, user), []).append(id_)
    return or_(
        *(
            and_(table.c.tenant == tenant, table.c.user == user, table.c.id.in_(ids))
            for (tenant, user), ids in by_scope.items()
        )
    )
