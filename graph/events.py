"""A streamed run as events: who is consulted, which tools run, the answer word by word."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.runnables import RunnableConfig

from graph.recovery import Graph
from graph.replies import Event, Reply
from state import Context

ANSWERING_NODE = "synthesize"


async def read_events(
    graph: Graph,
    given: Any,  # noqa: ANN401 - whatever starts a run
    config: RunnableConfig,
    context: Context,
) -> AsyncGenerator[Event, None]:
    """Run the graph and say what happens."""
    run: Any = graph.astream(
        given,
        config,
        context=context,
        durability="sync",
        subgraphs=True,
        stream_mode=["updates", "messages", "custom"],
    )
    async with aclosing(run) as chunks:  # a reader who leaves must not leave a run behind
        async for _, mode, chunk in chunks:
            for event in _read(mode, chunk):
                yield event


def ending(reply: Reply) -> list[Event]:
    """What a stream ends with: the approvals asked for, the notes, and the whole reply."""
    return [
        *(Event("approval", {"action": action}) for action in reply.pending),
        *(Event("note", {"text": note}) for note in reply.notes),
        Event("answer", {"reply": reply}),
    ]


def _read(mode: str, chunk: Any) -> list[Event]:  # noqa: ANN401 - shape depends on the mode
    if mode == "custom":
        return [Event("tool", chunk)]
    if mode == "messages":
        message, metadata = chunk
        if not isinstance(message, AIMessageChunk) or not message.text:
            return []
        answers = metadata.get("langgraph_node") == ANSWERING_NODE
        return [Event("token", {"text": message.text})] if answers else []
    return _plan(chunk)


def _plan(update: Mapping[str, Any]) -> list[Event]:
    plan = (update.get("route") or {}).get("plan")
    if not plan:
        return []
    consults = [Event("consult", dict(item)) for item in plan["experts"]]
    return [Event("plan", {"plan": plan}), *consults]
