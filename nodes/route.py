"""Decide which experts to consult, or answer directly, or ask back."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel, Field, ValidationError
from typing_extensions import TypedDict

from configs.clock import ClockSettings
from memory.working import Brief
from models.errors import (
    BadOutput,
    BudgetExceeded,
    ContextOverflow,
    ModelError,
    RateLimited,
    Refused,
)
from models.gateway import ModelReply
from nodes.ask_module import AskModule
from nodes.shared import shared_of, today_of
from state import Consultation, Finding, Plan, State, Status, clean_text

ASK_BACK = "I am not sure what you need. Could you say it in other words, with an id or a name?"

UNREACHABLE = (
    "I could not work on this: the model that plans the turn did not answer. Your message is kept "
    "in the thread; please send it again in a moment, or run `hippograph doctor`."
)


SUBMIT_PLAN = "submit_plan"
NAME_CHARS: Final = 80


class RouteUpdate(TypedDict):
    """What the node writes."""

    plan: Plan
    status: Status
    notes: list[str]
    findings: list[Finding]


class PlannedConsultation(BaseModel):
    """One expert in the router's reply."""

    name: str
    question: str = ""


class SubmitPlan(BaseModel):
    """The router's reply: arguments of `submit_plan`."""

    experts: list[PlannedConsultation] = Field(default_factory=list)
    answer: str = ""
    ask: str = ""
    confidence: float | None = Field(None, ge=0, le=1)
    reason: str = ""


def plan_schema(experts: Sequence[str]) -> dict[str, Any]:
    """The tool by which the router replies; its fields are explained in the router's duty."""
    text = {"type": "string"}
    consultation = {
        "type": "object",
        "properties": {"name": {"type": "string", "enum": list(experts)}, "question": text},
        "required": ["name", "question"],
    }
    properties = {
        "experts": {"type": "array", "items": consultation},
        "answer": text,
        "ask": text,
        "confidence": {"type": "number"},
        "reason": text,
    }
    return {
        "type": "function",
        "function": {
            "name": SUBMIT_PLAN,
            "description": "The router's reply: whom to consult, or an answer, or a question back.",
            "parameters": {"type": "object", "properties": properties},
        },
    }


async def route(
    state: State,
    config: RunnableConfig,
    *,
    ask: AskModule,
    experts: Sequence[str],
    default: str,
    calendar: ClockSettings,
) -> RouteUpdate:
    """Turn the question into a typed plan; whatever comes back, the plan names known experts.

    What was planned for nobody known is a failed finding, so that the answer can say so.
    """
    if state.get("undo"):
        return _update(_undo_plan(state), "EXECUTING", state["notes"])
    text = state["turn"]["text"]
    note = Brief(module="router", today=today_of(state, calendar))
    plan, strangers, notes, unasked = None, list[Finding](), state["notes"], ""
    try:
        reply = await ask("router", shared_of(state), note, config=config)
        plan, strangers = read_plan(reply, experts, text)
        notes = [*notes, *reply.notes]
    except ModelError as error:
        unasked = _unasked(error)
        notes = [*notes, f"The router gave no plan: {error}"]
    if plan is not None and plan["experts"]:
        return _update(plan, "EXECUTING", notes, strangers)
    notes = [*notes, *(f"The plan names {one['expert']!r}, who is not here" for one in strangers)]
    why = ["no usable plan", *notes[len(state["notes"]) :]][-1]
    plan = plan or default_plan(default, text, why)
    if plan["experts"]:
        return _update(plan, "EXECUTING", notes)
    if unasked:
        return _update({**plan, "ask": "", "answer": unasked}, "FAILED", notes)
    return _update(plan, "PLANNING", notes)


def _update(
    plan: Plan, status: Status, notes: list[str], findings: Sequence[Finding] = ()
) -> RouteUpdate:
    return {"plan": plan, "status": status, "notes": notes, "findings": [*findings]}


def read_plan(
    reply: ModelReply, experts: Sequence[str], text: str
) -> tuple[Plan | None, list[Finding]]:
    """The plan in a router's reply, or None when there is none that can be followed.

    Returns:
        The plan, and a failed finding for each name in it that no expert has.
    """
    for call in reply.message.tool_calls:
        if call["name"] == SUBMIT_PLAN:
            try:
                planned = SubmitPlan.model_validate(call["args"])
            except ValidationError:
                break
            asked = _questions(planned, text)
            known = {name: question for name, question in asked.items() if name in experts}
            strangers = [_nobody(*one) for one in asked.items() if one[0] not in experts]
            return _plan(planned, known), strangers
    return None, []


def default_plan(default: str, text: str, reason: str) -> Plan:
    """Where a question goes without a usable plan: an expert, or a question back."""
    chosen: list[Consultation] = []
    if default != "ask":
        chosen = [{"name": default, "question": text}]
    return {
        "experts": chosen,
        "answer": "",
        "ask": "" if chosen else ASK_BACK,
        "confidence": 0.0,
        "reason": reason,
    }


def _unasked(error: ModelError) -> str:
    """What the user reads when no plan could be asked for; a bad plan is none of these."""
    if isinstance(error, Refused | BadOutput):
        return ""
    if isinstance(error, BudgetExceeded | ContextOverflow | RateLimited):
        return f"I have not started on this: {error} Your message is kept in the thread."
    return UNREACHABLE


def _questions(planned: SubmitPlan, text: str) -> dict[str, str]:
    """What each named expert is to be asked, by name."""
    questions: dict[str, list[str]] = {}
    for item in planned.experts:
        name = item.name.strip().casefold().replace(" ", "_")
        questions.setdefault(name, []).append(item.question.strip() or text)
    return {name: "\n".join(dict.fromkeys(questions[name])) for name in sorted(questions)}


def _plan(planned: SubmitPlan, questions: Mapping[str, str]) -> Plan | None:
    if not (questions or planned.answer.strip() or planned.ask.strip()):
        return None
    return {
        "experts": [{"name": name, "question": asked} for name, asked in questions.items()],
        "answer": "" if questions else planned.answer,
        "ask": "" if questions or planned.answer else planned.ask,
        "confidence": planned.confidence,
        "reason": planned.reason,
    }


def _nobody(name: str, question: str) -> Finding:
    """The finding for a part of the question that was planned for somebody unknown."""
    return {
        "expert": clean_text(name)[:NAME_CHARS] or "nobody",
        "question": question,
        "text": f"There is no expert of this name, so nobody looked into: {question}",
        "calls": [],
        "status": "failed",
        "confidence": None,
    }


def _undo_plan(state: State) -> Plan:
    names = sorted({undo["expert"] for undo in state["undo"]})
    return {
        "experts": [{"name": name, "question": state["turn"]["text"]} for name in names],
        "answer": "",
        "ask": "",
        "confidence": 1.0,
        "reason": "a rollback asked for compensations",
    }
