"""Decide which experts to consult, or answer directly, or ask back."""

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel, Field, ValidationError
from typing_extensions import TypedDict

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
from state import Consultation, Plan, State, Status

ASK_BACK = "I am not sure what you need. Could you say it in other words, with an id or a name?"

UNREACHABLE = (
    "I could not work on this: the model that plans the turn did not answer. Your message is kept "
    "in the thread; please send it again in a moment, or run `hippograph doctor`."
)


SUBMIT_PLAN = "submit_plan"


class RouteUpdate(TypedDict):
    """What the node writes."""

    plan: Plan
    status: Status
    notes: list[str]


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
) -> RouteUpdate:
    """Turn the question into a typed plan; whatever comes back, the plan names known experts."""
    if state.get("undo"):
        return {"plan": _undo_plan(state), "status": "EXECUTING", "notes": state["notes"]}
    text = state["turn"]["text"]
    note = Brief(module="router", today=today_of(state))
    plan, notes, unasked = None, state["notes"], ""
    try:
        reply = await ask("router", shared_of(state), note, config=config)
        plan, notes = read_plan(reply, experts, text), [*notes, *reply.notes]
    except ModelError as error:
        unasked = _unasked(error)
        notes = [*notes, f"The router gave no plan: {error}"]
    why = ["no usable plan", *notes[len(state["notes"]) :]][-1]
    plan = plan or default_plan(default, text, why)
    if plan["experts"]:
        return {"plan": plan, "status": "EXECUTING", "notes": notes}
    if unasked:
        plan = {**plan, "ask": "", "answer": unasked}
        return {"plan": plan, "status": "FAILED", "notes": notes}
    return {"plan": plan, "status": "PLANNING", "notes": notes}


def read_plan(reply: ModelReply, experts: Sequence[str], text: str) -> Plan | None:
    """The plan in a router's reply, or None when there is none that can be followed."""
    for call in reply.message.tool_calls:
        if call["name"] == SUBMIT_PLAN:
            return _checked(call["args"], experts, text)
    return None


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


def _checked(args: dict[str, Any], experts: Sequence[str], text: str) -> Plan | None:
    try:
        planned = SubmitPlan.model_validate(args)
    except ValidationError:
        return None
    questions: dict[str, list[str]] = {}
    for item in planned.experts:
        name = item.name.strip().casefold().replace(" ", "_")
        if name in experts:
            questions.setdefault(name, []).append(item.question.strip() or text)
    if not (questions or planned.answer.strip() or planned.ask.strip()):
        return None
    return {
        "experts": [
            {"name": name, "question": "\n".join(dict.fromkeys(parts))}
            for name, parts in sorted(questions.items())
        ],
        "answer": "" if questions else planned.answer,
        "ask": "" if questions or planned.answer else planned.ask,
        "confidence": planned.confidence,
        "reason": planned.reason,
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
