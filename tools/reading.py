"""Runs read-only calls: within their limits, from the cache, tried again, kept and audited."""

import asyncio
import random
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Final

from langgraph.errors import GraphBubbleUp

from configs.masking import Masked
from state import CallRecord, CallStatus
from tools.checking import CheckedCall
from tools.effects import artifact_id
from tools.errors import ToolError
from tools.invoking import Invoker, scope_of
from tools.outcomes import RESULT, Outcomes, Place, Ran
from tools.records import call_record
from tools.result_cache import ResultCache
from tools.results import Fault, fault_note, fault_of
from tools.running import within
from tools.spec import CallSite

FIRST_PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 2.0
COUNTED_TURNS: Final = 256


class Reads:
    """The part of the executor that runs what changes nothing."""

    def __init__(
        self,
        invoker: Invoker,
        outcomes: Outcomes,
        cache: ResultCache,
        *,
        parallel_calls: int = 16,
        first_pause_s: float = FIRST_PAUSE_S,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Bind the parts.

        Args:
            invoker: calls functions.
            outcomes: keeps what came of them.
            cache: results that may be used again.
            parallel_calls: how many may run at the same time.
            first_pause_s: before the second try; doubled for each further one.
            jitter: from 0 to 1, spreads the pauses.
        """
        self._invoker = invoker
        self._outcomes = outcomes
        self._cache = cache
        self._room = asyncio.Semaphore(parallel_calls)
        self._first_pause_s = first_pause_s
        self._jitter = jitter
        self._counts: OrderedDict[tuple[str, str], Counter[str]] = OrderedDict()

    async def run(self, checked: CheckedCall, ordinal: int, site: CallSite) -> CallRecord:
        """Run a call; what goes wrong in the tool becomes an error record.

        A call that has left a result already, in a node that is run again, gives that one.
        """
        spec, place = checked.spec, Place(ordinal, checked.id, checked.args)
        id_ = artifact_id(site, ordinal, spec.name, checked.args)
        stored = await self._outcomes.stored(site, id_)
        if stored is not None:
            status: CallStatus = "ok" if stored.ref.kind == RESULT else "error"
            note = "" if status == "ok" else fault_note(stored.text)
            return call_record(checked.call, spec.effect, status, artifact=id_, note=note)
        ran = await self._outcome(checked, site, id_)
        ref = self._outcomes.keep(spec, place, site, ran)
        record = call_record(
            checked.call,
            spec.effect,
            "ok" if ran.fault is None else "error",
            artifact=ref.id,
            note="" if ran.fault is None else ran.fault.note,
        )
        self._outcomes.audit(site, place, record, ran=ran, spec=spec)
        return record

    async def text(self, checked: CheckedCall, ordinal: int, site: CallSite) -> str:
        """All of a call's result, kept and audited like any other's.

        Raises:
            ToolError: the call has failed.
        """
        record = await self.run(checked, ordinal, site)
        found = await self._outcomes.artifacts.get(scope_of(site), str(record["artifact"]))
        if record["status"] != "ok" or found is None:
            raise ToolError(f"{checked.spec.name} failed, {record['note']}", kind="unavailable")
        return found.text

    async def _outcome(self, checked: CheckedCall, site: CallSite, key: str) -> Ran:
        spec = checked.spec
        kept = self._cache.get(spec, checked.args, site)
        if kept is not None:
            return Ran(Masked(kept, 0), cached=True, tries=0)
        fault = self._over_limit(checked, site)
        if fault is not None:
            return Ran(Masked(fault.text, 0), fault, tries=0)
        async with self._room:
            ran = await self._tried(checked, site, key)
        if ran.fault is None:
            self._cache.put(spec, checked.args, site, ran.text.text)
        return ran

    async def _tried(self, checked: CheckedCall, site: CallSite, key: str) -> Ran:
        """Try until it works, the tries are used up, or an error says that it will not."""
        began, tries = time.perf_counter(), 0
        while True:
            tries += 1
            ran = await self._once(checked, site, key)
            fault = ran.fault
            again = fault is not None and fault.retryable and fault.kind != "timeout"
            if not again or tries >= checked.spec.tries:
                spent_ms = (time.perf_counter() - began) * 1000
                return Ran(ran.text, fault, tries=tries, duration_ms=spent_ms)
            pause_s = self._first_pause_s * (2 ** (tries - 1) + self._jitter())
            await asyncio.sleep(min(pause_s, LONGEST_PAUSE_S))

    async def _once(self, checked: CheckedCall, site: CallSite, key: str) -> Ran:
        spec = checked.spec
        try:
            call = self._invoker.begin(spec.function, checked.values, site, key)
            return Ran(await self._outcomes.text_of(await within(call, spec.timeout_s)))
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a tool raises becomes an observation
            fault = fault_of(error, self._outcomes.masking)
            return Ran(Masked(fault.text, 0), fault)

    def _over_limit(self, checked: CheckedCall, site: CallSite) -> Fault | None:
        """Count the call, unless its tool was called often enough in this turn."""
        spec, turn = checked.spec, (site.thread, site.turn_id)
        if spec.max_calls is None:
            return None
        counts = self._counts.setdefault(turn, Counter())
        while len(self._counts) > COUNTED_TURNS:
            self._counts.popitem(last=False)
        if counts[spec.name] >= spec.max_calls:
            message = f"{spec.name} may be called {spec.max_calls} times in a turn, and was"
            return fault_of(ToolError(message, kind="over_limit", hint="use what you have"))
        counts[spec.name] += 1
        return None
