"""Working memory: the one order of blocks in every prompt.

Order: charter, (tools), summary, shared history, Memory Message, question, module brief,
scratchpad. Each message carries its block in `additional_kwargs["block"]`, so that the embedded
models read structure where other models read text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from typing_extensions import TypedDict

from memory.history import opening, render_turn
from state import DoneItem, Finding, MemoryNote, OpenTurn, TurnRecord, canonical_json


class Shared(TypedDict):
    """What every module sees of the thread, in prompt order."""

    summary: str
    done: list[DoneItem]
    constraints: list[str]
    history: list[TurnRecord]
    memory: MemoryNote
    turn: OpenTurn


@dataclass(frozen=True, slots=True)
class Brief:
    """What one module is told at the end of the prompt; the only place with a date."""

    module: Literal["router", "expert", "synthesizer", "summarizer"]
    text: str
    today: str
    expert: str = ""
    question: str = ""
    findings: list[Finding] = field(default_factory=list)


def block(kind: str, **content: object) -> dict[str, Any]:
    """The structured twin of a message's text."""
    return {"block": {"kind": kind, **content}}


def summary_text(summary: str, done: Sequence[DoneItem], constraints: Sequence[str]) -> str:
    """The folded part of the thread: rules the user set, what was done, what was said."""
    parts = []
    if constraints:
        parts.append("Rules stated by the user:\n" + "\n".join(f"- {rule}" for rule in constraints))
    if done:
        parts.append("Done so far:\n" + "\n".join(map(done_line, done)))
    if summary:
        parts.append(f"Earlier turns in short (unverified; look exact values up):\n{summary}")
    return "\n\n".join(parts)


def done_line(item: DoneItem) -> str:
    """Request, action and result in one line."""
    return f"- [turn {item['turn']}] {item['request']} -> {item['action']} -> {item['result']}"


def assemble(charter: str, shared: Shared, brief: Brief) -> list[AnyMessage]:
    """The prompt of one module, up to its scratchpad."""
    messages: list[AnyMessage] = [SystemMessage(charter, additional_kwargs=block("charter"))]
    folded = summary_text(shared["summary"], shared["done"], shared["constraints"])
    if folded:
        kwargs = block(
            "summary",
            text=shared["summary"],
            done=shared["done"],
            constraints=shared["constraints"],
        )
        messages.append(HumanMessage(folded, additional_kwargs=kwargs))
    messages.extend(
        HumanMessage(render_turn(record), additional_kwargs=block("history", turn=record))
        for record in shared["history"]
    )
    note = shared["memory"]
    if note["text"]:
        messages.append(HumanMessage(note["text"], additional_kwargs=block("memory", note=note)))
    turn = shared["turn"]
    question = opening(turn["index"], turn["text"])
    messages.append(HumanMessage(question, additional_kwargs=block("question", text=turn["text"])))
    messages.append(HumanMessage(brief_text(brief), additional_kwargs=_brief_block(brief)))
    return messages


def brief_text(brief: Brief) -> str:
    """The module's own instructions, its sub-question, and the findings it may use."""
    parts = [f"Today is {brief.today}.", brief.text.strip()]
    if brief.question:
        parts.append(f"Your question: {brief.question}")
    parts.extend(
        f"Finding of {finding['expert']} ({finding['status']}):\n{finding['text']}\n"
        f"calls: {canonical_json([[c['name'], c['status'], c['note']] for c in finding['calls']])}"
        for finding in brief.findings
    )
    return "\n\n".join(parts)


def _brief_block(brief: Brief) -> dict[str, Any]:
    return block(
        "brief",
        module=brief.module,
        expert=brief.expert,
        question=brief.question,
        findings=brief.findings,
        today=brief.today,
    )
