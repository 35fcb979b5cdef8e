"""Tables that are never copied: a read-only base with the changed records laid over it."""

import copy
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

Record: TypeAlias = dict[str, Any]
Changes: TypeAlias = dict[str, dict[str, Record]]


@lru_cache(maxsize=8)
def load_tables(folder: Path) -> Mapping[str, Mapping[str, Record]]:
    """Every table of a domain folder by file name, loaded once per process.

    A table is a JSON object of records by id; task lists and other arrays are left out.
    """
    tables: dict[str, dict[str, Record]] = {}
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(content, dict):
            tables[path.stem] = content
    return tables


class Records:
    """The tables as one conversation sees them; the base stays as it is."""

    def __init__(
        self, base: Mapping[str, Mapping[str, Record]], changes: Changes | None = None
    ) -> None:
        """Lay `changes` (whole records by table and id) over `base`."""
        self._base = base
        self._changes: Changes = {name: dict(rows) for name, rows in (changes or {}).items()}
        self._own: set[tuple[str, str]] = set()

    @property
    def changes(self) -> Changes:
        """Whole records touched so far, by table and id, whether or not they differ."""
        return self._changes

    def fork(self) -> "Records":
        """A trial copy: its changes reach this one only through `take`."""
        return Records(self._base, self._changes)

    def take(self, trial: "Records") -> None:
        """Accept everything a trial copy changed."""
        self._changes = trial.changes

    def find(self, table: str, key: str) -> Record | None:
        """The record for reading, or None; never change what this returns."""
        changed = self._changes.get(table, {}).get(key)
        return changed if changed is not None else self._base[table].get(key)

    def each(self, table: str) -> Iterator[tuple[str, Record]]:
        """All records in table order, new ones last."""
        changed = self._changes.get(table, {})
        base = self._base[table]
        for key, record in base.items():
            yield key, changed.get(key, record)
        yield from ((key, record) for key, record in changed.items() if key not in base)

    def edit(self, table: str, key: str) -> Record:
        """The record for changing in place; KeyError when there is none."""
        if (table, key) not in self._own:
            current = self.find(table, key)
            if current is None:
                raise KeyError(key)
            self.put(table, key, copy.deepcopy(current))
        return self._changes[table][key]

    def put(self, table: str, key: str, record: Record) -> None:
        """Store a whole record under its id."""
        self._changes.setdefault(table, {})[key] = record
        self._own.add((table, key))

    def diff(self) -> Changes:
        """Records that are new or differ by value from the base; tables without any are absent."""
        found = {
            table: {key: row for key, row in rows.items() if self._base[table].get(key) != row}
            for table, rows in self._changes.items()
        }
        return {table: rows for table, rows in found.items() if rows}

    def same_text(self, other: "Records") -> bool:
        """Whether both sides are equal as JSON text with sorted keys, so 5 and 5.0 differ."""
        touched = {
            (table, key)
            for side in (self._changes, other.changes)
            for table, rows in side.items()
            for key in rows
        }
        return all(
            _text(self.find(table, key)) == _text(other.find(table, key)) for table, key in touched
        )


def _text(record: Record | None) -> str:
    return json.dumps(record, sort_keys=True)
