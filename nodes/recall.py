"""Keep what the user states, find what past sessions know, and quote it for the modules."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final, Protocol

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from configs.clock import ClockSettings
from memory.facts import SourcedMessage
from memory.fulltext import content_terms
from memory.notebook import Notebook, Noted
from memory.recall import Recall
from nodes.context import context_of, thread_of
from state import Context, MemoryNote, State, TurnRecord, empty_note

FEW_TERMS: Final = 3
"""A question of fewer search terms is taken for a follow-up."""


class Foresight(Protocol):
    """Foresees the calls that a question leads to."""

    def attempts(
        self, question: str, history: Sequence[TurnRecord] = ()
    ) -> list[tuple[str, dict[str, Any]]]:
        """Tools with their arguments; blocks, so in a thread."""
        ...


class RecallUpdate(TypedDict):
    """What the node writes."""

    memory: MemoryNote


async def recall(
    state: State,
    runtime: Runtime[Context],
    *,
    memory: Recall | None,
    notebook: Notebook | None = None,
    foresight: Foresight | None = None,
    calendar: ClockSettings | None = None,
) -> RecallUpdate:
    """Write the Memory Message; memory fails open, so a fault is a note and not a stop.

    `notebook` is None where reading statements costs a model call: the background reads them then.
    """
    found, noted = await asyncio.gather(
        _recalled(state, runtime, memory, foresight), _noted(state, runtime, notebook, calendar)
    )
    return {"memory": with_noted(found, noted)}


async def _recalled(
    state: State, runtime: Runtime[Context], memory: Recall | None, foresight: Foresight | None
) -> MemoryNote:
    if memory is None:
        return empty_note("recall is switched off")
    text, history = state["turn"]["text"], state["history"]
    foresee = None
    if foresight is not None:
        foresee = partial(asyncio.to_thread, foresight.attempts, text, history)
    return await memory.recall(
        context_of(runtime).scope,
        text,
        thread=thread_of(runtime),
        seen_turns={record["id"] for record in history},
        foresee=foresee,
        topic=open_topic(text, history),
        domains=history[-1]["route"] if history else (),
    )


async def _noted(
    state: State,
    runtime: Runtime[Context],
    notebook: Notebook | None,
    calendar: ClockSettings | None,
) -> Noted:
    if notebook is None or state.get("undo"):
        return Noted()
    turn = state["turn"]
    at = datetime.fromisoformat(turn["at"])
    message = SourcedMessage(
        text=turn["text"],
        source="user",
        thread=thread_of(runtime),
        turn_id=turn["id"],
        at=at,
        turn=turn["index"],
        app_time=calendar.moment_of(at) if calendar else None,
    )
    return await notebook.note(context_of(runtime).scope, message)


def with_noted(note: MemoryNote, noted: Noted) -> MemoryNote:
    """The note with what the store says of the user; a fault of it is one of memory."""
    whole: MemoryNote = {**note, "noted": [*noted.said], "facts": [*noted.facts]}
    if noted.fault:
        reasons = [note["reason"]] if note["degraded"] else []
        whole |= {"reason": "; ".join([*reasons, noted.fault]), "degraded": True}
    return whole


def open_topic(text: str, history: Sequence[TurnRecord]) -> str:
    """What a question that says little by itself goes on about: the last one that says more."""
    if len(content_terms(text)) >= FEW_TERMS:
        return ""
    earlier = (record["user"] for record in reversed(history))
    return next((said for said in earlier if len(content_terms(said)) >= FEW_TERMS), "")
