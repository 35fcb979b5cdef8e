"""All MCP servers of an application: their tools in the registry, their resources and prompts.

A server's list that changes takes effect between turns, when `take_over` is called: inside a turn
the tools stand still, so that prompts keep their prefix.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from configs.mcp import McpServer, shown_name
from tools.errors import ToolError
from tools.mcp_link import Link
from tools.mcp_offer import Offer
from tools.mcp_server import Server, State
from tools.mcp_specs import Limits, tools_of
from tools.registry import Registry
from tools.spec import ToolSpec

SEPARATOR: Final = "::"


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """How a server is, for people; the offer is the last known one where it is down."""

    name: str
    transport: str
    state: State
    error: str
    offer: Offer
    tools: tuple[ToolSpec, ...]


class McpServers:
    """The servers by name; without any, nothing is imported and nothing runs."""

    def __init__(
        self,
        configs: Mapping[str, McpServer],
        *,
        app_dir: Path,
        data_dir: Path,
        limits: Limits,
    ) -> None:
        """Bind the servers; nothing is connected yet."""
        self._servers = {
            name: Server(name, config, app_dir=app_dir, data_dir=data_dir)
            for name, config in sorted(configs.items())
        }
        self._limits = limits
        self._own: tuple[ToolSpec, ...] = ()
        self._taken: dict[str, Offer] = {}
        self._registry: Registry | None = None

    async def bind(self, registry: Registry) -> None:
        """Put the tools last known into the registry, beside those that are there."""
        self._registry, self._own = registry, tuple(registry)
        await self.take_over()

    def start(self) -> None:
        """Begin to connect all servers, without waiting."""
        for server in self._servers.values():
            server.start()

    async def ready(self) -> None:
        """Wait until every server is connected and its list read, or has failed to."""
        await asyncio.gather(*(server.listed() for server in self._servers.values()))

    async def take_over(self) -> bool:
        """Bring the registry up to what the servers offer now; whether it has changed."""
        offers = {name: await server.offer() for name, server in self._servers.items()}
        if self._registry is None or offers == self._taken:
            return False
        taken = {spec.name for spec in self._own}
        specs = [
            spec
            for name, offer in offers.items()
            for spec in self._specs(name, offer)
            if spec.name not in taken
        ]
        self._registry.replace([*self._own, *specs])
        self._taken = offers
        return True

    async def status(self) -> list[ServerStatus]:
        """How every server is, sorted by name."""
        found = []
        for name, server in self._servers.items():
            offer = await server.offer()
            found.append(
                ServerStatus(
                    name=name,
                    transport=server.config.transport,
                    state=server.state,
                    error=server.error,
                    offer=offer,
                    tools=tuple(self._specs(name, offer)),
                )
            )
        return found

    async def read_resource(self, server: str, uri: str) -> str:
        """The text of a resource.

        Raises:
            ToolError: there is no such server or resource, or it cannot be reached.
        """
        return await self._ask(server, lambda link: link.read(uri))

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> str:
        """A prompt of a server as text, for a person to send.

        Args:
            name: as `server::prompt`.
            arguments: by name.

        Raises:
            ToolError: there is no such prompt, or its server cannot be reached.
        """
        server, separator, prompt = name.partition(SEPARATOR)
        if not separator:
            raise ToolError(f"wanted server::prompt, came {name!r}", kind="not_found")
        return await self._ask(server, lambda link: link.prompt(prompt, arguments))

    async def close(self) -> None:
        """End every connection and every server that was started."""
        await asyncio.gather(*(server.close() for server in self._servers.values()))

    def __len__(self) -> int:
        """How many servers there are."""
        return len(self._servers)

    async def _ask(self, name: str, work: Callable[[Link], Awaitable[str]]) -> str:
        server = self._known(name)
        limit_s = server.config.timeout_s or self._limits.timeout_s
        try:
            async with asyncio.timeout(limit_s):
                return await server.use(work)
        except TimeoutError as error:
            message = f"the MCP server {name} did not answer within {limit_s:g} s"
            raise ToolError(message, kind="timeout", retryable=True) from error

    def _known(self, name: str) -> Server:
        if name not in self._servers:
            known = ", ".join(self._servers) or "there is none"
            raise ToolError(f"wanted an MCP server ({known}), came {name!r}", kind="not_found")
        return self._servers[name]

    def _specs(self, name: str, offer: Offer) -> Iterable[ToolSpec]:
        server = self._servers[name]

        async def read(uri: str) -> str:
            return await self.read_resource(name, uri)

        return tools_of(
            name, server.config, offer, limits=self._limits, call=server.call, read=read
        )


def known_prompts(status: Iterable[ServerStatus]) -> dict[str, Any]:
    """Prompts by `server::prompt`, with their arguments; optional ones end in `?`."""
    return {
        shown_name(one.name, prompt.name): list(prompt.arguments)
        for one in status
        for prompt in one.offer.prompts
    }
