"""`hippograph examples`: which examples of an app's tools the embedded default confuses."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

from configs.settings import load_settings
from graph.cli_options import OK, Door
from graph.cli_run import run
from graph.cli_screen import Screen
from models.embedded.acts import shared_act_reader
from models.embedded.chooser import Chooser, Tool
from models.embedding import shared_embedder

HEADINGS = ("tool", "expert", "examples", "right", "confused with")
NONE = (
    "No tool and no intent has examples; add to an expert's file, under `examples`, "
    "what people say when they want it."
)
Choice = tuple[Tool, str, Tool]


def examples(door: Door) -> int:
    """Choose a tool for every example by all the others, and show what goes wrong."""

    async def work(screen: Screen) -> int:
        settings = load_settings(door.app)
        embedder = shared_embedder(settings.embedder.name)
        folder = settings.data_dir / "embedded"
        chooser = Chooser(settings.experts, embedder, shared_act_reader(), folder)
        with screen.progress("Reading the examples"):
            found = await asyncio.to_thread(chooser.left_out)
        _show(found, screen)
        screen.document(_document(found))
        return OK

    return run(door, work)


def _show(found: Sequence[Choice], screen: Screen) -> None:
    if not found:
        screen.say(NONE)
        return
    rows = [
        [one["tool"], one["expert"], str(one["examples"]), str(one["right"]), _counted(one)]
        for one in _tools(found)
    ]
    screen.table(HEADINGS, rows)
    wrong = [(text, tool, chosen) for tool, text, chosen in found if chosen != tool]
    if wrong:
        screen.say()
        cells = [[text, _label(tool), _label(chosen)] for text, tool, chosen in wrong]
        screen.table(["example", "of", "goes to"], cells)
    right = len(found) - len(wrong)
    screen.say(f"\n{right / len(found):.0%} right: {right} of {len(found)} examples.")


def _tools(found: Sequence[Choice]) -> list[dict[str, Any]]:
    """For each tool its examples, those that are right, and where the others go."""
    rows = []
    for tool in dict.fromkeys(one for one, _, _ in found):
        chosen = [other for one, _, other in found if one == tool]
        confused = Counter(_label(other) for other in chosen if other != tool)
        rows.append(
            {
                "tool": _label(tool),
                "expert": tool.expert,
                "examples": len(chosen),
                "right": chosen.count(tool),
                "confused_with": dict(confused.most_common()),
            }
        )
    return rows


def _label(tool: Tool) -> str:
    """A tool's name; of an intent that needs none its own words."""
    return tool.name or f"{tool.description} (no tool)"


def _counted(row: dict[str, Any]) -> str:
    return ", ".join(f"{name} {count}x" for name, count in row["confused_with"].items())


def _document(found: Sequence[Choice]) -> dict[str, Any]:
    wrong = [
        {"example": text, "tool": _label(tool), "goes_to": _label(chosen)}
        for tool, text, chosen in found
        if chosen != tool
    ]
    share = round(1 - len(wrong) / len(found), 4) if found else None
    return {"tools": _tools(found), "confused": wrong, "examples": len(found), "right": share}
