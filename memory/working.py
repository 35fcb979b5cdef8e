"""Working memory: the one order of blocks in every prompt.

Order: charter, (tools), summary, shared history, Memory Message, question, module brief,
scratchpad. Each message carries its block in `additional_kwargs["block"]`, so that the embedded
models read structure where other models read text.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from typing_extensions import TypedDict

from memory.done_list import done_line
from memory.history import opening, render_turn
from state import DoneItem, Finding, MemoryNote, OpenTurn, TurnRecord, canonical_json


class Shared(TypedDict):
    """What every module sees of the thread, in prompt order."""

    summary: str
    done_before: str
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


def folded_text(shared: Shared) -> str:
    """The folded part of the thread: rules the user set, what was said, what was done.

    What changes least stands first: a fold mostly adds lines at the end, so a cache keeps the rest.
    """
    parts = []
    if shared["constraints"]:
        rules = "\n".join(f"- {rule}" for rule in shared["constraints"])
        parts.append(f"Rules stated by the user:\n{rules}")
    if shared["done_before"]:
        parts.append(f"Done before, by action:\n{shared['done_before']}")
    if shared["summary"]:
        text = shared["summary"]
        parts.append(f"Earlier turns in short (unverified; look exact values up):\n{text}")
    if shared["done"]:
        parts.append("Done, oldest first:\n" + "\n".join(map(done_line, shared["done"])))
    return "\n\n".join(parts)


def assemble(charter: str, shared: Shared, brief: Brief) -> list[AnyMessage]:
    """The prompt of one module, up to its scratchpad."""
    messages: list[AnyMessage] = [SystemMessage(charter, additional_kwargs=block("charter"))]
    folded = folded_text(shared)
    if folded:
        kwargs = block(
            "summary",
            text="\n".join([shared["done_before"], shared["summary"]]),
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
