"""Take back the last turns of a thread: state, transcript and memory go back, effects do not.

The transcript goes first: what it says is taken back is carried out, now or by the next process.
"""

import json
from collections.abc import Collection
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot

from graph.errors import CannotRollBack, UserError
from graph.rebuilding import rebuild_state
from graph.recovery import Graph, is_unfinished
from graph.replies import RollbackReport, pending_action
from graph.services import Services
from state import Context, TurnRecord, Undo, canonical_json, thread_name
from tools.effects import EffectRow

HAPPENED = ("done",)


class Rollback:
    """Forks the thread at an earlier turn boundary and asks for declared compensations."""

    def __init__(self, graph: Graph, services: Services) -> None:
        """Bind the compiled graph and its services."""
        self._graph = graph
        self._services = services

    async def run(self, config: RunnableConfig, context: Context, turns: int) -> RollbackReport:
        """Take back `turns` turns, the unfinished one counted first.

        Raises:
            CannotRollBack: the thread has fewer turns.
            UserError: an effect's outcome is unknown and has to be settled first.
        """
        key = config["configurable"]["thread_id"]
        snapshot = await self._graph.aget_state(config)
        records = await self._services.transcript.records(key)
        taken = [(record["id"], record["user"]) for record in records]
        if is_unfinished(snapshot):
            taken.append(_begun(snapshot.values, {turn_id for turn_id, _ in taken}))
        if not 0 < turns <= len(taken):
            raise CannotRollBack(turns, len(taken))
        gone = taken[len(taken) - turns :]
        turn_ids = [turn_id for turn_id, _ in gone if turn_id]
        await self._close_effects(key, turn_ids)
        await self._services.transcript.roll_back(key, turn_ids)
        cannot = await self._carry_out(config, context, turn_ids)
        pending = await self._services.ledger.pending(context.tenant, key)
        return RollbackReport(
            thread=thread_name(key),
            turns=[text for _, text in reversed(gone)],
            cannot_undo=cannot,
            compensations=[pending_action(row, self._services.registry) for row in pending],
        )

    async def finish(
        self, config: RunnableConfig, context: Context, snapshot: StateSnapshot
    ) -> bool:
        """Carry out what a killed process has only written down; False when there is nothing.

        An unfinished turn on top of those that were taken back goes with them.
        """
        turn, history = snapshot.values.get("turn") or {}, snapshot.values.get("history")
        last = history[-1]["id"] if history else turn.get("id", "")
        key = config["configurable"]["thread_id"]
        turn_ids = await self._services.transcript.taken_back_with(key, last)
        if not turn_ids:
            return False
        if turn and turn["id"] not in turn_ids:
            turn_ids.append(turn["id"])
        await self._carry_out(config, context, turn_ids)
        return True

    async def _close_effects(self, key: str, turn_ids: list[str]) -> None:
        ledger = self._services.ledger
        for turn_id in turn_ids:
            rows = await ledger.rows(key, turn_id)
            if any(row.status in ("started", "unsettled") for row in rows):
                message = (
                    "an action of these turns may or may not have happened. Settle it first "
                    "(`hippograph pending`), then roll back."
                )
                raise UserError(message)
            await ledger.close(key, turn_id, "rejected", "the turn was rolled back")

    async def _carry_out(
        self, config: RunnableConfig, context: Context, turn_ids: list[str]
    ) -> list[str]:
        """Bring memory and state to what the transcript says; returns what cannot be undone."""
        key = config["configurable"]["thread_id"]
        await self._forget(context, key, turn_ids)
        await self._fork(config, context, await self._services.transcript.records(key))
        rows = [
            row
            for turn_id in turn_ids
            for row in await self._services.ledger.rows(key, turn_id)
            if row.status in HAPPENED
        ]
        undo, cannot = await self._sort_out(rows, context)
        if undo:
            await self._ask(config, context, undo)
        return cannot

    async def _fork(self, config: RunnableConfig, context: Context, kept: list[TurnRecord]) -> None:
        """Make the boundary after the last kept turn the newest checkpoint; none: start afresh."""
        checkpointer: Any = self._graph.checkpointer
        if kept and await self._copy_boundary(config, kept[-1]["id"]):
            return
        await checkpointer.adelete_thread(config["configurable"]["thread_id"])
        if kept:
            await rebuild_state(self._graph, self._services, config, context, kept)

    async def _copy_boundary(self, config: RunnableConfig, turn_id: str) -> bool:
        async for snapshot in self._graph.aget_state_history(config):
            turn = snapshot.values.get("turn") or {}
            if not is_unfinished(snapshot) and turn.get("id") == turn_id:
                await self._graph.aupdate_state(snapshot.config, None, as_node="__copy__")
                return True
        return False

    async def _forget(self, context: Context, key: str, turn_ids: list[str]) -> None:
        if self._services.memory is not None:
            for turn_id in turn_ids:
                await self._services.memory.forget_turn(context.scope, key, turn_id)

    async def _sort_out(
        self, rows: list[EffectRow], context: Context
    ) -> tuple[list[Undo], list[str]]:
        """Newest effect first: those with a declared way back, and those without."""
        undo: list[Undo] = []
        cannot: list[str] = []
        for row in reversed(rows):
            spec = self._services.registry.get(row.tool)
            args = await self._undo_arguments(row, context)
            if spec is not None and spec.compensation and args is not None:
                undo.append({"expert": row.expert, "name": spec.compensation, "args": args})
            else:
                cannot.append(f"{row.tool}({canonical_json(row.args)})")
        return undo, cannot

    async def _undo_arguments(self, row: EffectRow, context: Context) -> dict[str, Any] | None:
        if row.artifact is None:
            return None
        artifact = await self._services.artifacts.get(context.scope, row.artifact)
        if artifact is None:
            return None
        try:
            result = json.loads(artifact.text)
        except ValueError:  # a tool may answer in words; then it names no way back
            return None
        found = result.get("undo") if isinstance(result, dict) else None
        return found if isinstance(found, dict) else None

    async def _ask(self, config: RunnableConfig, context: Context, undo: list[Undo]) -> None:
        names = ", ".join(item["name"] for item in undo)
        given = {"messages": [HumanMessage(f"Undo what was taken back: {names}")], "undo": undo}
        await self._graph.ainvoke(given, config, context=context, durability="sync")


def _begun(values: dict[str, Any], closed: Collection[str]) -> tuple[str, str]:
    """Id and words of the unfinished turn; a message that was not opened yet has no id."""
    turn = values.get("turn")
    if turn and turn["id"] not in closed:
        return turn["id"], turn["text"]
    return "", values["messages"][-1].text if values.get("messages") else ""
