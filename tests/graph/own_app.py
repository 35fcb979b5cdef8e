"""An app of one's own, written into a folder: experts with the tools and examples a test wants."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from graph.cli_init import make_app


def tool(name: str, examples: Sequence[str] = (), **more: object) -> dict[str, Any]:
    """A read-only tool of `own_tools.py`, of the function with its name."""
    return {
        "name": name,
        "function": f"own_tools.py:{name}",
        "effect": "read_only",
        "description": f"{name.replace('_', ' ').capitalize()}.",
        "when": "somebody asks for it",
        "returns": "what there is",
        "examples": list(examples),
        **more,
    }


def write_app(
    folder: Path, code: str, tools: Sequence[dict[str, Any]], name: str = "garden", **more: object
) -> Path:
    """A new app's folder, whose only expert is the test's own."""
    make_app(folder)
    for file in (folder / "experts").iterdir():
        file.unlink()
    (folder / "own_tools.py").write_text(code, encoding="utf-8")
    expert = {
        "name": name,
        "title": name.title(),
        "description": f"Looks after the {name}.",
        "brief": f"You look after the {name}.",
        "tools": list(tools),
        **more,
    }
    (folder / "experts" / f"{name}.yaml").write_text(yaml.safe_dump(expert), encoding="utf-8")
    return folder
