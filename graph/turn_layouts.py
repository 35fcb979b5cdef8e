"""Which tools and texts a thread's open turn is shown; a server's new tools wait for the next."""

from collections import OrderedDict
from typing import Final

from configs.settings import Settings
from graph.prompts import prompt_layout
from memory.layout import PromptLayout
from tools.mcp import McpServers
from tools.registry import Registry

MOST_THREADS: Final = 10_000


class TurnLayouts:
    """The layout of every thread's open turn; an unknown thread gets the newest."""

    def __init__(self, settings: Settings, registry: Registry, servers: McpServers) -> None:
        """Make the first layout."""
        self._settings = settings
        self._registry = registry
        self._servers = servers
        self._newest = prompt_layout(settings, registry)
        self._open: OrderedDict[str, PromptLayout] = OrderedDict()

    def of(self, thread: str) -> PromptLayout:
        """What the thread's modules are shown until its next turn begins."""
        return self._open.get(thread, self._newest)

    async def begin(self, thread: str) -> None:
        """A turn begins: take over what MCP servers offer by now."""
        if not self._servers:
            return
        await self._servers.ready()
        if await self._servers.take_over():
            self._newest = prompt_layout(self._settings, self._registry)
        self._open[thread] = self._newest
        self._open.move_to_end(thread)
        while len(self._open) > MOST_THREADS:
            self._open.popitem(last=False)
