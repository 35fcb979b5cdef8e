"""Tools of this app: plain typed functions, named in experts/*.yaml.

The first parameter `context` is optional; it says for whom the call runs and where data may lie.
All other parameters are keyword-only, typed and described: the model sees exactly that, and wrong
arguments never reach the function. Return JSON values or text. Raise ToolError when the tool cannot
do what was asked; its message is what the expert reads.
"""

import json
from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import Field

from tools.spec import ToolContext, ToolError


def add_reminder(
    context: ToolContext,
    *,
    text: Annotated[str, Field(description="What to be reminded of", min_length=1)],
    day: Annotated[str, Field(description="Day it is due, YYYY-MM-DD; empty for none")] = "",
) -> dict[str, str]:
    """Add a reminder; a repeated call with the same key returns the first one."""
    if day:
        _check_day(day)
    for known in _read(context):
        if known["id"] == context.idempotency_key:
            return known
    reminder = {"id": context.idempotency_key, "text": text, "day": day}
    line = {"tenant": context.tenant, "user": context.user, **reminder}
    file = _file(context)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(line) + "\n")
    return reminder


def list_reminders(context: ToolContext) -> list[dict[str, str]]:
    """The user's own reminders, oldest first."""
    return _read(context)


def _read(context: ToolContext) -> list[dict[str, str]]:
    file = _file(context)
    if not file.exists():
        return []
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return [
        {"id": line["id"], "text": line["text"], "day": line["day"]}
        for line in lines
        if (line["tenant"], line["user"]) == (context.tenant, context.user)
    ]


def _file(context: ToolContext) -> Path:
    return context.data_dir / "reminders.jsonl"


def _check_day(day: str) -> None:
    try:
        date.fromisoformat(day)
    except ValueError as error:
        message = f"wanted a day as YYYY-MM-DD, came {day!r}"
        raise ToolError(message, kind="invalid_arguments") from error
