"""Four designs of what a module reads of a dialogue, each as tokens before the present question.

The question, the calls made for it and the finding come on top and are the same in all designs;
the full trajectory alone shows the synthesizer the calls too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from evals.dialogue_turns import DialogueTurn
from models.tokens import count_message

PLAN_TOKENS = 24
"""The router's own earlier reply: one call of `submit_plan` that names an expert."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Exact tokens of a turn's parts; `scratch[k]` are those of its first k calls and results."""

    question: int
    scratch: tuple[int, ...]
    finding: int
    answer: int

    @property
    def all(self) -> int:
        """Everything the turn has left."""
        return self.question + self.scratch[-1] + self.finding + self.answer


def sizes_of(turn: DialogueTurn) -> Sizes:
    """Count a turn's messages; the expert's finding is what the recorded agent said."""
    scratch = [0]
    for number, call in enumerate(turn.calls):
        asked = {"name": call.name, "args": call.args, "id": f"call_{number}"}
        made = AIMessage("", tool_calls=[asked])
        result = ToolMessage(call.result, tool_call_id=f"call_{number}")
        scratch.append(scratch[-1] + count_message(made) + count_message(result))
    said = count_message(AIMessage(turn.answer))
    return Sizes(count_message(HumanMessage(turn.user)), tuple(scratch), said, said)


class Design(Protocol):
    """What one dialogue's modules have before them; one object for each dialogue."""

    sees_calls: bool

    def before(self, module: str) -> int:
        """Tokens of the past that a module reads."""

    def close(self, turn: DialogueTurn, sizes: Sizes) -> None:
        """Add a turn to the past."""


@dataclass(slots=True)
class FullTrajectory:
    """Every module reads every message, call and result."""

    sees_calls: bool = True
    total: int = 0

    def before(self, module: str) -> int:
        """The same for all modules."""
        return self.total

    def close(self, turn: DialogueTurn, sizes: Sizes) -> None:
        """Keep all of the turn."""
        self.total += sizes.all


@dataclass(slots=True)
class PerModule:
    """A module reads its own earlier work in full and nothing of the others'."""

    sees_calls: bool = False
    totals: dict[str, int] = field(default_factory=dict)

    def before(self, module: str) -> int:
        """The module's own past."""
        return self.totals.get(module, 0)

    def close(self, turn: DialogueTurn, sizes: Sizes) -> None:
        """Give each module its part."""
        parts = {
            "router": sizes.question + PLAN_TOKENS,
            turn.expert: sizes.question + sizes.scratch[-1] + sizes.finding,
            "synthesizer": sizes.question + sizes.finding + sizes.answer,
        }
        for module, tokens in parts.items():
            self.totals[module] = self.before(module) + tokens


@dataclass(slots=True)
class Utterances:
    """Every module reads what user and agent said, and no call."""

    sees_calls: bool = False
    total: int = 0

    def before(self, module: str) -> int:
        """The same for all modules."""
        return self.total

    def close(self, turn: DialogueTurn, sizes: Sizes) -> None:
        """Keep the two utterances."""
        self.total += sizes.question + sizes.answer


def tokens_by_module(turn: DialogueTurn, sizes: Sizes, design: Design) -> Mapping[str, int]:
    """Prompt tokens of a turn's calls: one of the router, one for each step of the expert, one."""
    past = design.before(turn.expert)
    shown = sizes.scratch[-1] if design.sees_calls else 0
    return {
        "router": design.before("router") + sizes.question,
        "expert": sum(past + sizes.question + made for made in sizes.scratch),
        "synthesizer": design.before("synthesizer") + sizes.question + shown + sizes.finding,
    }


MakeDesign = Callable[[], Design]
