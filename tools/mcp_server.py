"""One MCP server: a connection that is kept, comes back by itself, and never ends a turn."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar

from configs.mcp import McpServer
from state import Effect
from tools.errors import LinkLost, ToolError
from tools.mcp_link import Link
from tools.mcp_offer import KeptOffer, Offer
from tools.mcp_transport import open_link
from tools.spec import ToolContext

log = logging.getLogger(__name__)

Result = TypeVar("Result")
State: TypeAlias = Literal["idle", "connecting", "up", "down"]

PING_S: Final = 5.0
KEEP_ALIVE_S: Final = 30.0
LONGEST_PAUSE_S: Final = 60.0
SETTLE_S: Final = 0.1  # several list_changed in a row are one
CLOSE_S: Final = 8.0
ERROR_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class _Live:
    """A link while it is open; `gone` is set when it has ended."""

    link: Link
    gone: asyncio.Event = field(default_factory=asyncio.Event)


class Server:
    """Connects when it is first needed, tries again after a loss, keeps the last offer."""

    def __init__(self, name: str, config: McpServer, *, app_dir: Path, data_dir: Path) -> None:
        """Bind the configuration; nothing is connected yet.

        Args:
            name: the server's.
            config: how it is reached.
            app_dir: where a stdio server is started.
            data_dir: holds the last offer and what a stdio server wrote to stderr.
        """
        self.name = name
        self.config = config
        self.state: State = "idle"
        self.error = ""
        self.log = data_dir / "mcp" / f"{name}.log"
        self._app_dir = app_dir
        self._kept = KeptOffer(data_dir / "mcp" / f"{name}.json")
        self._offer: Offer | None = None
        self._live: _Live | None = None
        self._task: asyncio.Task[None] | None = None
        self._settled, self._signal, self._listed = (asyncio.Event() for _ in range(3))
        self._closing = self._changed = self._lost = False

    async def offer(self) -> Offer:
        """What the server offers, or offered when it could last be reached."""
        if self._offer is None:
            kept = await asyncio.to_thread(self._kept.load)
            self._offer = self._offer or kept
        return self._offer

    def start(self) -> None:
        """Begin to connect, without waiting for it."""
        if self._task is None and not self._closing:
            self._settled.clear()
            self._task = asyncio.create_task(self._keep(), name=f"mcp {self.name}")

    async def ready(self) -> None:
        """Wait until the first attempt to connect has ended, well or not."""
        self.start()
        await self._within(self._settled)

    async def listed(self) -> None:
        """Wait until what the server said has changed is known, or it is lost."""
        await self.ready()
        if self._live is not None and self._changed:
            await self._within(self._listed)

    async def _within(self, event: asyncio.Event) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), self.config.connect_timeout_s + PING_S)

    async def close(self) -> None:
        """End the connection, and the process of a stdio server."""
        self._closing = True
        self._signal.set()
        if self._task is None:
            return
        if self.state != "up":
            self._task.cancel()
        _, late = await asyncio.wait({self._task}, timeout=CLOSE_S)
        for task in late:
            task.cancel()

    async def call(
        self, tool: str, arguments: dict[str, Any], context: ToolContext, effect: Effect
    ) -> Any:  # noqa: ANN401 - whatever the tool returns
        """Call a tool; an effect is sent once, over a connection that has just answered.

        Raises:
            ToolError: the server cannot be reached, or the tool says that it failed.
            LinkLost: the connection broke while an effect was on its way.
        """
        key = context.idempotency_key
        outcome = await self.use(
            lambda link: link.call(tool, arguments, key), once=effect != "read_only"
        )
        if outcome.failed:
            raise ToolError(str(outcome.value) or f"{tool} failed and does not say why")
        return outcome.value

    async def use(self, work: Callable[[Link], Awaitable[Result]], *, once: bool = False) -> Result:
        """Do something over the connection; what is not `once` is tried again after a loss.

        Raises:
            ToolError: the server cannot be reached, or has refused.
            LinkLost: the connection broke, and the work is to be done once.
        """
        live = await self._connected(sure=once)
        try:
            return await _unless_gone(live, work(live.link))
        except LinkLost as lost:
            self._lose(live)
            if once:
                raise
            try:
                live = await self._connected(sure=True)
                return await _unless_gone(live, work(live.link))
            except LinkLost:
                raise self._unreachable(str(lost)) from lost

    async def _connected(self, *, sure: bool) -> _Live:
        """An open connection; with `sure` one that has answered just now.

        Raises:
            ToolError: there is none, and a new attempt has failed.
        """
        await self.ready()
        live = self._live
        if live is not None and sure:
            try:
                await _unless_gone(live, live.link.ping(PING_S))
            except (LinkLost, ToolError):
                self._lose(live)
                live = None
        if live is None:
            await self._try_again()
            live = self._live
        if live is None:
            raise self._unreachable(self.error)
        return live

    def _unreachable(self, why: str) -> ToolError:
        message = f"the MCP server {self.name} cannot be reached: {why}"
        hint = "say that it is not available now, and go on without it"
        return ToolError(message, kind="failed", retryable=True, hint=hint)

    async def _try_again(self) -> None:
        if self._live is None and not self._closing:
            self._settled.clear()
            self._signal.set()
            with suppress(TimeoutError):
                limit_s = 2 * (self.config.connect_timeout_s + PING_S)
                await asyncio.wait_for(self._settled.wait(), limit_s)

    def _lose(self, live: _Live) -> None:
        """Give a connection up; a newer one is left alone."""
        if self._live is live:
            self._live, self._lost = None, True
            live.gone.set()
            self._settled.clear()
            self._signal.set()

    async def _keep(self) -> None:
        """Own the connection: open it, serve it, and open it again after a pause."""
        tries = 0
        try:
            while not self._closing:
                self.state = "connecting"
                try:
                    await self._connect()
                    tries = 0
                except Exception as error:  # noqa: BLE001 - whatever a transport fails with
                    self._fail(error)
                    tries = 0 if self._lost else tries + 1
                if not self._closing:
                    await self._pause(tries)
        finally:
            self.state = "down"
            self._settled.set()

    async def _connect(self) -> None:
        self._lost = False
        async with asyncio.timeout(self.config.connect_timeout_s) as limit:
            async with open_link(
                self.name,
                self.config,
                folder=self._app_dir,
                log=self.log,
                on_change=self._on_change,
            ) as link:
                await self._take(await link.offer())
                limit.reschedule(None)
                live = self._live = _Live(link)
                self.state, self.error = "up", ""
                self._settled.set()
                try:
                    await self._serve(live)
                finally:
                    live.gone.set()
                    self._live = None
                    self._changed = False
                    self._listed.set()

    async def _serve(self, live: _Live) -> None:
        """Look after an open connection until it is lost or not wanted any more."""
        while True:
            try:
                await asyncio.wait_for(self._signal.wait(), KEEP_ALIVE_S)
            except TimeoutError:
                await live.link.ping(PING_S)
                continue
            self._signal.clear()
            if self._closing or self._lost:
                return
            if self._changed:
                await asyncio.sleep(SETTLE_S)
                self._changed = False
                await self._take(await live.link.offer())
                if not self._changed:
                    self._listed.set()

    async def _take(self, offer: Offer) -> None:
        if offer == self._offer:
            return
        self._offer = offer
        try:
            await asyncio.to_thread(self._kept.save, offer)
        except OSError as error:
            log.warning("what the MCP server %s offers cannot be kept: %s", self.name, error)

    def _on_change(self) -> None:
        self._changed = True
        self._listed.clear()
        self._signal.set()

    def _fail(self, error: BaseException) -> None:
        """Say why there is no connection; who waits for a new one is not told of the old one's end.

        Some transports notice the loss themselves (on Python 3.13 the pipe of a process does).
        """
        if self.state != "up":
            self._settled.set()
        self.state, self.error = "down", _reason(error)
        log.warning("the MCP server %s is down: %s", self.name, self.error)

    async def _pause(self, tries: int) -> None:
        """Wait before the next attempt; a call that needs the server ends the waiting."""
        if tries == 0:
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._signal.wait(), min(2.0**tries, LONGEST_PAUSE_S))
        self._signal.clear()


async def _unless_gone(live: _Live, work: Awaitable[Result]) -> Result:
    """The work's result; a connection that ends meanwhile ends the waiting for it.

    Raises:
        LinkLost: the connection has ended.
    """
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(live.gone.wait())
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if task.done() and not task.cancelled():
            return task.result()
        raise LinkLost("the connection has ended")
    finally:
        gone.cancel()
        if not task.done():
            task.cancel()
            task.add_done_callback(lambda late: late.cancelled() or late.exception())


def _reason(error: BaseException) -> str:
    """The first plain error in a group of them, on one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return "no answer in time"
    said = " ".join(str(error).split())[:ERROR_CHARS]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
