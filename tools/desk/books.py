"""The sample company's database: made on first use, opened for reading or for one change."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from tools.errors import ToolError
from tools.spec import ToolContext

Row: TypeAlias = dict[str, Any]

SHIPPED = Path(__file__).parents[2] / "configs" / "desk"
SCHEMA_VERSION = 1
BUSY_TIMEOUT_S = 5.0


@contextmanager
def reading(context: ToolContext) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write."""
    with closing(_connect(context, "ro")) as books:
        books.execute("PRAGMA query_only = ON")
        yield books


@contextmanager
def writing(context: ToolContext) -> Iterator[sqlite3.Connection]:
    """One write transaction: committed at the end, rolled back when anything is raised.

    Raises:
        ToolError: another process kept the books locked.
    """
    with closing(_connect(context, "rw")) as books:
        try:
            books.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            message = f"the books are locked by another process: {error}"
            raise ToolError(message, kind="timeout", retryable=True) from error
        try:
            yield books
        except BaseException:
            books.execute("ROLLBACK")
            raise
        books.execute("COMMIT")


def as_of(books: sqlite3.Connection) -> str:
    """The company's today: the day its books stop."""
    return str(row(books, "SELECT as_of FROM books")["as_of"])


def rows(books: sqlite3.Connection, sql: str, *values: object) -> list[Row]:
    """All rows of a query, as dicts."""
    return [dict(found) for found in books.execute(sql, values)]


def row(books: sqlite3.Connection, sql: str, *values: object) -> Row:
    """The first row of a query, empty if there is none."""
    found = books.execute(sql, values).fetchone()
    return dict(found) if found else {}


def desk_folder(context: ToolContext) -> Path:
    """Where schema, seed and policies lie: the application's own `desk`, or the shipped one."""
    own = context.app_dir / "desk"
    return own if own.is_dir() else SHIPPED


def _connect(context: ToolContext, mode: str) -> sqlite3.Connection:
    path = context.data_dir / "desk.db"
    if not path.exists():
        _found(path, desk_folder(context))
    address = f"file:{quote(str(path.absolute()))}?mode={mode}"
    books = sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    try:
        _prepare(books, path)
    except BaseException:
        books.close()
        raise
    return books


def _prepare(books: sqlite3.Connection, path: Path) -> None:
    books.row_factory = sqlite3.Row
    books.execute("PRAGMA foreign_keys = ON")
    version = books.execute("PRAGMA user_version").fetchone()[0]
    if version != SCHEMA_VERSION:
        message = f"wanted books of version {SCHEMA_VERSION}, came {version!r} in {path}"
        raise ToolError(message, hint="move that file away; new books are made on the next call")


def _found(path: Path, source: Path) -> None:
    """Make the books beside `path` and link them into place: seen whole or not at all.

    A link, unlike a rename, never replaces books that another process has founded and perhaps
    changed meanwhile.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix="desk-", suffix=".new", dir=path.parent)
    os.close(handle)
    draft = Path(name)
    try:
        with closing(sqlite3.connect(draft, isolation_level=None)) as books:
            books.execute("PRAGMA journal_mode = WAL")
            books.executescript(_founding_script(source))
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            return
    finally:
        draft.unlink()


def _founding_script(source: Path) -> str:
    try:
        parts = [(source / name).read_text("utf-8") for name in ("schema.sql", "seed.sql")]
    except OSError as error:
        message = f"the sample company cannot be loaded: {error}"
        raise ToolError(
            message, hint="schema.sql and seed.sql belong in the desk folder"
        ) from error
    return "\n".join(["BEGIN;", *parts, f"PRAGMA user_version = {SCHEMA_VERSION};", "COMMIT;"])
