"""What the tools did, on disk: changed records and every call that wrote, per conversation.

One SQLite transaction holds a call's changes and its entry, so a killed process leaves both or
neither. Each arrival of a write is an entry of its own: a second one under the same idempotency
key changes nothing, is answered with the first result, and stays visible as a repetition.
"""

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.tau.domain import Domain
from evals.tau.errors import TauError
from evals.tau.records import Changes, Records, load_tables

SCHEMA = """
CREATE TABLE IF NOT EXISTS changed (
    thread TEXT, name TEXT, id TEXT, body TEXT NOT NULL, PRIMARY KEY (thread, name, id));
CREATE TABLE IF NOT EXISTS calls (
    number INTEGER PRIMARY KEY, thread TEXT, key TEXT, tool TEXT, arguments TEXT,
    result TEXT, failed INTEGER);
CREATE INDEX IF NOT EXISTS calls_by_key ON calls (thread, key);
"""
BUSY_MS = 10_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One arrival of a write at the tables."""

    key: str
    tool: str
    arguments: dict[str, Any]
    failed: bool


class Journal:
    """The durable side of the replayed tools."""

    def __init__(self, path: Path) -> None:
        """Use the SQLite file at `path`, made on first use."""
        self._path = path

    def run(
        self,
        domain: type[Domain],
        tables: Path,
        *,
        thread: str,
        key: str,
        name: str,
        arguments: Mapping[str, Any],
    ) -> object:
        """Call a tool on the conversation's records and keep what it changed.

        Raises:
            TauError: the call cannot be carried out.
        """
        with self._transaction() as connection:
            before = _changes(connection, thread)
            desk = domain(Records(load_tables(tables), before))
            if name not in domain.writes:
                return desk.run(name, arguments)
            repeated = _first_result(connection, thread, key)
            outcome = repeated or _outcome(desk, name, arguments)
            _save(connection, thread, before, desk.records.changes)
            connection.execute(
                "INSERT INTO calls (thread, key, tool, arguments, result, failed)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (thread, key, name, json.dumps(arguments), *outcome),
            )
        result, failed = outcome
        if failed:
            raise TauError(**json.loads(result))
        return json.loads(result)

    def changes(self, thread: str) -> Changes:
        """Whole records a conversation has touched."""
        with self._transaction() as connection:
            return _changes(connection, thread)

    def entries(self, thread: str, key: str | None = None) -> list[Entry]:
        """The writes that arrived for a conversation, oldest first, or those under one key."""
        with self._transaction() as connection:
            rows = connection.execute(
                "SELECT key, tool, arguments, failed FROM calls"
                " WHERE thread = ? AND key = coalesce(?, key) ORDER BY number",
                (thread, key),
            ).fetchall()
        return [Entry(row[0], row[1], json.loads(row[2]), bool(row[3])) for row in rows]

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._open()
        try:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection
        finally:
            connection.close()

    def _open(self) -> sqlite3.Connection:
        fresh = not self._path.exists()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, isolation_level=None)
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        if fresh:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.executescript(SCHEMA)
        return connection


def _changes(connection: sqlite3.Connection, thread: str) -> Changes:
    found: Changes = {}
    rows = connection.execute("SELECT name, id, body FROM changed WHERE thread = ?", (thread,))
    for name, key, body in rows:
        found.setdefault(name, {})[key] = json.loads(body)
    return found


def _save(connection: sqlite3.Connection, thread: str, before: Changes, after: Changes) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO changed VALUES (?, ?, ?, ?)",
        [
            (thread, name, key, json.dumps(row))
            for name, rows in after.items()
            for key, row in rows.items()
            if row is not before.get(name, {}).get(key)
        ],
    )


def _first_result(connection: sqlite3.Connection, thread: str, key: str) -> tuple[str, int] | None:
    row: tuple[str, int] | None = connection.execute(
        "SELECT result, failed FROM calls WHERE thread = ? AND key = ? ORDER BY number LIMIT 1",
        (thread, key),
    ).fetchone()
    return row


def _outcome(desk: Domain, name: str, arguments: Mapping[str, Any]) -> tuple[str, int]:
    try:
        return json.dumps(desk.run(name, arguments)), 0
    except TauError as error:
        return json.dumps({"message": str(error), "kind": error.kind}), 1
