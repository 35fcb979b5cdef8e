"""What a sequence of prompts costs under a provider's prompt cache, predicted without a network.

Pure: prompts in, tokens read, written and uncached out, call by call, in total and by module. The
unit of cost is one uncached prompt token of the provider; output tokens are not in it.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from models.caching_blocks import Block, PromptCall, blocks_of, mark_points
from models.caching_providers import RULES
from models.caching_rules import Rule, Served

__all__ = [
    "RULES",
    "Block",
    "CacheReport",
    "CallCost",
    "LayoutChoice",
    "PromptCall",
    "blocks_of",
    "choose_layout",
    "mark_points",
    "simulate",
]

Layout = Literal["shared-prefix", "per-module"]


@dataclass(frozen=True, slots=True)
class CallCost:
    """One call's prompt: tokens read from the cache, written at a price, and neither."""

    module: str
    turn: int
    tokens: int
    read: int
    written: int
    uncached: int
    cost: float


@dataclass(frozen=True, slots=True)
class CacheReport:
    """Costs of all calls under one rule."""

    rule: str
    calls: tuple[CallCost, ...]

    @property
    def tokens(self) -> int:
        """Prompt tokens of all calls."""
        return sum(call.tokens for call in self.calls)

    @property
    def read(self) -> int:
        """Tokens read from the cache."""
        return sum(call.read for call in self.calls)

    @property
    def cost(self) -> float:
        """Cost of all calls."""
        return sum(call.cost for call in self.calls)

    def hit_ratio(self, over_tokens: int = 1024) -> float:
        """Cached tokens over all prompt tokens of calls that are larger than `over_tokens`."""
        large = [call for call in self.calls if call.tokens > over_tokens]
        total = sum(call.tokens for call in large)
        return sum(call.read for call in large) / total if total else 0.0

    def by_module(self) -> dict[str, "CacheReport"]:
        """The same for each module alone, by name."""
        names = sorted({call.module for call in self.calls})
        return {name: self._only(name) for name in names}

    def by_turn(self) -> dict[int, float]:
        """Cost of each turn."""
        costs: dict[int, float] = {}
        for call in self.calls:
            costs[call.turn] = costs.get(call.turn, 0.0) + call.cost
        return costs

    def _only(self, module: str) -> "CacheReport":
        return CacheReport(self.rule, tuple(c for c in self.calls if c.module == module))


@dataclass(frozen=True, slots=True)
class LayoutChoice:
    """The cheaper layout, why, and what each costs."""

    layout: Layout
    reason: str
    costs: Mapping[Layout, float]


def simulate(
    calls: Iterable[PromptCall],
    rule: Rule,
    *,
    miss_share: float = 0.0,
    seed: int = 0,
    cold_turns: bool = False,
) -> CacheReport:
    """Predict what each call reads from the cache.

    Args:
        calls: in the order of their times; all share one cache.
        rule: the provider's, such as `RULES["openai"]`.
        miss_share: share of the calls that read nothing, as when a request is routed elsewhere.
        seed: makes those misses repeatable.
        cold_turns: begin every turn with an empty cache.
    """
    chance, cache, turn = random.Random(seed), rule.fresh(), None
    costs = []
    for call in calls:
        if cold_turns and call.turn != turn:
            cache, turn = rule.fresh(), call.turn
        served = cache.serve(call)
        if miss_share and chance.random() < miss_share:
            served = Served(0, served.read + served.written if served.written else 0)
        costs.append(_cost(call, served, rule))
    return CacheReport(rule.name, tuple(costs))


def choose_layout(by_layout: Mapping[Layout, Sequence[PromptCall]], rule: Rule) -> LayoutChoice:
    """Which layout is cheaper for a provider, by simulating the same work in both.

    Args:
        by_layout: the calls of the same turns in each layout.
        rule: the provider's.
    """
    reports = {layout: simulate(calls, rule) for layout, calls in by_layout.items()}
    costs = {layout: report.cost for layout, report in reports.items()}
    best = min(sorted(costs, reverse=True), key=lambda layout: costs[layout])
    parts = [
        f"{layout} costs {costs[layout]:,.0f} for {report.tokens:,} prompt tokens, "
        f"{report.hit_ratio(0):.0%} of them cached"
        for layout, report in sorted(reports.items(), reverse=True)
    ]
    return LayoutChoice(best, f"under the rule {rule.name}: {'; '.join(parts)}", costs)


def _cost(call: PromptCall, served: Served, rule: Rule) -> CallCost:
    read = min(served.read, call.tokens)
    written = min(served.written, call.tokens - read)
    uncached = call.tokens - read - written
    cost = uncached + rule.read_price * read + rule.write_price * written
    return CallCost(call.module, call.turn, call.tokens, read, written, uncached, cost)
