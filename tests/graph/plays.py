"""Plays for the scripted models: who is asked for a question, and what each module says in turn.

A play looks only at the prompt, so that a second process with the same play goes on where the
first one was stopped.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from tests.fakes.scripted import Prompt, ScriptedModel, scripted

Step: TypeAlias = "AIMessage | str | Exception | Sequence[dict[str, Any]]"


def call(name: str, call_id: str = "", /, **args: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A tool call as a model makes it."""
    return {"name": name, "args": args, "id": call_id or f"call_{name}", "type": "tool_call"}


def plan(*experts: str, question: str = "", **fields: Any) -> AIMessage:  # noqa: ANN401 - JSON
    """The router's reply: consult these experts, or the fields `answer` or `ask`."""
    chosen = [{"name": name, "question": question} for name in experts]
    args = {"experts": chosen, "confidence": 0.9, **fields}
    return AIMessage("", tool_calls=[call("submit_plan", **args)])


@dataclass(slots=True)
class Turn:
    """One question's course.

    Attributes:
        route: the router's reply, or just the experts to consult.
        steps: by expert, what it says at each step: calls, a text, or a fault.
        answer: what the synthesizer says.
        delay_s: how long each model call takes.
        by_results: the next step is the first one without results, not the one after the last.
    """

    route: AIMessage | str | Exception | Sequence[str] = ()
    steps: Mapping[str, Sequence[Step]] = field(default_factory=dict)
    answer: AIMessage | str | Exception = "All done."
    delay_s: float = 0.0
    by_results: bool = False


@dataclass(slots=True)
class Play:
    """The turns by question; a question that is not in it gets a greeting."""

    turns: dict[str, Turn] = field(default_factory=dict)
    models: dict[str, ScriptedModel] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.models = scripted(self.say)

    @property
    def prompts(self) -> list[Prompt]:
        """Every prompt so far, in order."""
        return self.models["router"].prompts

    def prompts_of(self, role: str) -> list[Prompt]:
        """The prompts of one role."""
        return [prompt for prompt in self.prompts if prompt.role == role]

    async def say(
        self, role: str, messages: list[BaseMessage], _tools: object
    ) -> AIMessage | str | Exception:
        """The script of every role."""
        turn = self.turns.get(block_of(messages, "question")["text"], Turn())
        if turn.delay_s:
            await asyncio.sleep(turn.delay_s)
        if role == "router":
            return _routed(turn.route)
        if role == "synthesizer":
            return turn.answer
        return _step(turn, messages)


def block_of(messages: Sequence[BaseMessage], kind: str) -> dict[str, Any]:
    """The structured content of the last block of a kind."""
    blocks = [message.additional_kwargs.get("block", {}) for message in messages]
    found: dict[str, Any] = [block for block in blocks if block.get("kind") == kind][-1]
    return found


def observations(prompt: Prompt) -> list[str]:
    """What the module has read from its tools."""
    return [str(message.text) for message in prompt.messages if isinstance(message, ToolMessage)]


def _routed(route: AIMessage | str | Exception | Sequence[str]) -> AIMessage | str | Exception:
    if isinstance(route, AIMessage | str | Exception):
        return route
    return plan(*route) if route else plan(answer="Hello.")


def _step(turn: Turn, messages: Sequence[BaseMessage]) -> AIMessage | str | Exception:
    expert = block_of(messages, "brief")["expert"]
    steps = turn.steps.get(expert, ())
    made = sum(isinstance(message, AIMessage) for message in messages)
    left = steps[made:]
    if turn.by_results:
        known = {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
        left = [step for step in steps if not known.issuperset(_ids(step))]
    if not left:
        return f"{expert} is done."
    step = left[0]
    if isinstance(step, AIMessage | str | Exception):
        return step
    return AIMessage("", tool_calls=[dict(item) for item in step])


def _ids(step: Step) -> set[str]:
    if isinstance(step, str | Exception):
        return set()
    calls = step.tool_calls if isinstance(step, AIMessage) else step
    return {str(item["id"]) for item in calls}
