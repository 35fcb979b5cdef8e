"""Open a turn: check the thread, upgrade old state, and reset what belongs to one turn."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite
from typing_extensions import TypedDict

from configs.masking import Masking
from memory.compaction import FoldPlan, take_over
from memory.folding import Folding
from memory.transcript import Transcript
from models.tokens import count, load
from nodes.context import context_of, thread_of
from nodes.errors import NoQuestion
from nodes.incoming import MASKED_KEY, masked_messages
from nodes.upgrade import upgrade
from state import (
    Context,
    Finding,
    MemoryNote,
    OpenTurn,
    Plan,
    State,
    Status,
    clean_text,
    derived_id,
    empty_note,
)
from tools.ledger import Ledger

WAITING = (
    "This thread waits for a decision, so I have not started on your message. "
    "Decide the pending action first, or cancel it, and send the message again."
)
MASKED = (
    "A secret in your message was masked before it was read. Tools take their secrets from the "
    "environment; change one that you have sent by mistake."
)
EMPTY = "I got an empty message. What would you like to know or have done?"


class OpenTurnUpdate(TypedDict, total=False):
    """What the node writes."""

    messages: list[AnyMessage]
    schema_version: int
    fingerprint: str
    status: Status
    turn: OpenTurn
    memory: MemoryNote
    plan: Plan
    findings: Any
    answer: str
    notes: Any
    history: list[Any]
    summary: str
    done_before: str
    done: list[Any]
    constraints: list[str]


async def open_turn(
    state: State,
    runtime: Runtime[Context],
    *,
    transcript: Transcript,
    folding: Folding | None,
    plan: FoldPlan,
    ledger: Ledger,
    masking: Masking,
    fingerprint: Callable[[], str],
    max_question_tokens: int,
    clock: Callable[[], datetime],
    admitted: Collection[str] = (),
    take_tools: Callable[[str], Awaitable[None]],
) -> OpenTurnUpdate:
    """Take the user's message as the question of a new turn, unless the thread waits.

    `folding` is None when no model writes summaries. A door that holds one of the `admitted`
    threads has checked its owner, and that nothing waits, and has masked the message; any other
    run's messages are masked here and take the place of what came. `take_tools` brings the tools
    that the turn will be shown up to date.
    """
    context, thread = context_of(runtime), thread_of(runtime)
    kept = upgrade(state)
    is_unchecked = thread not in admitted
    masked = await masked_messages(state["messages"], masking) if is_unchecked else {}
    if is_unchecked and await _waits(transcript, ledger, context, thread):
        told = [*masked.values(), AIMessage(WAITING)]
        return {"status": "WAITING_FOR_HUMAN", "messages": told}
    await take_tools(thread)
    question = _last_question(state)
    was_masked = str(question.id) in masked or MASKED_KEY in question.additional_kwargs
    text = clean_text(masked.get(str(question.id), question).text).strip()
    index = kept["turn"]["index"] + 1 if "turn" in kept else 0
    update: OpenTurnUpdate = {
        "schema_version": kept["schema_version"],
        "fingerprint": fingerprint(),
        "status": "PLANNING",
        "turn": {
            "id": derived_id("turn", thread, index, question.id),
            "index": index,
            "at": clock().isoformat(),
            "text": text,
        },
        "memory": empty_note("not looked up"),
        "plan": {"experts": [], "answer": "", "ask": "", "confidence": None, "reason": ""},
        "findings": Overwrite(list[Finding]()),
        "answer": "",
        "notes": Overwrite([MASKED] if was_masked else []),
        "history": kept.get("history", []),
        "summary": await _summary(kept, folding, plan, thread),
        "done_before": kept.get("done_before", ""),
        "done": kept.get("done", []),
        "constraints": kept.get("constraints", []),
    }
    if refusal := await _refusal(text, max_question_tokens):
        return {
            "schema_version": kept["schema_version"],
            "status": "FAILED",
            "answer": refusal,
            "messages": [*masked.values(), AIMessage(refusal)],
        }
    if masked:
        update["messages"] = [*masked.values()]
    return update


async def _summary(
    kept: Mapping[str, Any], folding: Folding | None, plan: FoldPlan, thread: str
) -> str:
    """The summary, with what a model has written meanwhile for exactly these folded turns."""
    summary: str = kept.get("summary", "")
    if folding is None or (not summary and not kept.get("done")):
        return summary
    written = await folding.written_for(thread, [one["id"] for one in kept.get("history", [])])
    return summary if written is None else take_over(summary, written, plan)


async def _waits(transcript: Transcript, ledger: Ledger, context: Context, thread: str) -> bool:
    """Make the thread its user's, and say whether it waits for a decision."""
    await transcript.claim(thread, context.scope)
    return bool(await ledger.pending(context.tenant, thread))


def _last_question(state: State) -> HumanMessage:
    for message in reversed(state["messages"]):
        if isinstance(message, HumanMessage):
            return message
    raise NoQuestion


async def _refusal(text: str, max_tokens: int) -> str:
    if not text:
        return EMPTY
    if len(text.encode()) <= max_tokens:
        return ""
    await load()
    size = count(text)
    if size > max_tokens:
        return (
            f"Your message has {size} tokens, I can read at most {max_tokens} at once. "
            "Please send a shorter one, or the part that matters."
        )
    return ""
