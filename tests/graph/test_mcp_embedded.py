"""The embedded default uses the tools of a real MCP server like those of the app."""

import sys
from pathlib import Path

import pytest
import yaml

from configs.settings import load_settings
from graph.cli_init import make_app
from graph.session import open_desk
from tests.tools.mcp_parts import SHOP, lines

FIND = [
    "who is customer 7",
    "look up Ana Silva",
    "find the client called Bo Lind",
    "customer Meyer",
]
ORDER = ["where is order OR-1001", "has OR-1002 been packed", "state of the order OR-1003"]
SEND = [
    "send a note saying we open at nine",
    "write them a note: thank you",
    "note to the customer",
]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
def app(tmp_path: Path, journal: Path) -> Path:
    folder = tmp_path / "app"
    make_app(folder)
    for file in (folder / "experts").iterdir():
        if file.stem != "reminders":
            file.unlink()
    settings = yaml.safe_load((folder / "app.yaml").read_text("utf-8"))
    settings["mcp"] = {
        "shop": {
            "transport": "stdio",
            "command": sys.executable,
            "args": [str(SHOP), "stdio", "0", str(journal)],
            "experts": ["reminders"],
            "allow": ["find_*", "send_note"],
            "tools": {
                "find_customer": {"effect": "read_only", "examples": FIND},
                "find_order": {"effect": "read_only", "examples": ORDER},
                "send_note": {"examples": SEND},
            },
        }
    }
    (folder / "app.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("text", "tool", "args"),
    [
        ("has OR-1077 left yet?", "shop__find_order", {"order": "OR-1077"}),
        ("look up Maria Santos", "shop__find_customer", {"name": "Maria Santos"}),
        ("what are my reminders?", "list_reminders", {}),
    ],
)
async def test_tools_of_a_server_are_chosen_and_filled_beside_the_apps_own(
    text: str, tool: str, args: dict[str, str], app: Path
) -> None:
    async with open_desk(load_settings(app)) as desk:
        reply = await desk.ask(thread="t", user="local", text=text)
        (record,) = (await desk.show("t", "local"))[0]["modules"]
    assert reply.status == "done"
    (call,) = record["calls"]
    assert call["name"] == tool, reply.text
    assert args.items() <= call["args"].items()
    assert all(value in reply.text for value in args.values())


async def test_what_nobody_has_judged_asks_a_person(app: Path, journal: Path) -> None:
    async with open_desk(load_settings(app)) as desk:
        text = "send a note saying the parcel is here"
        reply = await desk.ask(thread="t", user="local", text=text)
        assert reply.status == "waiting", reply.text
        (action,) = reply.pending
        assert action.title == "shop::send_note"
        assert "the parcel is here" in action.args["text"]
        assert lines(journal) == []
        await desk.decide("t", [{"id": action.id, "type": "reject"}], user="local")
    assert lines(journal) == []
