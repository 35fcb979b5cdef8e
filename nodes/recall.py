"""Find what past sessions know about this question and quote it for the modules."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, Protocol

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from memory.fulltext import content_terms
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
    foresight: Foresight | None = None,
) -> RecallUpdate:
    """Write the Memory Message; memory fails open, so a fault is a note and not a stop."""
    if memory is None:
        return {"memory": empty_note("recall is switched off")}
    text, history = state["turn"]["text"], state["history"]
    foresee = None
    if foresight is not None:
        foresee = partial(asyncio.to_thread, foresight.attempts, text, history)
    note = await memory.recall(
        context_of(runtime).scope,
        text,
        thread=thread_of(runtime),
        seen_turns={record["id"] for record in history},
        foresee=foresee,
        topic=open_topic(text, history),
        domains=history[-1]["route"] if history else (),
    )
    return {"memory": note}


def open_topic(text: str, history: Sequence[TurnRecord]) -> str:
    """What a question that says little by itself goes on about: the last one that says more."""
    if len(content_terms(text)) >= FEW_TERMS:
        return ""
    earlier = (record["user"] for record in reversed(history))
    return next((said for said in earlier if len(content_terms(said)) >= FEW_TERMS), "")
