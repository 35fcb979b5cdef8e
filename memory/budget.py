"""The window as a budget: C >= S + M + T + H + R, checked by exact count before every call.

S system text, M Memory Message, T tool catalogue, H everything of the thread (summary, history,
question, brief, scratchpad), R the reserved reply. Each has a fixed share of the window C; what one
leaves unused flows down a priority list. A prompt that is too large is reduced by named strategies
in a configured order, each with a note of what it took, and never silently.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from langchain_core.messages import AnyMessage, ToolMessage

from configs.sections import BudgetSettings, Component, Strategy
from models.errors import ContextOverflow
from models.prompts import block_kind
from models.tokens import PRIMING_TOKENS, count, count_message, count_tools, truncate

COMPONENTS: Final[tuple[Component, ...]] = ("system", "memory", "tools", "history", "reply")
_COMPONENT_OF: Final[Mapping[str, Component]] = {
    "charter": "system",
    "memory": "memory",
    "tool": "tools",
}
RESULT_FLOOR_TOKENS: Final = 120
LINE_TOKENS: Final = 40


@dataclass(frozen=True, slots=True)
class Part:
    """One block of a prompt; `place` is its index among the messages, -1 for the tools."""

    place: int
    kind: str
    component: Component
    tokens: int


@dataclass(frozen=True, slots=True)
class Breakdown:
    """What a prompt costs, block by block, against its window."""

    window: int
    reply: int
    parts: tuple[Part, ...]

    @property
    def by_component(self) -> dict[Component, int]:
        """Tokens of S, M, T, H and R."""
        sizes: dict[Component, int] = dict.fromkeys(COMPONENTS, 0)
        for part in self.parts:
            sizes[part.component] += part.tokens
        return {**sizes, "reply": self.reply}

    @property
    def total(self) -> int:
        """S + M + T + H + R."""
        return PRIMING_TOKENS + self.reply + sum(part.tokens for part in self.parts)

    @property
    def excess(self) -> int:
        """Tokens over the window; 0 when it fits."""
        return max(0, self.total - self.window)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prompt that fits, and what had to be taken from it."""

    messages: list[AnyMessage]
    breakdown: Breakdown
    reductions: list[str] = field(default_factory=list)


def component_of(kind: str) -> Component:
    """Which of S, M, T and H a block of this kind belongs to."""
    return _COMPONENT_OF.get(kind, "history")


def preflight(
    messages: Sequence[AnyMessage],
    tools: Sequence[Mapping[str, Any]],
    *,
    window: int,
    reply: int,
    model: str = "",
) -> Breakdown:
    """Count a prompt exactly, block by block."""
    parts = [Part(-1, "tools", "tools", count_tools(tools, model))] if tools else []
    for place, message in enumerate(messages):
        kind = block_kind(message)
        parts.append(Part(place, kind, component_of(kind), count_message(message, model)))
    return Breakdown(window, reply, tuple(parts))


def allocate(
    window: int, needs: Mapping[Component, int], settings: BudgetSettings
) -> dict[Component, int]:
    """Tokens each component may use: its share, then what others leave, by priority.

    The allocations never exceed the window in sum, and none exceeds its need.
    """
    given = {
        name: min(needs.get(name, 0), int(settings.shares[name] * window)) for name in COMPONENTS
    }
    left = window - sum(given.values())
    for name in settings.priority:
        more = min(left, needs.get(name, 0) - given[name])
        given[name] += more
        left -= more
    return given


def fit(
    messages: Sequence[AnyMessage],
    tools: Sequence[Mapping[str, Any]],
    settings: BudgetSettings,
    *,
    window: int,
    reply: int,
    model: str = "",
) -> Fitted:
    """The prompt as it may be sent; the charter, the question and the brief are never touched.

    Raises:
        ContextOverflow: no strategy can make it fit; names the biggest block and what to do.
    """
    fitted = list(messages)
    breakdown = preflight(fitted, tools, window=window, reply=reply, model=model)
    reductions: list[str] = []
    for name in settings.strategies:
        if not breakdown.excess:
            break
        before = breakdown.total
        limits = allocate(window, breakdown.by_component, settings)
        fitted = _STRATEGIES[name](fitted, breakdown, limits, model)
        breakdown = preflight(fitted, tools, window=window, reply=reply, model=model)
        if breakdown.total < before:
            reductions.append(f"{name}: {before - breakdown.total} tokens taken")
    if breakdown.excess:
        raise _overflow(breakdown)
    return Fitted(fitted, breakdown, reductions)


def _overflow(breakdown: Breakdown) -> ContextOverflow:
    biggest = max(breakdown.parts, key=lambda part: part.tokens)
    advice = {
        "tools": "offer fewer tools",
        "charter": "shorten configs/prompts/charter.md",
        "question": "ask a shorter question",
    }.get(biggest.kind, "shorten it")
    return ContextOverflow(
        wanted=f"a prompt of at most {breakdown.window} tokens, the reply included",
        came=f"{breakdown.total}, {breakdown.reply} of them kept for the reply",
        next_step=(
            f"The biggest block is {biggest.kind!r} with {biggest.tokens}; {advice}, "
            "or set a larger context_tokens for this model."
        ),
    )


def _shrink_results(
    messages: list[AnyMessage],
    breakdown: Breakdown,
    limits: Mapping[Component, int],
    model: str,
) -> list[AnyMessage]:
    """Cut the largest tool results of the scratchpad first, each with the way to get the rest."""
    excess, shrunk = breakdown.excess, list(messages)
    for part in sorted(breakdown.parts, key=lambda part: -part.tokens):
        message = messages[part.place] if part.place >= 0 else None
        if excess <= 0 or not isinstance(message, ToolMessage):
            continue
        keep = max(RESULT_FLOOR_TOKENS, part.tokens - excess - RESULT_FLOOR_TOKENS)
        if keep >= part.tokens:
            continue
        shrunk[part.place] = _cut_result(message, keep, model)
        excess -= part.tokens - count_message(shrunk[part.place], model)
    return shrunk


def _cut_result(message: ToolMessage, keep: int, model: str) -> ToolMessage:
    text = str(message.text)
    shown = truncate(text, keep, model)
    where = f'recall_artifact(id="{message.artifact}")' if message.artifact else "a narrower call"
    note = (
        f"\n[The call ran. Shortened to fit the window: {keep} of {count(text, model)} tokens "
        f"shown; use {where} for the rest.]"
    )
    return message.model_copy(update={"content": f"{shown}{note}"})


def _shrink_memory(
    messages: list[AnyMessage],
    breakdown: Breakdown,
    limits: Mapping[Component, int],
    model: str,
) -> list[AnyMessage]:
    """Cut the Memory Message to its allocation, line by line; leave it out when nothing stays."""
    shrunk: list[AnyMessage] = []
    allowed = max(0, min(limits["memory"], breakdown.by_component["memory"] - breakdown.excess))
    for message in messages:
        if block_kind(message) != "memory":
            shrunk.append(message)
            continue
        lines = str(message.text).splitlines()
        while lines and count("\n".join(lines), model) > allowed:
            lines.pop()
        if len(lines) > 1:
            shrunk.append(message.model_copy(update={"content": "\n".join(lines)}))
    return shrunk


def _shorten_history(
    messages: list[AnyMessage],
    breakdown: Breakdown,
    limits: Mapping[Component, int],
    model: str,
) -> list[AnyMessage]:
    """Reduce the oldest turns to their first lines, the newest turn last."""
    excess, shrunk = breakdown.excess, list(messages)
    for part in breakdown.parts:
        if excess <= 0 or part.kind != "history":
            continue
        text = str(messages[part.place].text)
        short = f"{truncate(text, LINE_TOKENS, model)}… (shortened to fit the window)\n"
        changed = messages[part.place].model_copy(update={"content": short})
        saved = part.tokens - count_message(changed, model)
        if saved > 0:
            shrunk[part.place] = changed
            excess -= saved
    return shrunk


def _drop_history(
    messages: list[AnyMessage],
    breakdown: Breakdown,
    limits: Mapping[Component, int],
    model: str,
) -> list[AnyMessage]:
    """Leave out the oldest turns, and the summary last; the database keeps both."""
    excess, gone = breakdown.excess, set[int]()
    for kind in ("history", "summary"):
        for part in breakdown.parts:
            if excess > 0 and part.kind == kind:
                gone.add(part.place)
                excess -= part.tokens
    return [message for place, message in enumerate(messages) if place not in gone]


_Strategy: TypeAlias = Callable[
    [list[AnyMessage], Breakdown, Mapping[Component, int], str], list[AnyMessage]
]
_STRATEGIES: Final[Mapping[Strategy, _Strategy]] = {
    "shrink_results": _shrink_results,
    "shrink_memory": _shrink_memory,
    "shorten_history": _shorten_history,
    "drop_history": _drop_history,
}
