"""Makes a thread's state anew from its transcript, where no checkpoint of it can be used."""

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig

from graph.recovery import Graph
from graph.services import Services
from state import SCHEMA_VERSION, Context, TurnRecord


async def rebuild_state(
    graph: Graph,
    services: Services,
    config: RunnableConfig,
    context: Context,
    kept: list[TurnRecord],
) -> None:
    """Write the state after the last of `kept`, the turns that stay, and let it be compacted.

    Args:
        graph: the compiled graph.
        services: its services.
        config: names the thread, which has no checkpoints any more.
        context: the owner's.
        kept: closed turns, oldest first, at least one.
    """
    last = kept[-1]
    texts = await services.transcript.messages(config["configurable"]["thread_id"])
    ids = {record["id"] for record in kept}
    values = {
        "messages": [
            (HumanMessage if m.role == "user" else AIMessage)(m.text)
            for m in texts
            if m.turn_id in ids
        ],
        "schema_version": SCHEMA_VERSION,
        "fingerprint": services.fingerprint,
        "status": "DONE",
        "turn": {k: last[k] for k in ("id", "index", "at")} | {"text": last["user"]},
        "answer": last["answer"],
        "notes": [],
        "history": kept,
        "summary": "",
        "done_before": "",
        "done": [],
        "constraints": [],
    }
    await graph.aupdate_state(config, values, as_node="close_turn")
    await graph.ainvoke(None, config, context=context, durability="sync")


async def rebuild_lost(
    graph: Graph, services: Services, config: RunnableConfig, context: Context
) -> None:
    """Make the state anew of a thread that has closed turns and no checkpoint any more."""
    records = await services.transcript.records(config["configurable"]["thread_id"])
    if records:
        await rebuild_state(graph, services, config, context, records)
