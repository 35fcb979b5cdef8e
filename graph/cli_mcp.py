"""`hippograph mcp`: what the MCP servers of an application offer, and how they are."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from configs.settings import load_settings
from graph.cli_options import FAILED, OK, Door, UsageError
from graph.cli_run import run
from graph.cli_screen import Screen, shortened
from graph.tooling import open_mcp
from tools.errors import ToolError
from tools.mcp import McpServers, ServerStatus
from tools.registry import Registry
from tools.spec import ToolSpec

SHOWN_CHARS = 60


def servers(door: Door) -> int:
    """Connect every server and list what it offers; gives 1 when one cannot be reached."""

    async def work(screen: Screen) -> int:
        async with _opened(door) as opened:
            with screen.progress("Connecting"):
                await opened.ready()
            found = await opened.status()
        if not found:
            screen.say("No MCP server is configured; see `mcp` in app.yaml.")
        for status in found:
            _show(status, screen)
        screen.document({"servers": [_document(status) for status in found]})
        return OK if all(status.state == "up" for status in found) else FAILED

    return run(door, work)


def read(door: Door, server: str, uri: str) -> int:
    """Print a resource."""
    return _print(door, lambda opened: opened.read_resource(server, uri))


def prompt(door: Door, name: str, given: Sequence[str]) -> int:
    """Print a prompt, its arguments given as `name=value`."""
    return _print(door, lambda opened: opened.prompt(name, _arguments(given)))


def _arguments(given: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    for key, equals, _ in pairs:
        if not (key and equals):
            message = f"wanted --arg NAME=VALUE, came {key!r}"
            raise UsageError(message)
    return {key: value for key, _, value in pairs}


def _print(door: Door, ask: Callable[[McpServers], Awaitable[str]]) -> int:
    async def work(screen: Screen) -> int:
        async with _opened(door) as opened:
            try:
                with screen.progress("Asking the server"):
                    text = await ask(opened)
            except ToolError as error:
                screen.fail(f"{error.message}. `hippograph mcp` lists what there is.", kind="mcp")
                return FAILED
        screen.say(text)
        screen.document({"text": text})
        return OK

    return run(door, work)


@asynccontextmanager
async def _opened(door: Door) -> AsyncIterator[McpServers]:
    opened = await open_mcp(load_settings(door.app), Registry([]))
    try:
        yield opened
    finally:
        await opened.close()


def _show(status: ServerStatus, screen: Screen) -> None:
    well = status.state == "up"
    why = f": {status.error}" if status.error else ""
    style = "bold green" if well else "bold red"
    screen.say(f"{status.name} ({status.transport}) is {status.state}{why}", style)
    if not well and status.tools:
        screen.say("  last known tools:")
    rows = [
        [one.title, one.effect, "asks" if one.approval else "", _experts(one), _what(one)]
        for one in status.tools
    ]
    if rows:
        screen.table(["tool", "effect", "approval", "experts", ""], rows)
    for resource in status.offer.resources:
        screen.say(f"  resource {resource.uri} {shortened(resource.description, SHOWN_CHARS)}")
    for one in status.offer.prompts:
        screen.say(f"  prompt {status.name}::{one.name}({', '.join(one.arguments)})")


def _experts(tool: ToolSpec) -> str:
    return ", ".join((tool.expert, *tool.shared_with)).replace("*", "all")


def _what(tool: ToolSpec) -> str:
    return shortened(tool.description, SHOWN_CHARS)


def _document(status: ServerStatus) -> dict[str, Any]:
    return {
        "name": status.name,
        "transport": status.transport,
        "state": status.state,
        "error": status.error,
        "tools": [
            {
                "name": one.title,
                "wire_name": one.name,
                "effect": one.effect,
                "approval": one.approval,
                "experts": [one.expert, *one.shared_with],
                "description": one.description,
            }
            for one in status.tools
        ],
        "resources": list(status.offer.resources),
        "prompts": list(status.offer.prompts),
    }
