"""An app folder with the services of the schema as experts, and their methods as tools.

A tool answers at once; a write puts a line into a journal first, so that what has happened is
counted where it happens.
"""

import functools
import inspect
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml

from evals.gate_dialogues import Intent, load_intents
from tools.spec import ToolContext

SCHEMA = "schema.json"
JOURNAL = "writes.jsonl"


def write_app(folder: Path, schema: Path) -> Path:
    """Make the app folder around a schema file."""
    (folder / "experts").mkdir(parents=True, exist_ok=True)
    (folder / SCHEMA).write_text(schema.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "app.yaml").write_text("recall: {enabled: false}\n", encoding="utf-8")
    services: dict[str, list[Intent]] = {}
    for intent in load_intents(folder / SCHEMA).values():
        services.setdefault(intent.service, []).append(intent)
    for service, intents in services.items():
        expert = {
            "name": service.lower(),
            "title": service,
            "description": f"Serves what concerns {service}.",
            "brief": "Serve the user with your tools.",
            "tools": [_tool(intent) for intent in intents],
        }
        text = yaml.safe_dump(expert, sort_keys=False)
        (folder / "experts" / f"{service.lower()}.yaml").write_text(text, encoding="utf-8")
    return folder


def _tool(intent: Intent) -> dict[str, Any]:
    effect = "irreversible" if intent.writes else "read_only"
    kind = "write" if intent.writes else "read"
    names = "__".join([kind, intent.tool, *intent.required, "or", *intent.optional])
    return {
        "name": intent.tool,
        "function": f"{__name__}:{names}",
        "effect": effect,
        "description": intent.description,
        "when": "The user wants it.",
        "returns": "The record.",
    }


def __getattr__(name: str) -> Callable[..., Any]:
    """The function `KIND__tool__slot__slot__or__slot`, as an expert's file refers to it."""
    kind, *parts = name.split("__")
    if kind not in ("read", "write") or "or" not in parts:
        raise AttributeError(name)
    middle = parts.index("or")
    return _function(kind, parts[0], tuple(parts[1:middle]), tuple(parts[middle + 1 :]))


@functools.cache
def _function(
    kind: str, tool: str, required: tuple[str, ...], optional: tuple[str, ...]
) -> Callable[..., Any]:
    def function(context: ToolContext, **values: str) -> dict[str, Any]:
        if kind == "write":
            _note(context, tool, values)
        return {"done": tool, **{name: value for name, value in values.items() if value}}

    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [inspect.Parameter(name, keyword, annotation=str) for name in required]
    own += [inspect.Parameter(name, keyword, annotation=str, default="") for name in optional]
    first = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names: Iterable[str] = (*required, *optional)
    function.__name__ = tool
    function.__signature__ = inspect.Signature([first, *own])  # type: ignore[attr-defined]  # set on a function by design
    function.__annotations__ = {**dict.fromkeys(names, str), "context": ToolContext}
    return function


def _note(context: ToolContext, tool: str, values: dict[str, str]) -> None:
    line = {"thread": context.thread, "key": context.idempotency_key, "tool": tool, "args": values}
    with (context.data_dir / JOURNAL).open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(line) + "\n")


def happened(data_dir: Path) -> list[dict[str, Any]]:
    """Every write that has arrived, oldest first."""
    file = data_dir / JOURNAL
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
