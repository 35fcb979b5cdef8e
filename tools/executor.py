"""Runs tools: checks a call, runs it once within its time, keeps the result, never breaks a turn.

Reads run as often as they are asked for. Effects run only from a ledger row, once per approval,
and are never repeated: what came of one that did not come back is looked up or asked.
"""

from pathlib import Path
from typing import Any, Final

from langgraph.errors import GraphBubbleUp

from memory.artifacts import Artifacts
from memory.failing import EDITED
from state import CallRecord, CallStatus, ToolCall
from tools.checking import CheckedCall, check_call, checked_args
from tools.effect_runs import EffectRuns
from tools.effects import EffectRow, artifact_id
from tools.errors import EffectConflict, InvalidDecision, ToolError
from tools.invoking import FAULT, RESULT, Invoker, scope_of
from tools.ledger import Ledger
from tools.observations import other_observation, result_observation
from tools.records import call_record, row_record
from tools.registry import Registry
from tools.results import Fault, fault_of, kept_text, one_line
from tools.running import CallTimeout, within
from tools.spec import CallSite

__all__ = ["CheckedCall", "Executor"]

CHECK_NOTE_CHARS: Final = 600


class Executor:
    """The experts' hands: check, observe, perform, recover, and say what came of it."""

    def __init__(
        self,
        registry: Registry,
        artifacts: Artifacts,
        ledger: Ledger,
        *,
        app_dir: Path,
        data_dir: Path,
        token_model: str = "",
        observation_tokens: int = 2000,
    ) -> None:
        """Bind the parts.

        Args:
            registry: all tools.
            artifacts: where results are kept.
            ledger: what says which effects may run.
            app_dir: handed to tools.
            data_dir: handed to tools.
            token_model: whose tokens observations are counted in.
            observation_tokens: cap for records of tools that are not in the registry.
        """
        self.registry = registry
        self._ledger = ledger
        self._artifacts = artifacts
        self._invoker = Invoker(artifacts, app_dir, data_dir)
        self._effects = EffectRuns(registry, self._invoker, ledger)
        self._token_model = token_model
        self._observation_tokens = observation_tokens

    def check(self, call: ToolCall, site: CallSite) -> CheckedCall | CallRecord:
        """The call ready to run, or the record of an error that says what was wanted."""
        try:
            return check_call(self.registry, call, site.expert)
        except ToolError as error:
            spec = self.registry.get(call["name"])
            effect = spec.effect if spec is not None else "read_only"
            return call_record(call, effect, "error", note=_check_note(fault_of(error)))

    def validate_edit(self, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        """Edited arguments as the tool takes them; for `Ledger.decide`.

        Raises:
            InvalidDecision: the tool does not take them.
        """
        spec = self.registry.get(tool)
        if spec is None:
            raise InvalidDecision("a tool that still exists", tool)
        try:
            return checked_args(spec, "", args).args
        except ToolError as error:
            raise InvalidDecision(f"arguments that {tool} takes", error.message) from error

    async def prepare(
        self, checked: CheckedCall, ordinal: int, site: CallSite, *, ttl_s: float
    ) -> EffectRow:
        """Write an effect to the ledger, with the reasons why a person is asked.

        Raises:
            LedgerError: the row cannot be written.
        """
        spec = checked.spec
        reason = "irreversible" if spec.effect == "irreversible" else "approval_rule"
        return await self._ledger.prepare(
            site,
            ordinal,
            checked.call,
            needs_approval=spec.approval,
            approver_teams=spec.approver_teams,
            reasons=(reason,) if spec.approval else (),
            ttl_s=ttl_s,
        )

    async def observe(self, checked: CheckedCall, ordinal: int, site: CallSite) -> CallRecord:
        """Run a read-only call; what goes wrong in the tool becomes an error record.

        Raises:
            ToolError: the call is an effect, which runs only by `perform`.
        """
        spec = checked.spec
        if spec.effect != "read_only":
            message = f"{spec.name} changes records; it runs from a ledger row only"
            raise ToolError(message, kind="not_permitted")
        text, fault = await self._read(checked, ordinal, site)
        kind = RESULT if fault is None else FAULT
        ref = await self._invoker.keep(spec, checked.args, ordinal, site, text=text, kind=kind)
        status: CallStatus = "ok" if ref.kind == RESULT else "error"
        note = fault.note if fault is not None and status == "error" else ""
        return call_record(checked.call, spec.effect, status, artifact=ref.id, note=note)

    async def _read(
        self, checked: CheckedCall, ordinal: int, site: CallSite
    ) -> tuple[str, Fault | None]:
        spec = checked.spec
        key = artifact_id(site, ordinal, spec.name, checked.args)
        try:
            call = self._invoker.begin(spec.function, checked.values, site, key)
            return await kept_text(await within(call, spec.timeout_s)), None
        except GraphBubbleUp:
            raise
        except CallTimeout as error:
            fault = Fault("timeout", str(error), retryable=True)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises becomes an observation
            fault = fault_of(error)
        return fault.text, fault

    async def perform(self, row: EffectRow, site: CallSite) -> CallRecord:
        """Run an approved effect once; see `EffectRuns.perform`."""
        return await self._effects.perform(row, site)

    async def recover(self, row: EffectRow, site: CallSite) -> CallRecord | None:
        """Settle an effect that was found started; None when a person has to be asked."""
        return await self._effects.recover(row, site)

    def closed(self, row: EffectRow) -> CallRecord:
        """The record of an effect that will not run, or not again.

        Raises:
            EffectConflict: it still waits to be decided or run.
        """
        if row.status in ("prepared", "approved"):
            raise EffectConflict(row.id, "a closed row", row.status)
        spec = self.registry.get(row.tool)
        return row_record(row, "irreversible" if spec is None else spec.effect)

    async def observation(self, record: CallRecord, site: CallSite) -> str:
        """What the model reads: the call's result up to its tool's cap, or why there is none."""
        name = record["artifact"]
        found = None
        if name is not None and record["status"] in ("ok", "error"):
            found = await self._artifacts.get(scope_of(site), name)
        if found is None:
            return other_observation(record)
        spec = self.registry.get(record["name"])
        budget = spec.max_output_tokens if spec is not None else self._observation_tokens
        text = result_observation(record, found.text, found.ref.tokens, budget, self._token_model)
        return f"[{record['note']}]\n{text}" if record["note"].startswith(EDITED) else text


def _check_note(fault: Fault) -> str:
    hint = f" ({fault.hint})" if fault.hint else ""
    return one_line(f"{fault.kind}: {fault.message}{hint}", CHECK_NOTE_CHARS)
