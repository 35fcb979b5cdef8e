"""A change and the record of it in one transaction, so that no key acts twice."""

import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from tools.desk.books import Row, row, writing
from tools.errors import ToolError
from tools.spec import ToolContext


def act_once(
    context: ToolContext,
    tool: str,
    arguments: dict[str, Any],
    change: Callable[[sqlite3.Connection], Row],
) -> Row:
    """Make a change under the run's idempotency key; for a known key, its earlier result.

    Args:
        context: whose idempotency key names this one change.
        tool: the tool that acts.
        arguments: what it was asked; a key stands for one set of arguments.
        change: makes the change in the open transaction and returns the result.

    Raises:
        ToolError: no key, a key used for something else, or what `change` raises.
    """
    key = context.idempotency_key
    if not key:
        message = f"{tool} needs an idempotency key, came none"
        raise ToolError(message, kind="failed", hint="nothing was changed")
    said = json.dumps(arguments, sort_keys=True, ensure_ascii=False)
    with writing(context) as books:
        earlier = row(books, "SELECT * FROM actions WHERE idempotency_key = ?", key)
        if earlier:
            return _earlier_result(earlier, tool, said)
        result = change(books)
        books.execute(
            "INSERT INTO actions VALUES (?, ?, ?, ?, ?, ?)",
            (
                key,
                tool,
                said,
                json.dumps(result, ensure_ascii=False),
                context.user,
                datetime.now(UTC).isoformat(timespec="seconds"),
            ),
        )
        return result


def settle_action(context: ToolContext, **arguments: object) -> Row:
    """Whether the change under the run's key has happened, and its result if so.

    It takes the write lock, so a change still in its transaction is over when it answers.
    """
    with writing(context) as books:
        earlier = row(
            books,
            "SELECT result FROM actions WHERE idempotency_key = ?",
            context.idempotency_key,
        )
    if not earlier:
        return {"happened": False}
    return {"happened": True, "result": json.loads(earlier["result"])}


def _earlier_result(earlier: Row, tool: str, said: str) -> Row:
    if (earlier["tool"], earlier["arguments"]) != (tool, said):
        message = f"this key was used for {earlier['tool']} with {earlier['arguments']}"
        raise ToolError(message, kind="conflict", hint="nothing was changed; use a new key")
    result: Row = json.loads(earlier["result"])
    return result
