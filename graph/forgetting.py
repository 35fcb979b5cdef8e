"""Forgetting across all stores: rows, checkpoints, vectors and the bytes on disk, with a receipt.

Checkpoints go first and are made anew from the turns that stay; the rows follow in one transaction;
the files are rewritten last. Stopped anywhere, the same command does the rest, and what only waits
for files to be rewritten is done by the next upkeep.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from graph.admission import Admission
from graph.errors import ThreadIsBusy, UserError
from graph.rebuilding import rebuild_state
from graph.recovery import Graph, is_unfinished
from graph.services import Services
from graph.upkeep import erase_everywhere
from memory.forgetting import Forgetting
from memory.receipts import Erased, Receipt, Target
from state import Context, thread_name
from tools.errors import ThreadBusy
from tools.lease import Lease

DRAIN_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be forgotten, and for whom."""

    target: Target
    also: tuple[str, ...]
    context: Context


class DeskForgetting:
    """Forgets for one open desk; every call names the user and checks what is the user's."""

    def __init__(self, graph: Graph, services: Services) -> None:
        """Bind the compiled graph and its services."""
        self._graph = graph
        self._services = services
        self._rows = Forgetting(services.database, services.facts, services.clock)
        self._admission = Admission(services.settings, services.transcript)

    async def ids(
        self, ids: Sequence[str], *, user: str, tenant: str = "default", memory_only: bool = False
    ) -> Request:
        """A request for items, facts, artifacts or turns by their ids.

        Args:
            ids: What to forget.
            user: Whose.
            tenant: Whose.
            memory_only: Leave the conversations they come from.
        """
        context = self._admission.context(user, tenant)
        target = await self._rows.resolve(context.scope, ids, memory_only=memory_only)
        return Request(target, tuple(ids), context)

    async def thread(self, thread: str, *, user: str, tenant: str = "default") -> Request:
        """A request for a whole thread.

        Raises:
            UserError: there is none, or it is not the user's.
        """
        key, context = await self._admission.owner(thread, tenant, user)
        return Request(Target("thread", (key,)), (), context)

    def user(self, user: str, tenant: str = "default") -> Request:
        """A request for everything of a user."""
        return Request(Target("user"), (), self._admission.context(user, tenant))

    async def rehearse(self, request: Request) -> Receipt:
        """What would be erased; nothing changes."""
        scope = request.context.scope
        return await self._rows.forget(scope, request.target, request.also, rehearse=True)

    async def run(self, request: Request) -> Receipt:
        """Forget.

        Raises:
            UserError: a thread is busy, or has an unfinished turn that is to stay.
            MemoryFault: an action of the target is not settled.
        """
        rehearsed = await self.rehearse(request)
        scope, keys = request.context.scope, sorted(rehearsed.turns)
        async with self._held(keys, request.context.user) as held:
            await self._services.background.drain(DRAIN_S)
            # What waits to be written would come after what is erased.
            await self._services.calls.drain()
            await self._services.tool_log.group.flush()
            left = [await self._checkpoints(key, rehearsed, request) for key in keys]
            for lease in held if request.target.level in ("thread", "user") else ():
                lease.ending = True  # its row is erased with its thread
            receipt = await self._rows.forget(scope, request.target, request.also)
            receipt.derived += [line for line in left if line]
            receipt.stores.append(Erased("checkpoints", len(keys)))
            receipt.stores += await erase_everywhere(self._services)
        receipt.stores.append(Erased("logs", 0, "none are kept on disk"))
        return receipt

    @asynccontextmanager
    async def _held(self, keys: Sequence[str], user: str) -> AsyncIterator[list[Lease]]:
        ttl_s = self._services.settings.limits.lease_s
        try:
            async with AsyncExitStack() as stack:
                holds = [self._services.leases.hold(key, user, ttl_s) for key in keys]
                yield [await stack.enter_async_context(hold) for hold in holds]
        except ThreadBusy as error:
            raise ThreadIsBusy(str(error)) from error

    async def _checkpoints(self, key: str, rehearsed: Receipt, request: Request) -> str:
        """Drop a thread's state; make it anew if turns stay."""
        config: RunnableConfig = {"configurable": {"thread_id": key}, "recursion_limit": 200}
        whole = request.target.level in ("thread", "user")
        if not whole and is_unfinished(await self._graph.aget_state(config)):
            message = (
                f"thread {thread_name(key)!r} has an unfinished turn. Finish it first "
                f"(`hippograph resume {thread_name(key)}`), then forget."
            )
            raise UserError(message)
        gone = set(rehearsed.turns[key])
        kept = [r for r in await self._services.transcript.records(key) if r["id"] not in gone]
        await self._drop(key)
        if whole or not kept:
            return f"thread {thread_name(key)}: its state is gone"
        await rebuild_state(self._graph, self._services, config, request.context, kept)
        return f"thread {thread_name(key)}: window and done-list made anew from {len(kept)} turns"

    async def _drop(self, key: str) -> None:
        saver: Any = self._graph.checkpointer
        await saver.adelete_thread(key)
        if isinstance(saver, AsyncSqliteSaver):
            async with saver.lock:
                found = await saver.conn.execute_fetchall(
                    "SELECT 1 FROM sqlite_master WHERE name = 'turn_boundaries'"
                )
                if list(found):
                    await saver.conn.execute(
                        "DELETE FROM turn_boundaries WHERE thread_id = ?", (key,)
                    )
                await saver.conn.commit()
