"""The shipped desk for tests of the embedded models: its experts, tools, prompts and turns."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from configs.settings import SHIPPED_APP, read_experts
from memory.history import make_record
from state import CallRecord, Finding, LessonConstraint, MemoryNote, OpenTurn, TurnRecord
from tools.spec import load_tool

EXPERTS = read_experts(SHIPPED_APP / "experts")
SPECS = {
    tool.name: load_tool(tool, SHIPPED_APP, expert.name)
    for expert in EXPERTS
    for tool in expert.tools
}
TOOLS: list[dict[str, Any]] = [SPECS[name].openai_schema() for name in sorted(SPECS)]
TODAY = "2026-06-30"
AT = "2026-06-30T09:00:00+00:00"


def block(kind: str, **content: object) -> dict[str, Any]:
    return {"block": {"kind": kind, **content}}


@dataclass
class Prompt:
    """A prompt as the graph assembles it."""

    text: str
    history: list[TurnRecord] = field(default_factory=list)
    note: MemoryNote | None = None
    made: list[AnyMessage] = field(default_factory=list)

    def of(self, module: str, **brief: object) -> list[AnyMessage]:
        kwargs = {"expert": "", "question": "", "findings": [], "today": TODAY, **brief}
        blocks = [block("history", turn=one) for one in self.history]
        blocks += [block("memory", note=self.note)] if self.note else []
        blocks += [block("question", text=self.text), block("brief", module=module, **kwargs)]
        return [
            SystemMessage("charter", additional_kwargs=block("charter")),
            *(HumanMessage("-", additional_kwargs=one) for one in blocks),
            *self.made,
        ]


def plan(router: BaseChatModel, prompt: Prompt) -> dict[str, Any]:
    """What the router decides."""
    reply = router.bind_tools(TOOLS).invoke(prompt.of("router"))
    assert [call["name"] for call in reply.tool_calls] == ["submit_plan"]
    return reply.tool_calls[0]["args"]


def consult(expert: BaseChatModel, prompt: Prompt, name: str, question: str = "") -> AIMessage:
    """One reply of an expert."""
    messages = prompt.of("expert", expert=name, question=question or prompt.text)
    return expert.bind_tools(TOOLS).invoke(messages)


def calls(message: AIMessage) -> list[tuple[str, dict[str, Any]]]:
    return [(call["name"], call["args"]) for call in message.tool_calls]


def answered(prompt: Prompt, reply: AIMessage, result: object, *, ok: bool = True) -> Prompt:
    """The prompt with a result for each call of the reply."""
    text = result if isinstance(result, str) else json.dumps(result)
    status: Literal["success", "error"] = "success" if ok else "error"
    results = [
        ToolMessage(text, tool_call_id=str(call["id"]), name=call["name"], status=status)
        for call in reply.tool_calls
    ]
    return Prompt(prompt.text, prompt.history, prompt.note, [*prompt.made, reply, *results])


def turn(
    user: str,
    expert: str,
    made: Sequence[tuple[str, Mapping[str, Any]]],
    output: str,
    answer: str = "",
) -> TurnRecord:
    """A closed turn with one expert."""
    records: list[CallRecord] = [
        {
            "id": f"call_{n}",
            "name": name,
            "args": dict(args),
            "effect": SPECS[name].effect,
            "status": "ok",
            "artifact": None,
            "note": "",
        }
        for n, (name, args) in enumerate(made)
    ]
    finding: Finding = {
        "expert": expert,
        "question": user,
        "text": output,
        "calls": records,
        "status": "ok",
        "confidence": 0.9,
    }
    opened: OpenTurn = {"id": "turn_1", "index": 0, "at": AT, "text": user}
    return make_record(opened, [expert], [finding], answer or output, 60)


def lesson(tool: str, argument: str, value: str, rule: str = "value") -> MemoryNote:
    """A Memory Message with one typed constraint."""
    constraint: LessonConstraint = {
        "tool": tool,
        "argument": argument,
        "rule": rule,  # type: ignore[typeddict-item]  # a rule by name
        "value": value,
        "situation": "",
    }
    return {
        "text": "- a record",
        "items": [],
        "constraints": [constraint],
        "reason": "",
        "degraded": False,
    }
