"""The Python door: `async with open_desk() as desk: await desk.ask(...)`."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import datetime
from functools import partial
from typing import Any, Literal

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver

from configs.settings import Settings, load_settings
from graph.admission import Admission, check, is_number
from graph.background_door import BackgroundDoor
from graph.build import build_graph
from graph.checkpoints import open_checkpointer
from graph.errors import DecisionRefused, NothingToCancel, ThreadIsBusy
from graph.events import ending, read_events
from graph.feedback_door import FeedbackDoor
from graph.hippocampus import bind_background
from graph.pruning import Pruning
from graph.rebuilding import rebuild_lost
from graph.recovery import Graph, Recovery, is_unfinished
from graph.replies import (
    Event,
    PendingAction,
    Reply,
    RollbackReport,
    Standing,
    ThreadInfo,
    for_reviewer,
    pending_action,
    read_reply,
)
from graph.rollback import Rollback
from graph.services import Services, create_services, utc_now
from graph.thread_door import ThreadDoor
from state import Context, thread_name
from tools.approvals import parse_decisions
from tools.errors import DecisionError, LedgerError, ThreadBusy
from tools.ledger import TransitionHook

__all__ = [
    "Desk",
    "Event",
    "PendingAction",
    "Reply",
    "RollbackReport",
    "Standing",
    "ThreadInfo",
    "open_desk",
]

QUEUE_S = 600.0
DRAIN_S = 10.0
ON_BUSY = ("refuse", "queue")
WAITING = (
    "This thread waits for a decision on the action below. Decide it or cancel it, then send your "
    "message again; it was not taken."
)


@asynccontextmanager
async def open_desk(
    settings: Settings | None = None,
    *,
    models: Mapping[Any, BaseChatModel] | None = None,
    clock: Callable[[], datetime] = utc_now,
    on_transition: TransitionHook | None = None,
) -> AsyncIterator["Desk"]:
    """Open databases, models and graph; drain background work and close them at the end.

    Args:
        settings: default `load_settings()`.
        models: chat models by role instead of the configured ones.
        clock: tells the time, aware.
        on_transition: called after each step of the effects ledger.
    """
    chosen = await asyncio.to_thread(load_settings) if settings is None else settings
    services = await create_services(
        chosen, models=models, clock=clock, on_transition=on_transition
    )
    try:
        async with open_checkpointer(chosen) as saver:
            try:
                yield Desk(services, saver)
            finally:
                await services.background.close(chosen.hippocampus.drain_s)
    finally:
        await services.close()


class Desk(ThreadDoor, BackgroundDoor, FeedbackDoor):
    """One application, open: every call names its thread and user and checks both."""

    def __init__(self, services: Services, saver: BaseCheckpointSaver[str]) -> None:
        """Compile the graph on a checkpointer; see `open_desk`."""
        built = build_graph(services)
        self.services = services
        self.graph: Graph = built.compile(checkpointer=saver, name="desk")
        if "background" not in vars(services):  # a server has bound it already
            bind_background(services)
        self._admission = Admission(services.settings, services.transcript)
        rebuild = partial(rebuild_lost, self.graph, services)
        self._rollback = Rollback(self.graph, services)
        self._recovery = Recovery(
            self.graph, services.ledger, services.fingerprint, rebuild, self._rollback.finish
        )
        self._pruning = Pruning(saver)

    async def ask(
        self,
        *,
        thread: str,
        user: str,
        text: str,
        tenant: str = "default",
        on_busy: Literal["refuse", "queue"] = "refuse",
    ) -> Reply:
        """Send one message and wait for the answer, or for the pause before an approval.

        Raises:
            UserError: the message, thread or user cannot be used; nothing has changed.
        """
        entered = self._enter(thread, user, text, tenant, on_busy)
        async with entered as (config, context, given, refusal):
            if refusal is not None:
                return refusal
            await self.graph.ainvoke(given, config, context=context, durability="sync")
            return await self._reply(config, context)

    async def stream(
        self,
        *,
        thread: str,
        user: str,
        text: str,
        tenant: str = "default",
        on_busy: Literal["refuse", "queue"] = "refuse",
    ) -> AsyncIterator[Event]:
        """Like `ask`, with an event for each step; the last one carries the reply."""
        entered = self._enter(thread, user, text, tenant, on_busy)
        async with entered as (config, context, given, refusal):
            reply = refusal
            if reply is None:
                async with aclosing(read_events(self.graph, given, config, context)) as events:
                    async for event in events:
                        yield event
                reply = await self._reply(config, context)
        for event in ending(reply):
            yield event

    @asynccontextmanager
    async def _enter(
        self, thread: str, user: str, text: str, tenant: str, on_busy: str
    ) -> AsyncIterator[tuple[RunnableConfig, Context, dict[str, Any], Reply | None]]:
        """Admit a message, its secrets masked, and hold the thread, or reply why it cannot."""
        wanted = "'refuse' or 'queue' in on_busy"
        check(on_busy in ON_BUSY, wanted, on_busy, "Leave it out to be refused while another runs.")
        context = self._admission.context(user, tenant)
        question = await asyncio.to_thread(self._admission.question, text, self.services.masking)
        key = await self._admission.claim(thread, context)
        config = self._config(key)
        async with self._hold(key, user, QUEUE_S if on_busy == "queue" else 0.0):
            if await self._recovery.run(config, context):
                pending = await self._pending(tenant, key)
                yield config, context, {}, Reply("waiting", WAITING, thread, pending=pending)
                return
            with self.services.admitted(key):
                yield config, context, {"messages": [question]}, None

    async def decide(
        self,
        thread: str,
        decisions: Sequence[Mapping[str, Any]] | Mapping[str, Any],
        *,
        user: str,
        tenant: str = "default",
    ) -> Reply:
        """Decide pending actions and let the thread go on.

        Args:
            thread: the thread's name.
            decisions: each `{"id", "type": "approve" | "edit" | "reject" | "respond", …}`; or
                LangChain's `{"decisions": […]}`.
            user: who decides; need not be the thread's owner where a tool names approver teams.
            tenant: the thread's tenant.

        Raises:
            DecisionRefused: why a decision cannot be taken; nothing has changed.
        """
        listed = isinstance(decisions, Iterable) and not isinstance(decisions, str | bytes)
        step = "`pending` gives the ids."
        check(listed, "decisions as a list of objects with 'id' and 'type'", decisions, step)
        reviewer = self._admission.context(user, tenant)
        key, owner = await self._admission.owner(thread, tenant)
        services = self.services
        async with self._hold(key, user, services.settings.limits.lease_s):
            rows = await services.ledger.pending(tenant, key)
            try:
                sent = decisions if isinstance(decisions, Mapping) else {"decisions": [*decisions]}
                given = parse_decisions(sent, rows)
                await services.ledger.decide(
                    key,
                    given,
                    reviewer=reviewer.scope,
                    validate_edit=services.executor.validate_edit,
                )
            except (DecisionError, LedgerError) as error:
                raise DecisionRefused(str(error)) from error
            reply = await self._go_on(key, owner)
        return reply if reviewer.user == owner.user else for_reviewer(reply)

    async def cancel(self, thread: str, *, user: str, tenant: str = "default") -> Reply:
        """Reject everything that waits on the thread, and let the turn end.

        A turn that was stopped and waits for nobody goes on as with `resume`.

        Raises:
            NothingToCancel: no turn of the thread is open.
        """
        scope = self._admission.context(user, tenant).scope
        decisions = [
            {"id": action.id, "type": "reject", "message": f"cancelled by {user}"}
            for action in await self._seen(scope, self._admission.key(thread, tenant))
            if action.kind == "approval"
        ]
        if decisions:
            return await self.decide(thread, decisions, user=user, tenant=tenant)
        if not (await self.standing(thread, user=user, tenant=tenant)).is_open:
            raise NothingToCancel(thread)
        return await self.resume(thread, user=user, tenant=tenant)

    async def resume(self, thread: str, *, user: str, tenant: str = "default") -> Reply:
        """Go on with what a stopped process left; a finished thread gives its last answer."""
        key, owner = await self._admission.owner(thread, tenant, user)
        async with self._hold(key, user, self.services.settings.limits.lease_s):
            return await self._go_on(key, owner)

    async def rollback(
        self, thread: str, turns: int, *, user: str, tenant: str = "default"
    ) -> RollbackReport:
        """Take back the last turns; what cannot be undone is listed, the rest asks for approval."""
        wanted = "how many turns to take back as a whole number"
        check(is_number(turns), wanted, turns, "`threads` says how many each thread has.")
        key, owner = await self._admission.owner(thread, tenant, user)
        async with self._hold(key, user, 0.0):
            await self.services.background.drain(DRAIN_S)
            report = await self._rollback.run(self._config(key), owner, turns)
            await self._pruning.run(await self.graph.aget_state(self._config(key)))
            return report

    async def _go_on(self, key: str, owner: Context) -> Reply:
        config = self._config(key)
        await self._recovery.run(config, owner)
        return await self._reply(config, owner)

    @asynccontextmanager
    async def _hold(self, key: str, user: str, wait_s: float) -> AsyncIterator[None]:
        ttl_s = self.services.settings.limits.lease_s
        try:
            async with self.services.leases.hold(key, user, ttl_s, wait_s=wait_s):
                yield
        except ThreadBusy as error:
            raise ThreadIsBusy(str(error).replace(repr(key), repr(thread_name(key)))) from error

    async def _pending(self, tenant: str, key: str) -> list[PendingAction]:
        rows = await self.services.ledger.pending(tenant, key)
        return [pending_action(row, self.services.registry) for row in rows]

    async def _reply(self, config: RunnableConfig, context: Context) -> Reply:
        """The reply from the thread's state and the ledger, not from the last event.

        A thread at rest is pruned to its turn boundaries on the way.
        """
        snapshot = await self.graph.aget_state(config)
        key = config["configurable"]["thread_id"]
        if is_unfinished(snapshot):
            return read_reply(snapshot.values, key, await self._pending(context.tenant, key))
        await self._pruning.run(snapshot)
        return read_reply(snapshot.values, key)
