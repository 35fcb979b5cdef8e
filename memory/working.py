"""Working memory: the one order of blocks in every prompt.

Order: charter, (tools), summary, shared history, Memory Message, question, module brief,
scratchpad. Each message carries its block in `additional_kwargs["block"]`, so that the embedded
models read structure where other models read text.
"""

from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from typing_extensions import TypedDict

from memory.done_list import done_line
from memory.history import opening, render_turn
from memory.layout import Module, PromptLayout
from state import CallRecord, DoneItem, Finding, MemoryNote, OpenTurn, TurnRecord


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

    module: Module
    today: str
    expert: str = ""
    question: str = ""
    findings: list[Finding] = field(default_factory=list)


def block(kind: str, **content: object) -> dict[str, Any]:
    """The structured twin of a message's text."""
    return {"block": {"kind": kind, **content}}


def folded_text(shared: Shared) -> str:
    """The folded part of the thread: rules the user set, what was done, what was said.

    What changes least stands first. A fold adds lines to the done-list and rewrites the summary, so
    a cache keeps all but the summary.
    """
    parts = []
    if shared["constraints"]:
        rules = "\n".join(f"- {rule}" for rule in shared["constraints"])
        parts.append(f"Rules stated by the user:\n{rules}")
    if shared["done_before"]:
        parts.append(f"Done before, by action:\n{shared['done_before']}")
    if shared["done"]:
        parts.append("Done, oldest first:\n" + "\n".join(map(done_line, shared["done"])))
    if shared["summary"]:
        text = shared["summary"]
        parts.append(f"Earlier turns in short (unverified; look exact values up):\n{text}")
    return "\n\n".join(parts)


def assemble(layout: PromptLayout, shared: Shared, brief: Brief) -> list[AnyMessage]:
    """The prompt of one module, up to its scratchpad."""
    system = layout.system(brief.module, brief.expert)
    messages: list[AnyMessage] = [SystemMessage(system, additional_kwargs=block("charter"))]
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
    asked = block("question", text=turn["text"], note=note)
    messages.append(HumanMessage(question, additional_kwargs=asked))
    told = brief_text(brief, layout.closing(brief.module, brief.expert), turn["text"])
    messages.append(HumanMessage(told, additional_kwargs=_brief_block(brief)))
    return messages


def brief_text(brief: Brief, own: str, question: str) -> str:
    """Who is asked, its own instructions, its sub-question, and the findings it may use."""
    name = f"{brief.module} {brief.expert}".strip()
    parts = [f"You are the {name} now. Today is {brief.today}."]
    if own:
        parts.append(own)
    if brief.question and brief.question != question:
        parts.append(f"Your question: {brief.question}")
    parts.extend(map(finding_text, brief.findings))
    return "\n".join(parts)


def finding_text(finding: Finding) -> str:
    """What an expert found, with the calls that it rests on."""
    calls = ", ".join(_call_text(call) for call in finding["calls"])
    made = f" after {calls}" if calls else ""
    return f"{finding['expert']} ({finding['status']}{made}): {finding['text']}"


def _call_text(call: CallRecord) -> str:
    note = f" ({call['note']})" if call["note"] else ""
    return f"{call['name']} {call['status']}{note}"


def _brief_block(brief: Brief) -> dict[str, Any]:
    return block(
        "brief",
        module=brief.module,
        expert=brief.expert,
        question=brief.question,
        findings=brief.findings,
        today=brief.today,
    )
