"""The app that the fault cases run: two experts whose tools do what tools should not.

Every effect writes a line into `journal.txt` when it happens, so that a case counts what happened
and not what anybody says about it.
"""

import threading
from pathlib import Path
from typing import Any

from configs.settings import ExpertConfig, Settings, load_settings
from tools.spec import ToolContext

JOURNAL = "journal.txt"
FIGURE = "4711.25"
HUGE = "box " * 250_000


def look_up(item: str = "A") -> dict[str, str]:
    """A small result with a figure that is worth asking for again."""
    return {"item": item, "total": FIGURE}


def read_long(item: str = "A") -> str:
    """A result near the cap of an observation."""
    return f"{item}: " + "row of the long report. " * 600


def read_huge() -> str:
    """A result of a megabyte."""
    return HUGE


def read_broken() -> str:
    """A tool that raises."""
    message = "the shelf fell down"
    raise ValueError(message)


def read_hanging() -> str:
    """A tool that does not come back while the case lasts."""
    threading.Event().wait(2.5)
    return "too late"


def charge(context: ToolContext, *, item: str) -> dict[str, str]:
    """An irreversible effect."""
    _note(context, item)
    return {"charged": item}


def charge_and_break(context: ToolContext, *, item: str) -> dict[str, str]:
    """An irreversible effect that happens and then raises."""
    _note(context, item)
    message = "the line broke after the charge"
    raise RuntimeError(message)


def journal(data_dir: Path) -> list[str]:
    """What has happened, oldest first."""
    file = data_dir / JOURNAL
    return file.read_text(encoding="utf-8").split() if file.exists() else []


def fault_settings(data_dir: Path, base_url: str, **overrides: Any) -> Settings:  # noqa: ANN401 - any setting
    """Settings of the app: a real provider at `base_url`, short pauses, no recall."""
    models, desk_tools = overrides.pop("models", {}), overrides.pop("desk_tools", _DESK)
    values: dict[str, Any] = {
        "data_dir": data_dir,
        "experts": (_expert("desk", desk_tools), _expert("stock", _STOCK)),
        "recall": {"enabled": False},
        "hippocampus": {"facts": "embedded"},  # the requests of turns are counted, and no others
        "retries": {
            "first_pause_s": 0.02,
            "longest_pause_s": 0.1,
            "deadline_s": 5,
            "cooldown_s": 0.2,
        },
        "models": {
            "default": {
                "provider": "openai",
                "model": "gpt-4o",
                "base_url": base_url,
                "timeout_s": 2,
                "max_output_tokens": 400,
                **models,
            }
        },
        **overrides,
    }
    return load_settings(**values)


def _note(context: ToolContext, item: str) -> None:
    with (context.data_dir / JOURNAL).open("a", encoding="utf-8") as lines:
        lines.write(f"{item}\n")


def tool(
    name: str, effect: str = "read_only", *, function: str = "", **more: object
) -> dict[str, Any]:
    """A tool as an expert's file describes it."""
    return {
        "name": name,
        "function": f"{__name__}:{function or name}",
        "effect": effect,
        "description": f"Tool {name}.",
        "when": "a case says so",
        "returns": "what the case needs",
        **more,
    }


_DESK = [
    tool("look_up"),
    tool("read_long"),
    tool("read_huge", max_output_tokens=100),
    tool("read_broken"),
    tool("read_hanging", timeout_s=2),
    tool("charge", "irreversible"),
    tool("charge_and_break", "irreversible"),
]
_STOCK = [tool("count_stock")]


def count_stock(item: str = "A") -> dict[str, int]:
    """The other expert's tool."""
    return {f"stock of {item}": 3}


def _expert(name: str, tools: list[dict[str, Any]]) -> ExpertConfig:
    return ExpertConfig.model_validate(
        {
            "name": name,
            "title": name.title(),
            "description": f"Expert {name}.",
            "brief": f"You are {name}.",
            "tools": tools,
        }
    )
