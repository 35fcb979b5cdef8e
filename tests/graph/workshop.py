"""A small app whose tools do what tools should not: fail, hang, return too much, die half-way.

Every effect writes a line into `journal.jsonl` when it happens, so that a test counts what really
happened and not what anybody says about it.
"""

import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from configs.settings import ExpertConfig, Settings, load_settings
from tools.spec import ToolContext, ToolError

CANARY = "zq417-canary-payload"
JOURNAL = "journal.jsonl"
MEGABYTE = 1_000_000


class Odd:
    """An object with no JSON form."""

    def __repr__(self) -> str:
        return "<odd>"


def peek_shelf(shelf: str = "A") -> dict[str, Any]:
    return {"shelf": shelf, "marking": CANARY, "boxes": 3}


def count_boxes(shelf: str = "A") -> dict[str, int]:
    return {f"boxes on {shelf}": 3}


def read_broken() -> str:
    message = "the shelf fell down"
    raise ValueError(message)


def read_denied() -> str:
    raise ToolError("the shelf is locked", kind="denied", hint="ask the janitor")


def read_hanging() -> str:
    threading.Event().wait(30)
    return "too late"


async def read_exiting() -> str:
    raise SystemExit(3)


def read_huge() -> str:
    return "box " * (MEGABYTE // 4)


def read_odd() -> Any:  # noqa: ANN401 - whatever a tool returns
    import numpy as np  # noqa: PLC0415 - only this tool needs it

    value = {"array": np.arange(3), "number": np.float64(2.5), "set": {1, 2}, "nan": float("nan")}
    return {**value, "object": Odd(), "lock": threading.Lock(), "bytes": b"\x00\xff", 7: "\ud800"}


def press_button(
    context: ToolContext, *, item: str, amount: Annotated[float, Field(gt=0)] = 1.0
) -> dict[str, Any]:
    """An irreversible effect that nobody can look up."""
    die_at(context, "before")
    note_down(context, "press_button", item=item, amount=amount)
    die_at(context, "after")
    return {"pressed": item, "amount": amount}


def pull_lever(context: ToolContext, *, item: str) -> dict[str, Any]:
    """An irreversible effect that can be looked up."""
    die_at(context, "before")
    note_down(context, "pull_lever", item=item)
    die_at(context, "after")
    return {"pulled": item, "marking": CANARY}


def settle_lever(context: ToolContext, **_: object) -> dict[str, Any]:
    happened = any(line["key"] == context.idempotency_key for line in journal(context.data_dir))
    return {"happened": happened, "result": {"pulled": "found by look-up"}}


def say_plainly(context: ToolContext, *, item: str) -> str:
    """An irreversible effect whose result is no JSON."""
    note_down(context, "say_plainly", item=item)
    return f"{item} was said, and cannot be unsaid"


def charge_oddly(context: ToolContext, *, item: str) -> object:
    """An effect that happens and then returns what no checkpoint can hold."""
    note_down(context, "charge_oddly", item=item)
    return read_odd()


def move_box(context: ToolContext, *, to: str) -> dict[str, Any]:
    """An idempotent effect with a way back."""
    note_down(context, "move_box", to=to)
    return {"moved_to": to, "undo": {"to": "shelf A"}}


def burn_box(context: ToolContext, *, item: str) -> dict[str, Any]:
    """An irreversible effect with a declared compensation that needs approval."""
    note_down(context, "burn_box", item=item)
    return {"burnt": item, "undo": {"item": item}}


def rebuild_box(context: ToolContext, *, item: str) -> dict[str, Any]:
    note_down(context, "rebuild_box", item=item)
    return {"rebuilt": item}


def hang_up(context: ToolContext, *, item: str) -> dict[str, Any]:
    """An effect that happens and does not come back in time."""
    note_down(context, "hang_up", item=item)
    time.sleep(1.5)
    return {"hung": item}


def break_half_way(context: ToolContext, *, item: str) -> dict[str, Any]:
    """An effect that happens and then raises."""
    note_down(context, "break_half_way", item=item)
    message = "it broke after it had happened"
    raise RuntimeError(message)


def refuse_politely(*, item: str) -> dict[str, Any]:
    raise ToolError(f"{item} is too heavy", kind="conflict")


def note_down(context: ToolContext, tool: str, **args: object) -> None:
    line = {"tool": tool, "key": context.idempotency_key, "args": args}
    with (context.data_dir / JOURNAL).open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(line) + "\n")


def journal(data_dir: Path) -> list[dict[str, Any]]:
    """What has happened, oldest first."""
    file = data_dir / JOURNAL
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def happened(data_dir: Path) -> list[str]:
    """Names of the tools whose effect has happened, in order."""
    return [line["tool"] for line in journal(data_dir)]


def die_at(context: ToolContext, place: str) -> None:
    """End the process here, without any clean-up, if a test has asked for it; once."""
    order = context.data_dir / f"die_{place}"
    if order.exists():
        order.unlink()
        os.kill(os.getpid(), signal.SIGKILL)


def _tool(name: str, effect: str = "read_only", **more: object) -> dict[str, Any]:
    return {
        "name": name,
        "function": f"tests.graph.workshop:{name}",
        "effect": effect,
        "description": f"Tool {name}.",
        "when": "a test says so",
        "returns": "what the test needs",
        **more,
    }


_HANDS = [
    _tool("peek_shelf"),
    _tool("press_button", "irreversible"),
    _tool("pull_lever", "irreversible", settle="tests.graph.workshop:settle_lever"),
    _tool("say_plainly", "irreversible"),
    _tool("charge_oddly", "irreversible"),
    _tool("move_box", "idempotent", compensation="move_box"),
    _tool("burn_box", "irreversible", compensation="rebuild_box"),
    _tool("rebuild_box", "irreversible"),
    _tool("hang_up", "irreversible", timeout_s=0.2),
    _tool("break_half_way", "irreversible"),
    _tool("refuse_politely", "irreversible"),
]
_EYES = [
    _tool("count_boxes"),
    _tool("read_broken"),
    _tool("read_denied"),
    _tool("read_hanging", timeout_s=0.2),
    _tool("read_exiting"),
    _tool("read_huge", max_output_tokens=100),
    _tool("read_odd"),
    _tool("sign_off", "irreversible", approver_teams=["finance"]),
]


def sign_off(context: ToolContext, *, item: str) -> dict[str, Any]:
    """An effect that a team approves, not the person who asks."""
    note_down(context, "sign_off", item=item)
    return {"signed": item}


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


def workshop(data_dir: Path, **overrides: Any) -> Settings:  # noqa: ANN401 - any setting
    """Settings of the app: experts `eyes` and `hands`, no recall unless asked for."""
    values: dict[str, Any] = {
        "data_dir": data_dir,
        "experts": (_expert("eyes", _EYES), _expert("hands", _HANDS)),
        "recall": {"enabled": False},
        "hippocampus": {"drain_s": 60.0},
        **overrides,
    }
    return load_settings(**values)
