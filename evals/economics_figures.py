"""The figures and notes of a run: costs with and without misses, ratios, sizes."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evals.economics_lineage import recent_turns
from evals.registry import Value
from models.caching import RULES, CacheReport, LayoutChoice, PromptCall, simulate

if TYPE_CHECKING:
    from evals.economics import Played, Timed

SHORT = 20
WINDOW = 12
"""Turns that a turn's cost is averaged over: as many as become one paragraph of the done-list."""
MISS_SHARE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Everything a run has brought up."""

    calls: Sequence[PromptCall]
    report: CacheReport
    supervisor: Sequence[PromptCall]
    missing: Sequence[str]
    played: "Played"
    timed: "Timed"
    layouts: Mapping[str, LayoutChoice]


def figures(told: Told) -> Mapping[str, Value]:
    """The figures under their fixed keys."""
    rule, report = RULES["openai"], told.report
    last = report.calls[-1].turn + 1
    misses = simulate(told.calls, rule, miss_share=MISS_SHARE)
    cold = simulate(told.calls, rule, cold_turns=True)
    return {
        "tokens_20": _upto(report, SHORT).tokens,
        "tokens_100": report.tokens,
        "effective_20": round(_upto(report, SHORT).cost),
        "effective_100": round(report.cost),
        "effective_turn_30": round(mean_cost(report, 30)),
        "effective_turn_100": round(mean_cost(report, last)),
        "prefix_hit_ratio": round(report.hit_ratio(), 4),
        "checkpoint_kb_per_turn": round(growth(told.played.sizes_kb), 2),
        "ms_ratio_agenttool": round(told.timed.ratio, 3),
        "supervisor_tokens_100": sum(call.tokens for call in told.supervisor),
        "lineage_ok": int(not told.missing),
        "effective_20_misses": round(_upto(misses, SHORT).cost),
        "effective_100_misses": round(misses.cost),
        "effective_20_cold": round(_upto(cold, SHORT).cost),
        "effective_100_cold": round(cold.cost),
    }


def mean_cost(report: CacheReport, upto: int) -> float:
    """Mean cost of the turns that end with turn `upto`, counted from 1."""
    costs = report.by_turn()
    return statistics.mean(costs.get(turn, 0.0) for turn in range(max(0, upto - WINDOW), upto))


def growth(sizes_kb: Mapping[int, float]) -> float:
    """KB a turn between the first and the last size; from nothing when there is one only."""
    first, last = min(sizes_kb), max(sizes_kb)
    if first == last:
        return sizes_kb[last] / last
    return (sizes_kb[last] - sizes_kb[first]) / (last - first)


def notes(told: Told) -> tuple[str, ...]:
    """What the figures are made of."""
    report, played, timed = told.report, told.played, told.timed
    peer = simulate(told.supervisor, RULES["openai"])
    verbatim = [recent_turns(prompt, played.records) for prompt in played.recording.prompts]
    modules = (
        f"{name} {part.tokens:,} in {len(part.calls)} calls, cost {part.cost:,.0f}"
        for name, part in report.by_module().items()
    )
    sizes = ", ".join(f"{kb:,.0f} kB after {turn}" for turn, kb in played.sizes_kb.items())
    return (
        f"by module: {'; '.join(modules)}",
        f"by block: {', '.join(f'{kind} {size:,}' for kind, size in _by_kind(told.calls))}",
        f"turns verbatim in a prompt: {statistics.mean(verbatim):.1f} on average",
        f"supervisor: {peer.tokens:,} tokens, cost {peer.cost:,.0f};"
        f" ours are {report.tokens / peer.tokens:.3f} of its tokens",
        f"ms per turn p50 without memory: ours {statistics.median(timed.ours_ms):.1f}, experts as"
        f" tools {statistics.median(timed.peer_ms):.1f}; ours with memory"
        f" {statistics.median(played.ms):.1f}",
        f"checkpoint file: {sizes}",
        *(f"cheaper layout: {choice.layout}, {choice.reason}" for choice in told.layouts.values()),
        *(f"missing: {what}" for what in told.missing[:5]),
    )


def _upto(report: CacheReport, turns: int) -> CacheReport:
    return CacheReport(report.rule, tuple(call for call in report.calls if call.turn < turns))


def _by_kind(calls: Sequence[PromptCall]) -> list[tuple[str, int]]:
    sizes: dict[str, int] = {}
    for call in calls:
        for block in call.blocks:
            sizes[block.kind] = sizes.get(block.kind, 0) + block.tokens
    return sorted(sizes.items())
