"""A real MCP server, written with the official SDK: `python mcp_shop.py TRANSPORT PORT JOURNAL`."""

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Annotated, Any

from mcp.server.fastmcp import Context, FastMCP
from mcp.types import ToolAnnotations
from pydantic import Field

READS = ToolAnnotations(readOnlyHint=True)
TRANSPORT, PORT, JOURNAL = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
LONG = "a_tool_whose_name_is_so_long_that_no_provider_would_take_it_as_it_is"

shop = FastMCP("shop", port=PORT, log_level="WARNING")


def note(what: str, context: Context[Any, Any, Any]) -> None:
    meta = context.request_context.meta
    key = (meta.model_extra or {}).get("hippograph/idempotency-key", "") if meta else ""
    with JOURNAL.open("a", encoding="utf-8") as lines:
        lines.write(f"{what} {key}\n")


@shop.tool(annotations=READS)
def find_customer(name: str, limit: int = 3) -> dict[str, Any]:
    """Find a customer by name."""
    return {"name": name, "limit": limit, "process": os.getpid()}


@shop.tool(annotations=READS)
def find_order(
    order: Annotated[str, Field(description="The order, such as OR-1042")],
) -> dict[str, Any]:
    """Find an order: its state and when it comes."""
    return {"order": order, "state": "packed"}


@shop.tool()
def send_note(text: str, context: Context[Any, Any, Any]) -> str:
    """Send a note to a customer."""
    note(f"sent {text}", context)
    return f"sent: {text}"


@shop.tool()
def send_and_die(text: str, context: Context[Any, Any, Any]) -> str:
    """An effect that happens, after which the server is gone."""
    note(f"died {text}", context)
    os._exit(3)


@shop.tool(annotations=READS)
def read_huge() -> str:
    return "box " * 250_000


@shop.tool(annotations=READS)
def read_failing() -> str:
    message = "the shelf fell down"
    raise ValueError(message)


@shop.tool(annotations=READS)
async def read_hanging() -> str:
    await asyncio.sleep(30)
    return "too late"


@shop.tool(annotations=READS)
def read_secret() -> str:
    return f"my token is {os.environ.get('SHOP_TOKEN')}, other: {os.environ.get('NOT_FOR_SHOPS')}"


@shop.tool(name=LONG, annotations=READS)
def read_long() -> str:
    return "long"


@shop.tool(annotations=READS)
async def read_more(context: Context[Any, Any, Any]) -> str:
    """Makes the server offer one more tool."""
    shop.add_tool(read_fresh, annotations=READS)
    await context.session.send_tool_list_changed()
    return "there is a new tool"


def read_fresh() -> str:
    return f"fresh at {time.time():.0f}"


@shop.resource("memo://opening-hours", description="When the shop is open.")
def opening_hours() -> str:
    return "nine to five"


@shop.resource("memo://customer/{name}")
def customer_memo(name: str) -> str:
    return f"{name} likes boxes"


@shop.prompt()
def greet(name: str) -> str:
    """Greets a customer."""
    return f"Write a greeting for {name}."


def serve_websocket() -> None:
    import uvicorn  # noqa: PLC0415 - one transport's
    from mcp.server.websocket import websocket_server  # noqa: PLC0415 - one transport's
    from starlette.applications import Starlette  # noqa: PLC0415 - one transport's
    from starlette.routing import WebSocketRoute  # noqa: PLC0415 - one transport's

    server = shop._mcp_server

    async def endpoint(websocket: Any) -> None:  # noqa: ANN401 - starlette's
        async with websocket_server(websocket.scope, websocket.receive, websocket.send) as (
            read,
            write,
        ):
            await server.run(read, write, server.create_initialization_options())

    app = Starlette(routes=[WebSocketRoute("/ws", endpoint)])
    uvicorn.run(app, port=PORT, log_level="warning")


if __name__ == "__main__":
    if TRANSPORT == "websocket":
        serve_websocket()
    else:
        shop.run(TRANSPORT)  # type: ignore[arg-type]  # one of the SDK's literals
