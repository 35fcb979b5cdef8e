"""One expert's think/act loop over safe calls; a call that would change something ends it."""

import asyncio
from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from configs.clock import ClockSettings
from configs.sections import LimitSettings
from memory.working import Brief
from models.errors import ModelError
from models.gateway import ModelReply
from nodes.ask_module import AskModule
from nodes.context import site_of
from nodes.endings import broken, stopped
from nodes.expert_state import (
    ConsultUpdate,
    ExpertState,
    HeldCall,
    finding_of,
    made_calls,
    scratchpad,
)
from nodes.grounds import GroundsReader
from nodes.loops import Loops, Made, circle, hint, is_useful, was_hinted
from nodes.shared import shared_of, today_of
from state import CallRecord, Context, FindingStatus, ToolCall, canonical_json
from tools.approvals import request_payload
from tools.effects import EffectRow
from tools.escalation import Grounds
from tools.executor import CheckedCall, Executor, NamedCall
from tools.ledger import Ledger
from tools.records import call_record
from tools.spec import CallSite

REJECTED = "a person has rejected this call; it was not run, do not repeat it"
HELD_BACK = "not run: it came together with a call that a person has rejected"


async def consult(
    state: ExpertState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    *,
    ask: AskModule,
    executor: Executor,
    ledger: Ledger,
    grounds: GroundsReader,
    limits: LimitSettings,
    calendar: ClockSettings,
    approval_ttl_s: float,
) -> ConsultUpdate:
    """Let the expert work until it has a finding or asks for an effect."""
    notes: list[str] = []
    update = await _work(
        state, runtime, config, notes, ask, executor, ledger, grounds, limits, calendar,
        approval_ttl_s,
    )  # fmt: skip
    await executor.flush()
    return {**update, "notes": notes}


async def _work(
    state: ExpertState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    notes: list[str],
    ask: AskModule,
    executor: Executor,
    ledger: Ledger,
    grounds: GroundsReader,
    limits: LimitSettings,
    calendar: ClockSettings,
    approval_ttl_s: float,
) -> ConsultUpdate:
    """The loop itself; what its models note is added to `notes`."""
    site = site_of(runtime, state["turn"]["id"], state["expert"])
    rounds, ordinal = list(state.get("rounds") or []), state.get("next_ordinal") or 0
    if rows := await held_before(ledger, site, ordinal):
        return hold(rounds, [_held(row) for row in rows], rows, executor)
    if state["preset"] and not rounds:
        held = _numbered(state["preset"], 0)
        known = await grounds(state, rounds, site)
        rows = await prepare(held, site, executor, approval_ttl_s, known)
        return hold(rounds, held, rows, executor)
    brief = Brief(
        module="expert",
        today=today_of(state, calendar),
        expert=state["expert"],
        question=state["question"],
    )
    while len(rounds) < limits.max_steps:
        try:
            pad = await scratchpad(rounds, executor, site)
            reply = await ask("expert", shared_of(state), brief, scratchpad=pad, config=config)
        except ModelError as error:
            return finding_of(state, rounds, broken(error, rounds), _broken(rounds))
        notes.extend(reply.notes)
        if not reply.message.tool_calls:
            return finding_of(state, rounds, *_said(reply))
        named = [await executor.named(call, site) for call in calls_of(reply)]
        notes.extend(one.note for one in named if one.note)
        calls = [one.call for one in named]
        reason = _circle(rounds, calls, executor, site, Loops.of(limits))
        if reason and was_hinted(rounds):
            return finding_of(state, rounds, stopped(f"because {reason}", rounds), "partial")
        held = _held_back(named, ordinal)
        records = _hinted(calls, reason) if reason else screen(reply, calls, rounds, executor, site)
        if not records and any(_is_effect(executor, item, site) for item in held):
            known = await grounds(state, rounds, site, _confidence(reply))
            rows = await prepare(held, site, executor, approval_ttl_s, known)
            return hold(rounds, held, rows, executor)
        executor.refuse(records, ordinal, site)
        rounds.append(records or await observe_all(executor, held, site))
        report(runtime, executor, site.expert, rounds[-1])
        ordinal += len(held)
    ended = stopped(f"after {limits.max_steps} steps", rounds)
    return finding_of(state, rounds, ended, "partial")


def report(
    runtime: Runtime[Context], executor: Executor, expert: str, records: Sequence[CallRecord]
) -> None:
    """Tell whoever streams the run which calls came to an end."""
    for record in records:
        title = executor.registry.title_of(record["name"])
        runtime.stream_writer({"expert": expert, "title": title, **record})


async def held_before(ledger: Ledger, site: CallSite, ordinal: int) -> list[EffectRow]:
    """Effects this expert asked for from `ordinal` on, before a crash lost its state, if any."""
    rows = await ledger.rows(site.thread, site.turn_id, site.expert)
    live = {row.ordinal: row for row in rows if row.status != "superseded"}
    return [row for n, row in sorted(live.items()) if n >= ordinal]


async def prepare(
    held: Sequence[HeldCall],
    site: CallSite,
    executor: Executor,
    ttl_s: float,
    grounds: Grounds | None = None,
) -> list[EffectRow]:
    """Write the batch's effects to the ledger before anybody is asked."""
    rows = []
    for item in held:
        if item.get("fault"):
            continue
        checked = executor.check(item["call"], site)
        if isinstance(checked, CheckedCall) and checked.spec.effect != "read_only":
            row = await executor.prepare(
                checked, item["ordinal"], site, ttl_s=ttl_s, grounds=grounds
            )
            rows.append(row)
    return rows


def hold(
    rounds: list[list[CallRecord]],
    held: list[HeldCall],
    rows: Sequence[EffectRow],
    executor: Executor,
) -> ConsultUpdate:
    """Hold the whole batch, and say what a person is asked."""
    waiting = [row for row in rows if row.status in ("prepared", "unsettled")]
    return {
        "rounds": rounds,
        "next_ordinal": held[-1]["ordinal"] + 1,
        "batch": held,
        "requests": request_payload(waiting, executor.registry) if waiting else None,
        "decisions": None,
        "status": "WAITING_FOR_HUMAN" if waiting else "EXECUTING",
    }


async def observe_all(
    executor: Executor, held: Sequence[HeldCall], site: CallSite
) -> list[CallRecord]:
    """Run safe calls side by side; every call gets a record, in the order asked for."""

    async def one(item: HeldCall) -> CallRecord:
        if fault := item.get("fault"):
            record = executor.fault_record(item["call"], fault)
            executor.refuse([record], item["ordinal"], site)
            return record
        checked = executor.check(item["call"], site)
        if not isinstance(checked, CheckedCall):
            executor.refuse([checked], item["ordinal"], site)
            return checked
        return await executor.observe(checked, item["ordinal"], site)

    return list(await asyncio.gather(*map(one, held)))


def screen(
    reply: ModelReply,
    calls: Sequence[ToolCall],
    rounds: Sequence[Sequence[CallRecord]],
    executor: Executor,
    site: CallSite,
) -> list[CallRecord]:
    """Records for a batch that may not run, empty when it may.

    A call that cannot be read, or that a person has rejected, holds the rest of its batch back.

    Args:
        reply: what the model said.
        calls: its calls, with ids in the place of names.
        rounds: the calls made so far.
        executor: knows the tools.
        site: where the calls come from.
    """
    refused = {identity(r, executor, site) for r in made_calls(rounds) if r["status"] == "rejected"}
    faults = {call.id: f"invalid_arguments: {call.error}" for call in reply.invalid_calls}
    for call in calls:
        if call["id"] not in faults and identity(call, executor, site) in refused:
            faults[call["id"]] = REJECTED
    if not faults:
        return []
    return [
        call_record(
            call,
            "read_only",
            "rejected" if faults.get(call["id"]) == REJECTED else "error",
            note=faults.get(call["id"], HELD_BACK),
        )
        for call in calls
    ]


def calls_of(reply: ModelReply) -> list[ToolCall]:
    """Every call in the reply's message, those that cannot be read included."""
    return [
        {"id": str(call["id"]), "name": call["name"], "args": call["args"]}
        for call in reply.message.tool_calls
    ]


def _circle(
    rounds: Sequence[Sequence[CallRecord]],
    calls: Sequence[ToolCall],
    executor: Executor,
    site: CallSite,
    loops: Loops,
) -> str:
    """What kind of circle the calls would close, with their names; empty for none."""
    made = [
        [Made(identity(record, executor, site), is_useful(record)) for record in records]
        for records in rounds
    ]
    reason = circle(made, [identity(call, executor, site) for call in calls], loops)
    names = ", ".join(sorted({call["name"] for call in calls}))
    return f"{reason} ({names})" if reason else ""


def _hinted(calls: Sequence[ToolCall], reason: str) -> list[CallRecord]:
    return [call_record(call, "read_only", "error", note=hint(reason)) for call in calls]


def identity(call: ToolCall | CallRecord, executor: Executor, site: CallSite) -> str:
    """The same text for the same call, with defaults filled in where the tool fills them."""
    asked: ToolCall = {"id": call["id"], "name": call["name"], "args": call["args"]}
    checked = executor.check(asked, site)
    args = checked.args if isinstance(checked, CheckedCall) else call["args"]
    return canonical_json([call["name"], args])


def _held(row: EffectRow) -> HeldCall:
    call: ToolCall = {"id": row.tool_call_id, "name": row.tool, "args": row.args}
    return {"ordinal": row.ordinal, "call": call}


def _numbered(calls: Sequence[ToolCall], start: int) -> list[HeldCall]:
    return [{"ordinal": n, "call": call} for n, call in enumerate(calls, start=start)]


def _held_back(calls: Sequence[NamedCall], start: int) -> list[HeldCall]:
    """The calls in order, each that may not run with the reason."""
    held: list[HeldCall] = []
    for ordinal, one in enumerate(calls, start):
        item: HeldCall = {"ordinal": ordinal, "call": one.call}
        held.append({**item, "fault": one.fault} if one.fault else item)
    return held


def _is_effect(executor: Executor, item: HeldCall, site: CallSite) -> bool:
    """Whether the call changes something, and may run."""
    if item.get("fault"):
        return False
    checked = executor.check(item["call"], site)
    return isinstance(checked, CheckedCall) and checked.spec.effect != "read_only"


def _confidence(reply: ModelReply) -> float | None:
    said = reply.message.additional_kwargs.get("confidence")
    return float(said) if isinstance(said, int | float) else None


def _said(reply: ModelReply) -> tuple[str, FindingStatus, float | None]:
    hints = reply.message.additional_kwargs
    status = hints.get("finding_status", "ok")
    return reply.text, status, hints.get("confidence")


def _broken(rounds: Sequence[Sequence[CallRecord]]) -> FindingStatus:
    return "partial" if made_calls(rounds) else "failed"
