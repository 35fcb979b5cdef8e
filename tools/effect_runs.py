"""Runs effects from their ledger rows: once per approval, never again, never forgotten.

An effect that answers, or says by ToolError that nothing happened, is finished. One that does not
come back, or breaks half-way, is looked up by its tool; where that does not help, it is unsettled
and a person is asked.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic import BaseModel

from state import CallRecord
from tools.checking import checked_args
from tools.effects import CLOSED, EffectRow, row_digest
from tools.errors import EffectConflict, EffectUnknown, LedgerError, ToolError
from tools.invoking import FAULT, RESULT, Invoker
from tools.ledger import Ledger
from tools.records import row_record
from tools.registry import Registry
from tools.results import Fault, fault_of, kept_text
from tools.running import CallTimeout, within
from tools.spec import CallSite, ToolSpec

LOOK_UP: Final = "look-up"


class EffectRuns:
    """Performs and recovers effects; the ledger says what may run."""

    def __init__(self, registry: Registry, invoker: Invoker, ledger: Ledger) -> None:
        """Bind the rooms' parts."""
        self._registry = registry
        self._invoker = invoker
        self._ledger = ledger
        self._running: set[str] = set()

    async def perform(self, row: EffectRow, site: CallSite) -> CallRecord:
        """Run an approved effect once; a cancelled caller waits until its outcome is written down.

        A row that may not run gives the record of what it is; nothing is run for it.

        Raises:
            LedgerError: the row is not of this thread, or not in the ledger.
        """
        site = _requester(row, site)
        try:
            spec, values = self._runnable(row)
        except ToolError as error:
            return await self._refused(row, fault_of(error).note)
        try:
            started = await self._ledger.start(row.id, row_digest(row))
        except EffectUnknown:
            raise
        except LedgerError:
            return await self._as_it_is(row)
        work = self._run(spec, values, started, site)
        return await _to_its_end(asyncio.create_task(work, name=f"effect {row.id}"))

    def _runnable(self, row: EffectRow) -> tuple[ToolSpec, BaseModel]:
        spec = self._registry.get(row.tool)
        if spec is None or spec.effect == "read_only":
            message = f"there is no effect {row.tool!r} any more"
            raise ToolError(message, kind="unknown_tool")
        if not spec.serves(row.expert):
            message = f"{row.tool} is not {row.expert}'s any more"
            raise ToolError(message, kind="not_permitted")
        return spec, checked_args(spec, row.tool_call_id, row.args).values

    async def _refused(self, row: EffectRow, note: str) -> CallRecord:
        try:
            refused = await self._ledger.refuse(row.id, note)
        except EffectConflict:
            return await self._as_it_is(row)
        return row_record(refused, self._effect_of(row))

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
        try:
            call = self._invoker.begin(
                spec.function, values, site, row.id, lambda: self._running.discard(row.id)
            )
            value = await within(call, spec.timeout_s)
        except ToolError as error:
            if error.kind == "timeout":
                return await self._unknown(spec, values, row, site, fault_of(error))
            return await self._failed(spec, row, site, fault_of(error))
        except CallTimeout as error:
            fault = Fault("timeout", str(error))
            return await self._unknown(spec, values, row, site, fault)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises, its row must be closed
            if spec.effect == "idempotent":
                return await self._failed(spec, row, site, fault_of(error))
            return await self._unknown(spec, values, row, site, fault_of(error), ended=True)
        artifact, note = await self._kept(spec, row, site, value)
        return row_record(await self._ledger.finish(row.id, True, artifact, note), spec.effect)

    async def _failed(
        self, spec: ToolSpec, row: EffectRow, site: CallSite, fault: Fault
    ) -> CallRecord:
        artifact, _ = await self._kept(spec, row, site, fault.text, FAULT)
        closed = await self._ledger.finish(row.id, False, artifact, fault.note)
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
    ) -> CallRecord:
        """Settle by look-up, else leave it to a person.

        That it has not happened is believed only of a call that has `ended`: an abandoned one may
        still arrive.
        """
        found = await self._look_up(spec, values, row, site)
        if found is not None and found["happened"]:
            artifact, note = await self._kept(spec, row, site, found.get("result"))
            note = note or "found by look-up"
            closed = await self._ledger.settle(row.id, True, LOOK_UP, note, artifact)
            return row_record(closed, spec.effect)
        if found is not None and ended:
            closed = await self._ledger.settle(row.id, False, LOOK_UP, fault.note)
            return row_record(closed, spec.effect)
        if row.status == "started":
            row = await self._ledger.unsettle(row.id, fault.note)
        return row_record(row, spec.effect)

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
        self,
        spec: ToolSpec,
        row: EffectRow,
        site: CallSite,
        value: Any,  # noqa: ANN401 - whatever a tool returns
        kind: str = RESULT,
    ) -> tuple[str | None, str]:
        """The artifact's id and an empty note, or None and why the result is not kept."""
        if value is None:
            return None, ""
        try:
            text = await kept_text(value)
            ref = await self._invoker.keep(spec, row.args, row.ordinal, site, text=text, kind=kind)
        except Exception as error:  # noqa: BLE001 - it did happen; its row must close all the same
            return None, f"its result could not be kept ({type(error).__name__})"
        return ref.id, ""

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
            spec, values = self._runnable(now)
        except ToolError:
            if now.status == "started":
                await self._ledger.unsettle(now.id, "its tool is gone")
            return None
        record = await self._unknown(spec, values, now, site, fault, ended=ended)
        return None if record["status"] == "unsettled" else record


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
