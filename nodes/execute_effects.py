"""Run what was approved, once; settle what a crash left; ask again about what is still open."""

from collections.abc import Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from nodes.consult import observe_all, report
from nodes.context import context_of, site_of
from nodes.expert_state import ConsultUpdate, ExpertState, HeldCall
from state import CallRecord, Context
from tools.approvals import parse_decisions, request_payload
from tools.effects import EffectRow
from tools.errors import DecisionError, LedgerError
from tools.executor import Executor
from tools.ledger import Ledger
from tools.spec import CallSite

OPEN = ("prepared", "unsettled")
DECIDED_IN_LEDGER: Final[dict[str, list[Any]]] = {"decisions": []}


async def execute_effects(
    state: ExpertState,
    runtime: Runtime[Context],
    *,
    executor: Executor,
    ledger: Ledger,
) -> ConsultUpdate:
    """Close the batch: every call of it gets exactly one record."""
    site = site_of(runtime, state["turn"]["id"], state["expert"])
    await ledger.expire(site.thread)
    for row in await batch_rows(ledger, site):
        if row.status == "started":
            await executor.recover(row, site)
    problem = await _decide(state, context_of(runtime), site, ledger, executor)
    for row in await batch_rows(ledger, site):
        if row.status == "approved":
            await executor.perform(row, site)
    rows = await batch_rows(ledger, site)
    still_open = [row for row in rows if row.status in OPEN]
    if still_open:
        return {
            "requests": request_payload(still_open, executor.registry, problem=problem),
            "decisions": None,
            "status": "WAITING_FOR_HUMAN",
        }
    records = await _close(state["batch"], rows, executor, site)
    await executor.flush()
    report(runtime, executor, site.expert, records)
    return {
        "rounds": [*state["rounds"], records],
        "batch": [],
        "requests": None,
        "decisions": None,
        "status": "EXECUTING",
    }


async def batch_rows(ledger: Ledger, site: CallSite) -> list[EffectRow]:
    """The live row of each effect this expert asked for in this turn, in order."""
    rows = await ledger.rows(site.thread, site.turn_id, site.expert)
    live = {row.ordinal: row for row in rows if row.status != "superseded"}
    return [row for _, row in sorted(live.items())]


async def _decide(
    state: ExpertState, context: Context, site: CallSite, ledger: Ledger, executor: Executor
) -> str:
    """Put decisions that came with the resume to the ledger; say what was wrong with them."""
    waiting = [row for row in await batch_rows(ledger, site) if row.status in OPEN]
    if not waiting or state["decisions"] in (None, DECIDED_IN_LEDGER):
        return ""
    try:
        decisions = parse_decisions(state["decisions"], waiting)
        if decisions:
            await ledger.decide(
                site.thread,
                decisions,
                reviewer=context.scope,
                validate_edit=executor.validate_edit,
            )
    except (DecisionError, LedgerError) as error:
        return str(error)
    return ""


async def _close(
    batch: Sequence[HeldCall], rows: Sequence[EffectRow], executor: Executor, site: CallSite
) -> list[CallRecord]:
    by_ordinal = {row.ordinal: row for row in rows}
    safe = [item for item in batch if item["ordinal"] not in by_ordinal]
    observed = iter(await observe_all(executor, safe, site))
    return [
        executor.closed(by_ordinal[item["ordinal"]], site)
        if item["ordinal"] in by_ordinal
        else next(observed)
        for item in batch
    ]
