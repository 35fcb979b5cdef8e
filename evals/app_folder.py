"""App folders that evaluations bring along."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import yaml

Entry: TypeAlias = tuple[str, str, str, Mapping[str, Any]]


def write_folder(
    folder: Path, settings: Mapping[str, Any], experts: Iterable[Mapping[str, Any]]
) -> Path:
    """Make an app folder.

    Args:
        folder: made when absent.
        settings: what app.yaml says.
        experts: what the experts' files say; each is named by its `name`.
    """
    (folder / "experts").mkdir(parents=True, exist_ok=True)
    (folder / "app.yaml").write_text(yaml.safe_dump(dict(settings)), encoding="utf-8")
    for expert in experts:
        text = yaml.safe_dump(dict(expert), sort_keys=False, allow_unicode=True)
        (folder / "experts" / f"{expert['name']}.yaml").write_text(text, encoding="utf-8")
    return folder


def write_expert(
    folder: Path,
    name: str,
    tools: Sequence[Entry],
    *,
    settings: Mapping[str, Any] | None = None,
) -> Path:
    """Make an app folder with one expert.

    Args:
        folder: made when absent.
        name: of the expert, to which everything is routed.
        tools: each its name, the function's reference, its effect, and further keys.
        settings: sections of app.yaml beside the defaults of evaluations.
    """
    expert = {
        "name": name,
        "title": name.replace("_", " ").capitalize(),
        "description": f"Does what the {name} does.",
        "brief": "Serve the user with your tools. Change records only as asked.",
        "tools": [
            {
                "name": tool,
                "function": function,
                "effect": effect,
                "description": f"{tool.replace('_', ' ').capitalize()}.",
                "when": "The user's request needs it.",
                "returns": "What the call found or did.",
                **more,
            }
            for tool, function, effect, more in tools
        ],
    }
    app = {"recall": {"enabled": False}, "router": {"default": name}, **(settings or {})}
    return write_folder(folder, app, [expert])
