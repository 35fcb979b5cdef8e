"""Lets one read-only SELECT over the company's tables through, and nothing else.

Two walls: the parsed statement is checked and re-written, so that what was checked is what runs;
and SQLite's own authorizer refuses every table, function and action that is not listed here.
"""

import sqlite3
import time
from collections.abc import Sequence

import sqlglot
from sqlglot import Token, TokenType, exp
from sqlglot.errors import SqlglotError

from tools.errors import ToolError

TABLES = frozenset(
    {
        "customers",
        "invoices",
        "order_lines",
        "orders",
        "payments",
        "products",
        "refunds",
        "usage_daily",
    }
)
FUNCTION_NAMES = (
    "abs avg ceil ceiling coalesce concat count cume_dist date datetime dense_rank first_value "
    "floor glob group_concat ifnull iif instr julianday lag last_value lead length like lower "
    "ltrim max min mod nth_value ntile nullif percent_rank rank replace round row_number rtrim "
    "sign strftime string_agg substr substring sum time total trim unixepoch upper"
)
FUNCTIONS = frozenset(FUNCTION_NAMES.split())
STARTS = (TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN)
FORBIDDEN = (
    exp.DML,
    exp.DDL,
    exp.Command,
    exp.Pragma,
    exp.Attach,
    exp.Detach,
    exp.Into,
    exp.Lock,
    exp.Parameter,
    exp.Placeholder,
    exp.Transaction,
)
INDEXES = {
    "invoices_by_customer": "invoices",
    "invoices_by_issue": "invoices",
    "orders_by_customer": "orders",
    "payments_by_invoice": "payments",
    "refunds_by_invoice": "refunds",
    "usage_by_customer": "usage_daily",
    "usage_by_day": "usage_daily",
}
MAX_VALUE_BYTES = 100_000
STEPS_PER_CHECK = 1_000
SCHEMA_TABLES = frozenset(
    {"sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"}
)


def checked_select(sql: str, index_hint: str = "") -> str:
    """The statement that may run for this SQL, with the index hint written into it.

    Raises:
        ToolError: it is not one SELECT over the listed tables, or the hint does not fit.
    """
    try:
        statement = _parse(sql)
    except SqlglotError as error:
        message = f"not valid SQL: {str(error).splitlines()[0]}"
        raise ToolError(message, kind="invalid_arguments", hint="SQLite's dialect") from error
    except RecursionError as error:
        message = "the query is nested too deeply"
        raise ToolError(message, kind="denied", hint="write it flatter") from error
    _check_nodes(statement)
    _check_tables(statement)
    if index_hint:
        _use_index(statement, index_hint)
    return statement.sql(dialect="sqlite", comments=False)


def run_guarded(
    books: sqlite3.Connection, statement: str, *, limit: int, steps: int, seconds: float
) -> tuple[list[str], list[Sequence[object]], bool]:
    """Columns, at most `limit` rows, and whether there were more.

    Args:
        books: a connection that only reads; afterwards it serves nothing else.
        statement: what `checked_select` returned.
        limit: rows to return.
        steps: SQLite machine steps the query may take.
        seconds: time it may take.

    Raises:
        ToolError: SQLite refused it, or it went over its steps or time.
    """
    books.row_factory = None
    permit = _Permit(books)
    budget = _Budget(steps, seconds)
    books.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    books.set_progress_handler(budget.spent, STEPS_PER_CHECK)
    books.set_authorizer(permit.authorize)
    try:
        cursor = books.execute(statement)
        found: list[Sequence[object]] = cursor.fetchmany(limit + 1)
    except sqlite3.DatabaseError as error:
        raise _refusal(error, permit) from error
    columns = [column[0] for column in cursor.description]
    return columns, found[:limit], len(found) > limit


class _Budget:
    """Counts a query's steps; tells SQLite when to stop."""

    def __init__(self, steps: int, seconds: float) -> None:
        self.left = steps
        self.deadline = time.monotonic() + seconds

    def spent(self) -> bool:
        self.left -= STEPS_PER_CHECK
        return self.left < 0 or time.monotonic() > self.deadline


class _Permit:
    """Allows reading listed tables and the query's own subqueries, and listed functions.

    SQLite gives no database for a table whose columns are not read, as in `count(*)`, nor for a
    subquery; so such a name passes only if it is no table of the books.
    """

    def __init__(self, books: sqlite3.Connection) -> None:
        known = {name.lower() for (name,) in books.execute("SELECT name FROM sqlite_master")}
        self.hidden = (known | SCHEMA_TABLES) - TABLES
        self.refused = ""

    def authorize(
        self,
        action: int,
        first: str | None,
        second: str | None,
        database: str | None,
        _: str | None,
    ) -> int:
        allowed = action == sqlite3.SQLITE_SELECT
        if action == sqlite3.SQLITE_FUNCTION:
            allowed = (second or "").lower() in FUNCTIONS
        if action == sqlite3.SQLITE_READ:
            table = (first or "").lower()
            allowed = table in TABLES or (database is None and table not in self.hidden)
        if not allowed:
            self.refused = self.refused or second or first or f"action {action}"
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _parse(sql: str) -> exp.Query:
    """One statement that starts like a query; others are refused before they are parsed."""
    tokens = sqlglot.tokenize(sql, read="sqlite")
    kinds = [token.token_type for token in tokens]
    if not kinds or kinds[0] not in STARTS:
        raise _denied("wanted one SELECT", tokens[0].text if tokens else "nothing")
    if TokenType.SEMICOLON in kinds[:-1]:
        raise _denied("wanted one statement", _text_after_semicolon(tokens))
    end = tokens[-1].start if kinds[-1] == TokenType.SEMICOLON else len(sql)
    statement = sqlglot.parse_one(sql[:end], read="sqlite")
    if not isinstance(statement, exp.Query):
        raise _denied("wanted one SELECT", type(statement).__name__.upper())
    return statement


def _text_after_semicolon(tokens: Sequence[Token]) -> str:
    kinds = [token.token_type for token in tokens]
    return "a second one: " + tokens[kinds.index(TokenType.SEMICOLON) + 1].text


def _check_nodes(statement: exp.Query) -> None:
    for node in statement.walk():
        if isinstance(node, FORBIDDEN):
            raise _denied("wanted a query that only reads", type(node).__name__.upper())
        if isinstance(node, exp.With) and node.recursive:
            raise _denied("wanted no recursion", "WITH RECURSIVE")
        if isinstance(node, exp.Anonymous) and node.name.lower() not in FUNCTIONS:
            raise _denied("wanted a function of SQL reports", f"{node.name}()")


def _check_tables(statement: exp.Query) -> None:
    named = {cte.alias.lower() for cte in statement.find_all(exp.CTE)}
    if named & TABLES:
        raise _denied("wanted other names for subqueries", ", ".join(sorted(named & TABLES)))
    for table in statement.find_all(exp.Table):
        if table.arg_key == "indexed":
            continue
        plain = isinstance(table.this, exp.Identifier) and not (table.db or table.catalog)
        if not plain or table.name.lower() not in TABLES | named:
            raise _denied(f"wanted tables among {', '.join(sorted(TABLES))}", table.sql("sqlite"))


def _use_index(statement: exp.Query, index: str) -> None:
    if index not in INDEXES:
        message = f"no index {index!r}"
        hint = "indexes: " + ", ".join(sorted(INDEXES))
        raise ToolError(message, kind="invalid_arguments", hint=hint)
    tables = [one for one in statement.find_all(exp.Table) if one.name.lower() == INDEXES[index]]
    if not tables:
        message = f"the query does not read {INDEXES[index]}, which {index} belongs to"
        raise ToolError(message, kind="invalid_arguments", hint="leave index_hint empty")
    for table in tables:
        table.set("indexed", exp.Table(this=exp.to_identifier(index)))


def _refusal(error: sqlite3.DatabaseError, permit: _Permit) -> ToolError:
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
        message = "the query was stopped: it read too much or took too long"
        hint = "narrow it by customer or day, join on keys, or pass index_hint"
        return ToolError(message, kind="timeout", hint=hint)
    if permit.refused:
        return _denied(f"wanted only {', '.join(sorted(TABLES))}", permit.refused)
    hint = "columns are listed in this tool's description"
    if "no query solution" in str(error):
        hint = "this query cannot use that index; leave index_hint empty"
    return ToolError(f"SQLite: {error}", kind="invalid_arguments", hint=hint)


def _denied(wanted: str, came: str) -> ToolError:
    hint = "one SELECT over the company's tables, nothing else"
    return ToolError(f"{wanted}, came {came[:80]}", kind="denied", hint=hint)
