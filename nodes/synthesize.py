"""Write the one answer the user sees, from the plan or from the experts' findings."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import RunnableConfig
from typing_extensions import TypedDict

from configs.clock import ClockSettings
from memory.working import Brief
from models.errors import ModelError
from nodes.ask_module import AskModule
from nodes.shared import shared_of, today_of
from state import Finding, State, derived_id


class SynthesizeUpdate(TypedDict):
    """What the node writes."""

    messages: list[AnyMessage]
    answer: str
    notes: list[str]


async def synthesize(
    state: State, config: RunnableConfig, *, ask: AskModule, calendar: ClockSettings
) -> SynthesizeUpdate:
    """Answer the user; when the model cannot, the findings themselves are the answer."""
    plan, findings, notes = state["plan"], state["findings"], state["notes"]
    message_id = derived_id("answer", state["turn"]["id"])
    if not findings:
        text = plan["answer"] or plan["ask"]
        return {"messages": [AIMessage(text, id=message_id)], "answer": text, "notes": notes}
    task = Brief(module="synthesizer", today=today_of(state, calendar), findings=findings)
    try:
        reply = await ask("synthesizer", shared_of(state), task, config=config)
        text, message_id = reply.text, reply.message.id or message_id
        notes = list(dict.fromkeys([*notes, *reply.notes]))
    except ModelError as error:
        text = plain_answer(findings)
        notes = [*notes, f"The answer was not written by the synthesizer: {error}"]
    return {
        "messages": [AIMessage(text, id=message_id)],
        "answer": text,
        "notes": notes + [_note(f) for f in findings if f["status"] in ("failed", "partial")],
    }


def plain_answer(findings: Sequence[Finding]) -> str:
    """The findings one after the other, each under its expert's name."""
    return "\n\n".join(f"{finding['expert']}: {finding['text']}" for finding in findings)


def _note(finding: Finding) -> str:
    return f"{finding['expert']} ended {finding['status']}: {finding['text'][:200]}"
