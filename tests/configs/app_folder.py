"""Writes the files of an app folder from plain mappings."""

from pathlib import Path
from typing import Any

import yaml


def tool(name: str = "get_invoice", **changes: object) -> dict[str, Any]:
    """A correct tool, with changes."""
    return {
        "name": name,
        "function": "billing.py:get_invoice",
        "effect": "read_only",
        "description": "Reads one invoice.",
        "when": "an invoice is asked for",
        "returns": "the invoice",
    } | changes


def expert(name: str = "billing", **changes: object) -> dict[str, Any]:
    """A correct expert, with changes."""
    return {
        "name": name,
        "title": "Billing",
        "description": "Knows invoices. Does not know orders.",
        "brief": "Answer questions about invoices.",
        "tools": [],
    } | changes


class AppFolder:
    """An app folder that a test writes into."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "experts").mkdir(parents=True)

    def write_app(self, values: object) -> Path:
        return self.write("app.yaml", yaml.safe_dump(values))

    def write_expert(self, name: str, **changes: object) -> Path:
        return self.write(f"experts/{name}.yaml", yaml.safe_dump(expert(name, **changes)))

    def write(self, name: str, text: str) -> Path:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file
