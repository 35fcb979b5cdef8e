"""The `mcp` section: what a server may be, and what is refused with the right words."""

from pathlib import Path
from typing import Any

import pytest

from configs.errors import ConfigError
from configs.settings import load_settings

STDIO: dict[str, Any] = {"transport": "stdio", "command": "shop", "experts": ["*"]}
WEB: dict[str, Any] = {
    "transport": "streamable_http",
    "url": "https://shop.example/mcp",
    "experts": ["billing"],
}


def test_a_server_is_read_with_its_permissions(tmp_path: Path) -> None:
    said = ["pay it back"]
    tools = {"refund": {"effect": "irreversible", "approver_teams": ["finance"], "examples": said}}
    settings = load_settings(mcp={"shop": {**WEB, "tools": tools, "allow": ["re*"]}})
    server = settings.mcp["shop"]
    assert server.allows("refund")
    assert not server.allows("delete")
    assert not server.trust_annotations
    assert server.tools["refund"].examples == ("pay it back",)


@pytest.mark.parametrize(
    ("name", "server", "wanted"),
    [
        ("Shop", STDIO, "small letters"),
        ("my__shop", STDIO, "single underscores"),
        ("shop", {**STDIO, "command": None}, "a command"),
        ("shop", {**STDIO, "headers": {"X-Key": "KEY"}}, "neither url, headers"),
        ("shop", {**WEB, "url": "ws://shop.example"}, "begins with http://"),
        ("shop", {**WEB, "url": "https://ann:pw@shop.example/mcp"}, "without a password"),
        ("shop", {**WEB, "env": ["KEY"]}, "no command, args or env"),
        ("shop", {**WEB, "headers": {"X-Key": "not a name"}}, "text that matches"),
        ("shop", {**WEB, "experts": []}, "at least 1"),
        ("shop", {**WEB, "experts": ["nobody"]}, "'*' or an expert"),
        ("shop", {**WEB, "allow": ["a*"], "tools": {"b": {}}}, "lets through (not b)"),
        (
            "shop",
            {**WEB, "tools": {"b": {"effect": "read_only", "approval": True}}},
            "effects that ask a person",
        ),
        (
            "shop",
            {**WEB, "tools": {"b": {"effect": "idempotent", "approver_teams": ["f"]}}},
            "effects that ask a person",
        ),
        (
            "shop",
            {
                "transport": "websocket",
                "url": "wss://shop.example",
                "experts": ["*"],
                "bearer_env": "K",
            },
            "which sends none",
        ),
    ],
)
def test_a_wrong_server_is_refused(name: str, server: dict[str, Any], wanted: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_settings(mcp={name: server})
    assert "mcp" in str(refused.value)
    assert wanted in str(refused.value)
