"""Bring an unfinished thread as far as it can go without a person.

The ledger is asked, not LangGraph's interrupts: after a kill a thread may still show a consumed
approval as pending, or lack one that the ledger holds.
"""

from collections.abc import Awaitable, Callable, Collection
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Interrupt, StateSnapshot

from nodes.execute_effects import DECIDED_IN_LEDGER
from state import Context
from tools.ledger import Ledger

Graph = CompiledStateGraph[Any, Context, Any, Any]
Rebuild = Callable[[RunnableConfig, Context], Awaitable[None]]
FinishRollback = Callable[[RunnableConfig, Context, StateSnapshot], Awaitable[bool]]
CLOSED = ("DONE", "FAILED")


def is_unfinished(snapshot: StateSnapshot) -> bool:
    """Whether a turn was begun and not closed.

    `snapshot.next` does not tell: it leaves out tasks that a kill has parted from their checkpoint,
    after they had written.
    """
    if snapshot.tasks:
        return True
    return snapshot.values.get("status", "DONE") not in CLOSED


class Recovery:
    """Continue what a crash, a decision or a new version of the graph has left."""

    def __init__(
        self,
        graph: Graph,
        ledger: Ledger,
        fingerprint: str,
        rebuild: Rebuild,
        finish_rollback: FinishRollback,
    ) -> None:
        """Bind the compiled graph.

        Args:
            graph: the compiled graph.
            ledger: what has been decided.
            fingerprint: the graph's.
            rebuild: makes the state of a thread whose checkpoints are lost from its transcript.
            finish_rollback: takes turns out of the state that the transcript has not any more.
        """
        self._graph = graph
        self._ledger = ledger
        self._fingerprint = fingerprint
        self._rebuild = rebuild
        self._finish_rollback = finish_rollback

    async def run(self, config: RunnableConfig, context: Context) -> bool:
        """Resume the thread until it ends or waits for a person; True when it waits."""
        snapshot = await self._graph.aget_state(config)
        if not snapshot.values:
            await self._rebuild(config, context)
            return False
        if await self._finish_rollback(config, context, snapshot):
            return is_unfinished(await self._graph.aget_state(config))
        if not is_unfinished(snapshot):
            return False
        await self._resume(snapshot, config, context)
        return is_unfinished(await self._graph.aget_state(config))

    async def _resume(
        self, snapshot: StateSnapshot, config: RunnableConfig, context: Context
    ) -> None:
        if self._is_foreign(snapshot):
            await self._restart(config, context, snapshot)
            return
        waiting = await self._waiting(config, context)
        answers = _answerable(snapshot.interrupts, waiting)
        if answers:
            await self._go(Command(resume=answers), config, context)
            snapshot = await self._graph.aget_state(config)
            if not _answerable(snapshot.interrupts, await self._waiting(config, context)):
                return
        if not snapshot.interrupts or answers:
            await self._go(None, config, context)

    def _is_foreign(self, snapshot: StateSnapshot) -> bool:
        """Whether another graph wrote the checkpoint, or its next node is gone."""
        written = snapshot.values.get("fingerprint", self._fingerprint)
        return written != self._fingerprint or not snapshot.tasks

    async def _restart(
        self, config: RunnableConfig, context: Context, snapshot: StateSnapshot
    ) -> None:
        """Go on from the last safe node: experts find what they did in ledger and artifacts."""
        routed = bool(snapshot.values.get("plan", {}).get("experts"))
        await self._graph.aupdate_state(
            config, {"fingerprint": self._fingerprint}, as_node="route" if routed else "recall"
        )
        await self._go(None, config, context)

    async def _waiting(self, config: RunnableConfig, context: Context) -> set[str]:
        thread = config["configurable"]["thread_id"]
        await self._ledger.expire(thread)
        return {row.id for row in await self._ledger.pending(context.tenant, thread)}

    async def _go(self, given: Any, config: RunnableConfig, context: Context) -> None:  # noqa: ANN401
        await self._graph.ainvoke(given, config, context=context, durability="sync")


def _answerable(interrupts: Collection[Interrupt], waiting: Collection[str]) -> dict[str, Any]:
    """Resume values for the pauses of which nothing waits for a person any more."""
    return {
        pause.id: DECIDED_IN_LEDGER
        for pause in interrupts
        if not any(request["id"] in waiting for request in pause.value["action_requests"])
    }
