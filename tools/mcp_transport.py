"""How an MCP server is reached: a started process, or an address; secrets are read here only."""

import asyncio
import importlib
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from configs.environment import read_secret
from configs.mcp import McpServer
from tools.errors import McpUnconfigured
from tools.mcp_link import Link

if TYPE_CHECKING:
    import httpx
    from langchain_mcp_adapters.sessions import Connection
    from mcp import ClientSession, types
    from mcp.shared.session import RequestResponder


@asynccontextmanager
async def open_link(
    name: str,
    config: McpServer,
    *,
    folder: Path,
    log: Path,
    on_change: Callable[[], None],
) -> AsyncIterator[Link]:
    """Connect to a server and greet it.

    Args:
        name: the server's.
        config: how it is reached.
        folder: where a stdio server is started.
        log: the file that takes what a stdio server writes to its stderr.
        on_change: called when the server says that a list has changed; must not wait.

    Raises:
        McpUnconfigured: a variable of the environment is not set.
        Exception: whatever the transport raises when the server cannot be reached.
    """

    async def heard(
        message: "RequestResponder[types.ServerRequest, types.ClientResult]"
        " | types.ServerNotification | Exception",
    ) -> None:
        method = getattr(getattr(message, "root", None), "method", "")
        if method.endswith("/list_changed"):
            on_change()

    await asyncio.to_thread(_load_packages)
    secrets = _secrets(name, config)
    session_kwargs = {"message_handler": heard}
    async with _session(config, secrets, folder, log, session_kwargs) as session:
        greeting = await session.initialize()
        yield Link(session, greeting.capabilities)


@asynccontextmanager
async def _session(
    config: McpServer,
    secrets: Mapping[str, str],
    folder: Path,
    log: Path,
    session_kwargs: dict[str, Any],
) -> AsyncIterator["ClientSession"]:
    if config.transport == "stdio":
        async with _stdio(config, secrets, folder, log, session_kwargs) as session:
            yield session
        return
    from langchain_mcp_adapters.sessions import create_session  # noqa: PLC0415 - half a second

    connection: dict[str, Any] = {
        "transport": config.transport,
        "url": config.url,
        "session_kwargs": session_kwargs,
    }
    if config.transport != "websocket":
        headers = {header: secrets[variable] for header, variable in config.headers.items()}
        if config.bearer_env:
            headers["Authorization"] = f"Bearer {secrets[config.bearer_env]}"
        connection |= {"headers": headers, "httpx_client_factory": _http_client}
    async with create_session(cast("Connection", connection)) as session:
        yield session


@asynccontextmanager
async def _stdio(
    config: McpServer,
    secrets: Mapping[str, str],
    folder: Path,
    log: Path,
    session_kwargs: dict[str, Any],
) -> AsyncIterator["ClientSession"]:
    """A started server; the adapters would let it write into our own stderr."""
    from mcp import ClientSession, StdioServerParameters  # noqa: PLC0415 - half a second
    from mcp.client.stdio import stdio_client  # noqa: PLC0415 - half a second

    started = StdioServerParameters(
        command=config.command or "", args=list(config.args), env=dict(secrets), cwd=folder
    )
    errors = await asyncio.to_thread(_opened, log)
    try:
        async with (
            stdio_client(started, errlog=errors) as (read, write),
            ClientSession(read, write, **session_kwargs) as session,
        ):
            yield session
    finally:
        errors.close()


def _load_packages() -> None:
    """Import what a connection needs, which reads files."""
    for name in ("mcp.client.stdio", "langchain_mcp_adapters.sessions"):
        importlib.import_module(name)


def _opened(log: Path) -> TextIO:
    log.parent.mkdir(parents=True, exist_ok=True)
    return os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w")


def _secrets(name: str, config: McpServer) -> dict[str, str]:
    found: dict[str, str] = {}
    for variable in config.variables:
        secret = read_secret(variable)
        if secret is None:
            raise McpUnconfigured(name, variable)
        found[variable] = secret.get_secret_value()
    return found


def _http_client(
    headers: dict[str, str] | None = None,
    timeout: "httpx.Timeout | None" = None,
    auth: "httpx.Auth | None" = None,
) -> "httpx.AsyncClient":
    """A client that follows no redirect, which would carry our headers somewhere else."""
    import httpx  # noqa: PLC0415 - loaded when a server is used

    return httpx.AsyncClient(headers=headers, timeout=timeout, auth=auth, follow_redirects=False)
