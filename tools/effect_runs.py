"""Runs effects from their ledger rows: once per approval, never again, never forgotten.

An effect that answers, or says by ToolError that nothing happened, is finished. One that does not
come back, or breaks half-way, is looked up by its tool; where that does not help, it is unsettled
and a person is asked.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic import BaseModel

from configs.masking import Masked
from state import CallRecord, CallStatus, ToolCall
from tools.checking import check_teams, checked_args
from tools.effects import CLOSED, EffectRow, row_digest
from tools.errors import EffectConflict, EffectUnknown, LedgerError, ToolError
from tools.invoking import Invoker
from tools.ledger import Ledger
from tools.outcomes import Outcomes, Place, Ran
from tools.records import call_record, row_record
from tools.registry import Registry
from tools.results import Fault, fault_of
from tools.running import CallTimeout, within
from tools.spec import CallSite, ToolSpec

LOOK_UP: Final = "look-up"
NOT_KEPT: Final = "its result could not be kept ({})"


class EffectRuns:
    """Performs and recovers effects; the ledger says what may run."""

    def __init__(
        self,
        registry: Registry,
        invoker: Invoker,
        ledger: Ledger,
        outcomes: Outcomes,
        on_effect: Callable[[CallSite], None],
    ) -> None:
        """Bind the rooms' parts; `on_effect` is told of each effect that may have happened."""
        self._registry = registry
        self._invoker = invoker
        self._ledger = ledger
        self._outcomes = outcomes
        self._on_effect = on_effect
        self._running: set[str] = set()

    async def perform(self, row: EffectRow, site: CallSite) -> CallRecord:
        """Run an approved effect once; a cancelled caller waits until its outcome is written down.

        A row that may not run gives the record of what it is; nothing is run for it.

        Raises:
            LedgerError: the row is not of this thread, or not in the ledger.
        """
        site = _requester(row, site)
        try:
            spec, values = self._runnable(row, site)
        except ToolError as error:
            return await self._refused(row, site, self._fault(error).note)
        try:
            started = await self._ledger.start(row.id, row_digest(row))
        except EffectUnknown:
            raise
        except LedgerError:
            return await self._as_it_is(row)
        work = self._run(spec, values, started, site)
        return await _to_its_end(asyncio.create_task(work, name=f"effect {row.id}"))

    def _fault(self, error: BaseException) -> Fault:
        return fault_of(error, self._outcomes.masking)

    def _runnable(self, row: EffectRow, site: CallSite) -> tuple[ToolSpec, BaseModel]:
        spec = self._registry.get(row.tool)
        if spec is None or spec.effect == "read_only":
            message = f"there is no effect {row.tool!r} any more"
            raise ToolError(message, kind="unknown_tool")
        if not spec.serves(row.expert):
            message = f"{row.tool} is not {row.expert}'s any more"
            raise ToolError(message, kind="not_permitted")
        if site.teams:  # a reviewer who resumes does not know the requester's teams
            check_teams(spec, site)
        return spec, checked_args(spec, row.tool_call_id, row.args).values

    async def _refused(self, row: EffectRow, site: CallSite, note: str) -> CallRecord:
        try:
            refused = await self._ledger.refuse(row.id, note)
        except EffectConflict:
            return await self._as_it_is(row)
        record = row_record(refused, self._effect_of(row))
        self._outcomes.audit(site, _place(row), record)
        return record

    async def _as_it_is(self, row: EffectRow) -> CallRecord:
        """The record of a row that did not start; one that another run has started is left alone.

        Raises:
            EffectConflict: it still waits for a decision.
        """
        now = await self._ledger.get(row.id)
        if now.status in ("prepared", "approved"):
            raise EffectConflict(row.id, "an approved row", now.status)
        return row_record(now, self._effect_of(row))

    def _effect_of(self, row: EffectRow) -> Any:  # noqa: ANN401 - state.Effect
        spec = self._registry.get(row.tool)
        return "irreversible" if spec is None else spec.effect

    async def _run(
        self, spec: ToolSpec, values: BaseModel, row: EffectRow, site: CallSite
    ) -> CallRecord:
        self._running.add(row.id)
        self._on_effect(site)
        began = time.perf_counter()
        try:
            call = self._invoker.begin(
                spec.function, values, site, row.id, lambda: self._running.discard(row.id)
            )
            value = await within(call, spec.timeout_s)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises, its row must be closed
            fault = self._fault(error)
            ran = Ran(Masked(fault.text, 0), fault, duration_ms=_since_ms(began))
            if _says_nothing_happened(error, fault) or _may_repeat(error, spec):
                return await self._finished(spec, row, site, ran)
            ended = not isinstance(error, ToolError | CallTimeout)
            return await self._unknown(spec, values, row, site, fault, ended=ended, ran=ran)
        finally:
            self._on_effect(site)
        spent_ms = _since_ms(began)
        lost = ""
        try:
            ran = Ran(await self._outcomes.text_of(value), duration_ms=spent_ms)
        except Exception as error:  # noqa: BLE001 - it did happen; its row must close all the same
            lost = NOT_KEPT.format(type(error).__name__)
            ran = Ran(Masked("", 0), duration_ms=spent_ms)
        return await self._finished(spec, row, site, ran, nothing=value is None, lost=lost)

    async def _finished(
        self,
        spec: ToolSpec,
        row: EffectRow,
        site: CallSite,
        ran: Ran,
        *,
        nothing: bool = False,
        lost: str = "",
    ) -> CallRecord:
        """Close a row whose tool has said how it ended."""
        artifact, note = await self._kept(spec, row, site, ran, nothing=nothing or bool(lost))
        note = ran.fault.note if ran.fault is not None else lost or note
        closed = await self._ledger.finish(row.id, ran.fault is None, artifact, note)
        return row_record(closed, spec.effect)

    async def _unknown(
        self,
        spec: ToolSpec,
        values: BaseModel,
        row: EffectRow,
        site: CallSite,
        fault: Fault,
        *,
        ended: bool = False,
        ran: Ran | None = None,
    ) -> CallRecord:
        """Settle by look-up, else leave it to a person.

        That it has not happened is believed only of a call that has `ended`: an abandoned one may
        still arrive.
        """
        found = await self._look_up(spec, values, row, site)
        if found is not None and found["happened"]:
            result = Ran(await self._outcomes.text_of(found.get("result")))
            nothing = found.get("result") is None
            artifact, note = await self._kept(spec, row, site, result, nothing=nothing)
            note = note or "found by look-up"
            closed = await self._ledger.settle(row.id, True, LOOK_UP, note, artifact)
            return row_record(closed, spec.effect)
        if found is not None and ended:
            row = await self._ledger.settle(row.id, False, LOOK_UP, fault.note)
        elif row.status == "started":
            row = await self._ledger.unsettle(row.id, fault.note)
        record = row_record(row, spec.effect)
        self._outcomes.audit(site, _place(row), record, ran=ran, spec=spec)
        return record

    async def _look_up(
        self, spec: ToolSpec, values: BaseModel, row: EffectRow, site: CallSite
    ) -> Mapping[str, Any] | None:
        """What the tool's settle function says; None when it cannot tell."""
        if spec.settle is None:
            return None
        try:
            call = self._invoker.begin(spec.settle, values, site, row.id)
            found = await within(call, spec.timeout_s)
        except Exception:  # noqa: BLE001 - a look-up that fails tells nothing, whatever it raises
            return None
        said = isinstance(found, Mapping) and isinstance(found.get("happened"), bool)
        return found if said else None

    async def _kept(
        self, spec: ToolSpec, row: EffectRow, site: CallSite, ran: Ran, *, nothing: bool
    ) -> tuple[str | None, str]:
        """The artifact's id and an empty note, or None and why the result is not kept.

        Both the result and the audit row are on disk before the ledger's row is closed.
        """
        place = _place(row)
        id_, note = None, ""
        try:
            if not nothing:
                id_ = self._outcomes.keep(spec, place, site, ran).id
            status: CallStatus = "ok" if ran.fault is None else "error"
            record = call_record(_call(row), spec.effect, status, artifact=id_, note="")
            self._outcomes.audit(site, place, record, ran=ran, spec=spec)
            await self._outcomes.group.flush()
        except Exception as error:  # noqa: BLE001 - it did happen; its row must close all the same
            id_, note = None, NOT_KEPT.format(type(error).__name__)
        return id_, note

    async def recover(self, row: EffectRow, site: CallSite) -> CallRecord | None:
        """Settle a row that was found started; None when a person has to be asked.

        Call it only with the thread's lease held: a row that another run is performing looks alike.

        Raises:
            LedgerError: the row is not of this thread, not in the ledger, or was not started.
        """
        site = _requester(row, site)
        now = await self._ledger.get(row.id)
        if now.status in CLOSED:
            return row_record(now, self._effect_of(row))
        if now.status not in ("started", "unsettled"):
            raise EffectConflict(row.id, "a started row", now.status)
        ended = now.status == "started" and row.id not in self._running
        fault = Fault("failed", "the run was interrupted, and the look-up found that it had not")
        try:
            spec, values = self._runnable(now, site)
        except ToolError:
            if now.status == "started":
                await self._ledger.unsettle(now.id, "its tool is gone")
            return None
        record = await self._unknown(spec, values, now, site, fault, ended=ended)
        return None if record["status"] == "unsettled" else record


def _place(row: EffectRow) -> Place:
    return Place(row.ordinal, row.tool_call_id, row.args, row.id)


def _call(row: EffectRow) -> ToolCall:
    return {"id": row.tool_call_id, "name": row.tool, "args": row.args}


def _says_nothing_happened(error: BaseException, fault: Fault) -> bool:
    """Whether the tool itself says that nothing has happened; a time-out says nothing at all."""
    return isinstance(error, ToolError) and fault.kind != "timeout"


def _may_repeat(error: BaseException, spec: ToolSpec) -> bool:
    """Whether it does no harm that nobody knows: it broke, and may be asked for once more."""
    return spec.effect == "idempotent" and not isinstance(error, ToolError | CallTimeout)


def _since_ms(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def _requester(row: EffectRow, site: CallSite) -> CallSite:
    """The site as the person who asked for the effect; a reviewer only decides.

    Raises:
        LedgerError: the row is of another thread.
    """
    if (row.tenant, row.thread) != (site.tenant, site.thread):
        raise LedgerError(row.id, "it belongs to another thread")
    teams = site.teams if site.user == row.requested_by else ()
    place = {"turn_id": row.turn_id, "expert": row.expert}
    return replace(site, user=row.requested_by, teams=teams, **place)


async def _to_its_end(task: asyncio.Task[CallRecord]) -> CallRecord:
    """The task's result; a first cancellation waits for it, a second one does not."""
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        if not task.cancelled():
            task.exception()
        raise
