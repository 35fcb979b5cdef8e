"""Runs tools: checks a call, runs it once within its time, keeps the result, never breaks a turn.

Reads run as often as they are asked for. Effects run only from a ledger row, once per approval,
and are never repeated: what came of one that did not come back is looked up or asked.
"""

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Final

from configs.masking import NO_MASKING, Masking
from configs.safety import EscalationSettings, SafetySettings
from configs.sandbox import SANDBOX, SandboxSettings
from memory.artifacts import Artifacts
from memory.failing import EDITED
from memory.tool_log import ToolLog
from models.quoting import quoted
from state import CallRecord, ToolCall
from tools.checking import CheckedCall, check_call, checked_args
from tools.effect_runs import EffectRuns
from tools.effects import EffectRow
from tools.errors import EffectConflict, InvalidDecision, ToolError
from tools.escalation import Grounds, reasons_to_ask
from tools.injection import Scan, no_scan
from tools.invoking import Invoker, scope_of
from tools.ledger import Ledger
from tools.names import NamedCall, Names
from tools.observations import other_observation, result_observation
from tools.outcomes import Outcomes, Place
from tools.reading import Reads
from tools.records import call_record, row_record
from tools.registry import Registry
from tools.result_cache import ResultCache
from tools.results import Fault, fault_of, one_line
from tools.spec import CallSite, ToolSpec

__all__ = ["CheckedCall", "Executor", "NamedCall"]

CHECK_NOTE_CHARS: Final = 600
PLAIN: Final = SafetySettings(quote_results=False, scan_results=False)
OWN_RULE_ONLY: Final = EscalationSettings(min_confidence=0, auto_budget_usd=None, taint="off")
DECIDED: Final = ("rejected", "expired", "responded")


class Executor:
    """The experts' hands: check, observe, perform, recover, and say what came of it."""

    def __init__(
        self,
        registry: Registry,
        artifacts: Artifacts,
        ledger: Ledger,
        log: ToolLog,
        *,
        app_dir: Path,
        data_dir: Path,
        masking: Masking = NO_MASKING,
        scan: Scan = no_scan,
        safety: SafetySettings = PLAIN,
        escalation: EscalationSettings | None = None,
        sandbox: SandboxSettings = SANDBOX,
        token_model: str = "",
        observation_tokens: int = 2000,
        parallel_calls: int = 16,
        today: Callable[[], date] = date.today,
    ) -> None:
        """Bind the parts.

        Args:
            registry: all tools.
            artifacts: where results are kept.
            ledger: what says which effects may run.
            log: the audit of calls.
            app_dir: handed to tools.
            data_dir: handed to tools.
            masking: takes secrets out of results and errors.
            scan: looks for instructions in results.
            safety: how results are shown.
            escalation: when a person is asked.
            sandbox: limits of the programs that tools run.
            token_model: whose tokens observations are counted in.
            observation_tokens: cap for records of tools that are not in the registry.
            parallel_calls: how many reads may run at the same time.
            today: the app's day, handed to tools.
        """
        self.registry = registry
        self._ledger = ledger
        self._safety = safety
        self._escalation = escalation or EscalationSettings()
        self._artifacts = artifacts
        self._outcomes = Outcomes(artifacts, log, masking, scan)
        invoker, cache = Invoker(app_dir, data_dir, sandbox, today), ResultCache()
        self._reads = Reads(invoker, self._outcomes, cache, parallel_calls=parallel_calls)
        self._names = Names(registry, self._reads)

        def changed(site: CallSite) -> None:
            cache.forget(site.tenant)
            self._names.forget(site)

        self._effects = EffectRuns(registry, invoker, ledger, self._outcomes, changed)
        self._token_model = token_model
        self._observation_tokens = observation_tokens

    def check(self, call: ToolCall, site: CallSite) -> CheckedCall | CallRecord:
        """The call ready to run, or the record of an error that says what was wanted."""
        try:
            return check_call(self.registry, call, site)
        except ToolError as error:
            note = _check_note(fault_of(error, self._outcomes.masking))
            return self.fault_record(call, note)

    async def named(self, call: ToolCall, site: CallSite) -> NamedCall:
        """The call with ids in the place of names; a call that may not run anyway as it is."""
        checked = self.check(call, site)
        if not isinstance(checked, CheckedCall) or not checked.spec.names:
            return NamedCall(call)
        return await self._names.settle(checked, site)

    def fault_record(self, call: ToolCall, fault: str) -> CallRecord:
        """The record of a call that was kept from running."""
        spec = self.registry.get(call["name"])
        effect = spec.effect if spec is not None else "read_only"
        return call_record(call, effect, "error", note=fault)

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
        self,
        checked: CheckedCall,
        ordinal: int,
        site: CallSite,
        *,
        ttl_s: float,
        grounds: Grounds | None = None,
    ) -> EffectRow:
        """Write an effect to the ledger, with the reasons why a person is asked.

        Args:
            checked: the call.
            ordinal: its place among its expert's calls.
            site: where it comes from.
            ttl_s: how long the question to a person stays open.
            grounds: what it is judged by; without any, only the tool's own rule counts.

        Raises:
            LedgerError: the row cannot be written.
        """
        spec = checked.spec
        rules = self._escalation if grounds is not None else OWN_RULE_ONLY
        reasons = reasons_to_ask(checked, grounds or Grounds(), rules)
        return await self._ledger.prepare(
            site,
            ordinal,
            checked.call,
            needs_approval=bool(reasons),
            approver_teams=spec.approver_teams,
            reasons=reasons,
            ttl_s=ttl_s,
        )

    async def observe(self, checked: CheckedCall, ordinal: int, site: CallSite) -> CallRecord:
        """Run a read-only call; what goes wrong in the tool becomes an error record.

        Its result can be read at once and is on disk after `flush`.

        Raises:
            ToolError: the call is an effect, which runs only by `perform`.
        """
        spec = checked.spec
        if spec.effect != "read_only":
            message = f"{spec.name} changes records; it runs from a ledger row only"
            raise ToolError(message, kind="not_permitted")
        return await self._reads.run(checked, ordinal, site)

    def refuse(self, records: Sequence[CallRecord], first_ordinal: int, site: CallSite) -> None:
        """Put calls that may not run into the audit, numbered from an ordinal on."""
        self._outcomes.audit_refused(site, records, first_ordinal)

    async def flush(self) -> None:
        """Wait until the results and audit rows of all calls so far are on disk.

        Raises:
            SQLAlchemyError: they cannot be written.
        """
        await self._outcomes.group.flush()

    async def perform(self, row: EffectRow, site: CallSite) -> CallRecord:
        """Run an approved effect once; see `EffectRuns.perform`."""
        return await self._effects.perform(row, site)

    async def recover(self, row: EffectRow, site: CallSite) -> CallRecord | None:
        """Settle an effect that was found started; None when a person has to be asked."""
        return await self._effects.recover(row, site)

    def closed(self, row: EffectRow, site: CallSite) -> CallRecord:
        """The record of an effect that will not run, or not again.

        Raises:
            EffectConflict: it still waits to be decided or run.
        """
        if row.status in ("prepared", "approved"):
            raise EffectConflict(row.id, "a closed row", row.status)
        spec = self.registry.get(row.tool)
        record = row_record(row, "irreversible" if spec is None else spec.effect)
        if record["status"] in DECIDED:  # those that ran are in the audit since then
            place = Place(row.ordinal, row.tool_call_id, row.args, row.id)
            self._outcomes.audit(site, place, record, spec=spec)
        return record

    async def text_of(self, record: CallRecord, site: CallSite) -> str:
        """All of what a call left, as it is kept; empty when it left nothing."""
        if record["artifact"] is None or record["status"] not in ("ok", "error"):
            return ""
        found = await self._artifacts.get(scope_of(site), record["artifact"])
        return "" if found is None else found.text

    def is_suspicious(self, text: str) -> bool:
        """Whether a text looks like instructions to the model that reads it."""
        return self._outcomes.suspicion(text) >= self._safety.suspicion

    def _wrapping(self, spec: ToolSpec | None, text: str) -> Callable[[str], str]:
        """How a result is shown: one from outside between marks, with a warning if need be."""
        if not self._safety.quote_results or (spec is not None and spec.trusted):
            return str
        return partial(quoted, suspicious=self.is_suspicious(text))

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
        wrap = self._wrapping(spec, found.text)
        text = result_observation(
            record, found.text, found.ref.tokens, budget, self._token_model, wrap=wrap
        )
        return f"[{record['note']}]\n{text}" if record["note"].startswith(EDITED) else text


def _check_note(fault: Fault) -> str:
    hint = f" ({fault.hint})" if fault.hint else ""
    return one_line(f"{fault.kind}: {fault.message}{hint}", CHECK_NOTE_CHARS)
