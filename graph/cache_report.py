"""A thread's model calls under a provider's cache rule, beside what the provider has reported."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from configs.sections import ModelProfile
from memory.call_log import LoggedCall
from models.caching import RULES, CacheReport, PromptCall, mark_points, simulate
from models.caching_marks import RULE_OF, style_of

TOTAL = "all"
CLOSE = 0.1
"""Predicted and reported shares that differ by less than this agree."""


@dataclass(frozen=True, slots=True)
class ModuleRow:
    """One module's calls: prompt tokens, tokens predicted and reported as cached, predicted cost.

    `reported` is None when the provider gave no figures for any of the calls.
    """

    module: str
    calls: int
    tokens: int
    predicted: int
    reported: int | None
    cost: float

    @property
    def cells(self) -> tuple[str, ...]:
        """The row as text."""
        reported = "-" if self.reported is None else f"{self.reported:,}"
        return (
            self.module,
            str(self.calls),
            f"{self.tokens:,}",
            f"{self.predicted:,}",
            reported,
            f"{self.cost:,.0f}",
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Rows by module with the total last, and what to make of them."""

    rule: str
    rows: list[ModuleRow]
    notes: list[str] = field(default_factory=list)


def rule_of(profile: ModelProfile) -> str:
    """Name of the rule that a profile's endpoint follows, as far as can be told."""
    style = style_of(profile)
    if style in RULE_OF:
        return RULE_OF[style]
    return "vllm" if profile.provider == "openai" else "openai"


def compare(calls: Sequence[LoggedCall], rule: str) -> Comparison:
    """Predict what each call reads from the cache and set the provider's figures beside it.

    Args:
        calls: a thread's, in order.
        rule: a name in `models.caching.RULES`.
    """
    report = simulate([_prompt(call) for call in calls], RULES[rule])
    names = sorted({call.module for call in calls})
    rows = [_row(name, report, calls, {name}) for name in names]
    rows.append(_row(TOTAL, report, calls, set(names)))
    return Comparison(rule, rows, _notes(rows[-1], report))


def _prompt(call: LoggedCall) -> PromptCall:
    marks = mark_points(call.blocks)
    return PromptCall(call.module, call.at.timestamp(), call.blocks, marks, call.turn)


def _row(
    name: str, report: CacheReport, calls: Sequence[LoggedCall], modules: set[str]
) -> ModuleRow:
    chosen = [
        (cost, call)
        for cost, call in zip(report.calls, calls, strict=True)
        if call.module in modules
    ]
    told = [call.read for _, call in chosen if not call.counted]
    return ModuleRow(
        module=name,
        calls=len(chosen),
        tokens=sum(cost.tokens for cost, _ in chosen),
        predicted=sum(cost.read for cost, _ in chosen),
        reported=sum(told) if told else None,
        cost=round(sum(cost.cost for cost, _ in chosen), 1),
    )


def _notes(total: ModuleRow, report: CacheReport) -> list[str]:
    notes = [
        f"Under the rule {report.rule}, {report.hit_ratio(0):.0%} of all prompt tokens come from"
        f" the cache, {report.hit_ratio():.0%} in calls of more than 1,024 tokens."
    ]
    if total.reported is None:
        notes.append("The provider has reported no figures; nothing can be compared.")
        return notes
    gap = (total.predicted - total.reported) / total.tokens
    if abs(gap) < CLOSE:
        notes.append("The provider's figures agree with the prediction.")
    elif gap > 0:
        notes.append(
            "The provider has served less than predicted: idle gaps, another machine, or another"
            " rule. `hippograph cache-probe` shows how it behaves."
        )
    else:
        notes.append("The provider has served more than predicted: it follows another rule.")
    return notes
