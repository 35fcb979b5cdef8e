"""Threads that the graphs' server keeps: decided in the ledger, gone on with by the server."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from langgraph_sdk import get_client
from langgraph_sdk.schema import Command

from graph.errors import DecisionRefused
from graph.services import Services
from nodes.execute_effects import DECIDED_IN_LEDGER
from state import Scope, thread_key
from tools.approvals import parse_decisions
from tools.errors import DecisionError, LedgerError

GRAPH: Final = "desk"


async def is_of_server(services: Services, thread: str, tenant: str) -> bool:
    """Whether the server keeps the thread, and not this application's own database."""
    if await services.transcript.thread(thread_key(tenant, thread)) is not None:
        return False
    return await services.transcript.thread(thread) is not None


async def decide_on_server(
    services: Services, thread: str, decisions: Sequence[Mapping[str, Any]], reviewer: Scope
) -> dict[str, Any]:
    """Take decisions, then have the server go on with the pauses that they end.

    Raises:
        DecisionRefused: why a decision cannot be taken; nothing has changed.
    """
    ledger = services.ledger
    try:
        given = parse_decisions(
            {"decisions": [*decisions]}, await ledger.pending(reviewer.tenant, thread)
        )
        await ledger.decide(
            thread, given, reviewer=reviewer, validate_edit=services.executor.validate_edit
        )
    except (DecisionError, LedgerError) as error:
        raise DecisionRefused(str(error)) from error
    waiting = {row.id for row in await ledger.pending(reviewer.tenant, thread)}
    run = await _resume(services, thread, waiting)
    return {"status": "resumed" if run else "waiting", "thread": thread, "run_id": run}


async def _resume(services: Services, thread: str, waiting: set[str]) -> str:
    """Start the run that goes on, as the thread's owner; its id, empty when all still waits."""
    async with get_client() as client:
        state: Any = await client.threads.get_state(thread)
        answers = {
            pause["id"]: DECIDED_IN_LEDGER
            for task in state["tasks"]
            for pause in task["interrupts"]
            if not any(one["id"] in waiting for one in pause["value"]["action_requests"])
        }
        if not answers:
            return ""
        owner = await services.transcript.thread(thread)
        users = services.settings.directory.users
        name = owner.owner if owner is not None else "local"
        context: dict[str, Any] = {
            "user": name,
            "teams": list(users[name].teams) if name in users else [],
        }
        run = await client.runs.create(
            thread,
            GRAPH,
            command=Command(resume=answers),
            context=context,
            durability="sync",
            multitask_strategy="enqueue",  # the decision is taken: it may wait, not be refused
        )
        return str(run["run_id"])
