"""Effects in SQL: read, insert once, and move by compare-and-set with an event for each move."""

import json
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from memory.tables import effect_events, effects
from state import canonical_json
from tools.effects import COLUMNS, MOVES, EffectRow, EffectStatus, stamp
from tools.errors import EffectConflict, EffectUnknown

_TIMES = ("created_at", "expires_at", "decided_at")
_LISTS = ("approver_teams", "reasons")


def find(conn: Connection, *conditions: ColumnElement[bool]) -> list[EffectRow]:
    """The rows that meet all conditions, oldest first."""
    wanted = select(*(effects.c[name] for name in COLUMNS)).where(*conditions)
    ordered = wanted.order_by(effects.c.created_at, effects.c.expert, effects.c.ordinal)
    found = conn.execute(ordered.order_by(effects.c.id)).mappings()
    return [_row(record) for record in found]


def load(conn: Connection, effect: str) -> EffectRow:
    """One row.

    Raises:
        EffectUnknown: there is none.
    """
    rows = find(conn, effects.c.id == effect)
    if not rows:
        raise EffectUnknown(effect)
    return rows[0]


def insert_once(conn: Connection, row: EffectRow, by: str) -> bool:
    """Insert the row unless its id is there; True when it was inserted."""
    dialect = postgresql if conn.dialect.name == "postgresql" else sqlite
    statement = dialect.insert(effects).values(**_record(row))
    if conn.execute(statement.on_conflict_do_nothing(index_elements=["id"])).rowcount != 1:
        return False
    _note_event(conn, row.id, None, row.status, by=by, at=row.created_at, note="")
    return True


def move(
    conn: Connection,
    row: EffectRow,
    after: EffectStatus,
    *,
    by: str,
    at: datetime,
    **changes: Any,  # noqa: ANN401 - column values
) -> EffectRow:
    """Take the row from the state it was read in to the next; nothing else may have moved it.

    Raises:
        EffectConflict: the state machine has no such move, or another process was first.
    """
    if after not in MOVES[row.status]:
        raise EffectConflict(row.id, f"a row that can become {after}", row.status)
    values = {"status": after, **{name: _value(name, value) for name, value in changes.items()}}
    here = (effects.c.id == row.id, effects.c.status == row.status)
    if conn.execute(update(effects).where(*here).values(**values)).rowcount != 1:
        raise EffectConflict(row.id, row.status, load(conn, row.id).status)
    note = str(changes.get("note") or changes.get("message") or "")
    _note_event(conn, row.id, row.status, after, by=by, at=at, note=note)
    return load(conn, row.id)


def _note_event(
    conn: Connection,
    effect: str,
    before: EffectStatus | None,
    after: EffectStatus,
    *,
    by: str,
    at: datetime,
    note: str,
) -> None:
    values = {"effect": effect, "before": before, "after": after, "by": by, "at": stamp(at)}
    conn.execute(insert(effect_events).values(**values, note=note))


def _record(row: EffectRow) -> dict[str, Any]:
    return {name: _value(name, getattr(row, name)) for name in COLUMNS}


def _value(name: str, value: Any) -> Any:  # noqa: ANN401 - column values
    if name == "args":
        return canonical_json(value)
    if name in _LISTS:
        return canonical_json(list(value))
    if name in _TIMES and value is not None:
        return stamp(value)
    return value


def _row(record: RowMapping) -> EffectRow:
    values: dict[str, Any] = dict(record)
    values["args"] = json.loads(values["args"])
    for name in _LISTS:
        values[name] = tuple(json.loads(values[name]))
    for name in _TIMES:
        values[name] = datetime.fromisoformat(values[name]) if values[name] else None
    return EffectRow(**values)
