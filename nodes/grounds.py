"""What an effect is judged by: confidence, cost so far, and where its module's words come from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from memory.spending import Spending
from memory.tool_log import ToolLog
from memory.working import folded_text
from nodes.expert_state import ExpertState, made_calls
from nodes.shared import shared_of
from state import CallRecord
from tools.escalation import Grounds
from tools.executor import Executor
from tools.spec import CallSite
from tools.taint import OutsideText, Sources

MOST_EARLIER_CALLS: Final = 30
RAN: Final = ("ok", "error", "responded")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundsReader:
    """Collects the grounds; a store that fails ends the turn, so that no effect runs unjudged."""

    executor: Executor
    spending: Spending
    tool_log: ToolLog

    async def __call__(
        self,
        state: ExpertState,
        rounds: Sequence[Sequence[CallRecord]],
        site: CallSite,
        confidence: float | None = None,
    ) -> Grounds:
        """The grounds of an expert that asks for effects now.

        Args:
            state: the expert's.
            rounds: its calls so far.
            site: where the calls come from.
            confidence: the asking model's own, where it gives one; the plan's counts too.
        """
        now, earlier = made_calls(rounds), _earlier(state)
        sources, suspicious = await self._sources(state, [*earlier, *now], site)
        stated = [one for one in (state.get("confidence"), confidence) if one is not None]
        spent = await self.spending.of_turn(site.thread, state["turn"]["index"])
        tools = await self.tool_log.cost_of_turn(site.tenant, site.thread, site.turn_id)
        made: dict[str, int] = {}
        for record in now:
            if record["effect"] != "read_only":
                made[record["name"]] = made.get(record["name"], 0) + 1
        return Grounds(
            confidence=min(stated, default=None),
            spent_usd=spent + tools,
            sources=sources,
            suspicious=suspicious,
            made=made,
        )

    async def _sources(
        self, state: ExpertState, records: Iterable[CallRecord], site: CallSite
    ) -> tuple[Sources, list[str]]:
        trusted, outside, suspicious = list[str](), _remembered(state), list[str]()
        for record in records:
            text = await self.executor.text_of(record, site)
            if not text:
                continue
            spec = self.executor.registry.get(record["name"])
            if spec is not None and spec.trusted:
                trusted.append(text)
                continue
            outside.append(OutsideText(record["name"], text))
            if self.executor.is_suspicious(text):
                suspicious.append(record["name"])
        return Sources(_said(state), trusted, outside), suspicious


def _earlier(state: ExpertState) -> list[CallRecord]:
    """Calls of earlier turns whose results may live on in what was said."""
    calls = [
        call
        for record in state["history"]
        for module in record["modules"]
        for call in module["calls"]
        if call["status"] in RAN
    ]
    return calls[-MOST_EARLIER_CALLS:]


def _said(state: ExpertState) -> list[str]:
    """The user's own words, as far back as they are kept word for word."""
    earlier = [record["user"] for record in state["history"]]
    asked = [item["request"] for item in state["done"]]
    return [state["turn"]["text"], *earlier, *state["constraints"], *asked]


def _remembered(state: ExpertState) -> list[OutsideText]:
    """What was recalled, and what is left of folded turns; nobody can say whose words these are."""
    shared = shared_of(state)
    kept = {"memory": shared["memory"]["text"], "summary": folded_text(shared)}
    return [OutsideText(origin, text) for origin, text in kept.items() if text]
