"""The Python door to what threads are: which there are, how far they came, what waits on them."""

from typing import Literal

from langchain_core.runnables import RunnableConfig

from graph.admission import Admission
from graph.recovery import Graph, is_unfinished
from graph.replies import PendingAction, Standing, ThreadInfo, pending_action
from graph.services import Services
from state import Scope, TurnRecord


class ThreadDoor:
    """What a desk tells of its threads; changes nothing. Needs its graph and services."""

    graph: Graph
    services: Services
    _admission: Admission

    async def pending(
        self, thread: str | None = None, *, user: str, tenant: str = "default"
    ) -> list[PendingAction]:
        """Actions this user may decide, of one thread or of all.

        Raises:
            UnknownThread: the named thread does not exist, or it is somebody else's and no action
                on it was ever this user's to decide.
        """
        scope = self._admission.context(user, tenant).scope
        if thread is None:
            return await self._seen(scope)
        key = await self._admission.concerned(thread, scope, self.services.ledger.rows)
        return await self._seen(scope, key)

    async def _seen(self, scope: Scope, key: str | None = None) -> list[PendingAction]:
        rows = await self.services.ledger.pending(scope.tenant, key)
        return [
            pending_action(row, self.services.registry)
            for row in rows
            if self._admission.may_see(row, scope)
        ]

    async def threads(self, user: str, tenant: str = "default") -> list[ThreadInfo]:
        """The user's threads, newest first."""
        context = self._admission.context(user, tenant)
        waiting = {row.thread for row in await self.services.ledger.pending(tenant)}
        return [
            ThreadInfo(
                row.name,
                row.owner,
                row.turns,
                "waiting" if row.key in waiting else await self._at_rest(row.key),
                row.updated_at,
            )
            for row in await self.services.transcript.threads(context.scope)
        ]

    async def standing(self, thread: str, *, user: str, tenant: str = "default") -> Standing:
        """How far one of the user's threads has come.

        Raises:
            UnknownThread: there is none.
            NotYourThread: it is somebody else's.
        """
        key, _ = await self._admission.owner(thread, tenant, user)
        row = await self.services.transcript.thread(key)
        is_open = await self._at_rest(key) == "unfinished"
        return Standing(row.turns if row is not None else 0, is_open)

    async def _at_rest(self, key: str) -> Literal["idle", "unfinished"]:
        snapshot = await self.graph.aget_state(self._config(key))
        return "unfinished" if is_unfinished(snapshot) else "idle"

    async def show(self, thread: str, user: str, tenant: str = "default") -> list[TurnRecord]:
        """All closed turns of a thread."""
        key, _ = await self._admission.owner(thread, tenant, user)
        return await self.services.transcript.records(key)

    def _config(self, key: str) -> RunnableConfig:
        steps = 3 * self.services.settings.limits.max_steps + 20
        return {"configurable": {"thread_id": key}, "recursion_limit": steps}
