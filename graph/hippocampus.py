"""The background graph: closed turns in, memory out; never in the user's way."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph

from graph.background import Background
from graph.services import Services
from graph.upkeep import Upkeep
from memory.compaction import fold_plan
from memory.outbox import Job
from models.gateway import NOSTREAM
from nodes.gather import gather
from nodes.hippocampus_state import HippocampusInput, HippocampusState
from nodes.store import store
from nodes.summarize import summarize


def build_hippocampus(services: Services) -> StateGraph[HippocampusState, None, Any, Any]:
    """Gather the turns and store what they are worth; ids are derived, so twice is once."""
    graph = StateGraph(HippocampusState, input_schema=HippocampusInput)
    graph.add_node("gather", partial(gather, transcript=services.transcript))
    graph.add_node(
        "store",
        partial(store, memory=services.memory, facts=services.facts, extractor=services.extractor),
    )
    graph.add_edge(START, "gather")
    graph.add_edge("gather", "store")
    graph.add_edge("store", END)
    return graph


def build_summarizer(services: Services) -> StateGraph[HippocampusState, None, Any, Any]:
    """Let a model write the summary of folded turns; a later turn takes it over."""
    settings = services.settings
    profile = settings.models["summarizer"]
    window = profile.context_tokens or settings.budget.default_window_tokens
    graph = StateGraph(HippocampusState, input_schema=HippocampusInput)
    node = partial(
        summarize,
        folding=services.folding,
        ask=services.ask,
        plan=fold_plan(settings.history),
        input_tokens=int(window * settings.budget.shares["history"]),
    )
    graph.add_node("summarize", node)
    graph.add_edge(START, "summarize")
    graph.add_edge("summarize", END)
    return graph


def handler(services: Services) -> Callable[[Job], Awaitable[tuple[str, str]]]:
    """What the background worker does with an outbox row: run its kind's graph over its turn."""
    graphs = {
        "turn_closed": build_hippocampus(services).compile(name="hippocampus"),
        "summarize": build_summarizer(services).compile(name="summarizer"),
    }

    async def handle(job: Job) -> tuple[str, str]:
        given: HippocampusInput = {
            "tenant": job.scope.tenant,
            "user": job.scope.user,
            "teams": list(job.scope.teams),
            "thread_id": job.thread,
            "turn_id": job.turn_id,
        }
        ended = await graphs[job.kind].ainvoke(given, {"callbacks": [], "tags": [NOSTREAM]})
        return ended["outcome"], ended["reason"]

    return handle


def bind_background(services: Services) -> None:
    """Give the services their worker; it starts with the first closed turn."""
    services.background = Background(
        services.outbox, handler(services), Upkeep(services).run_if_due
    )
