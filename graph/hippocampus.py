"""The background graph: closed turns in, memory out; never in the user's way."""

from collections.abc import Awaitable, Callable
from functools import cache, partial
from typing import Any, Final, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from graph.background import Background
from graph.notify import notifier
from graph.routing import after_gather, after_validate
from graph.services import Services
from graph.upkeep import Upkeep
from memory.compaction import fold_plan
from memory.outbox import Job
from memory.transcript import last_message_id
from models.gateway import NOSTREAM
from nodes.classify import classify
from nodes.discard import discard
from nodes.draft import draft
from nodes.gather import gather
from nodes.gather_turn import gather_turn
from nodes.hippocampus_state import HippocampusInput, HippocampusState, RefinementState
from nodes.refine import refine
from nodes.segment import segment
from nodes.store import store
from nodes.summarize import summarize
from nodes.validate import validate
from tools.notice_rows import KIND as NOTIFY

Builder: TypeAlias = Callable[[Services], StateGraph[Any, Any, Any, Any]]
EXTRACTION_TRIES: Final = 3
"""How often a segment is drafted, the last time by rules alone."""


def build_hippocampus(services: Services) -> StateGraph[HippocampusState, None, Any, Any]:
    """Consolidate a thread: segments of conversation become episodes, or a reason for none."""
    s, tries = services, EXTRACTION_TRIES
    graph = StateGraph(HippocampusState, input_schema=HippocampusInput)
    graph.add_node("gather", partial(gather, transcript=s.transcript, segments=s.segments))
    graph.add_node("segment", partial(segment, segmenter=s.segmenter))
    graph.add_node("classify", partial(classify, classifier=s.classifier))
    graph.add_node("draft", partial(draft, drafter=s.drafter, max_tries=tries))
    graph.add_node("validate", partial(validate, validator=s.validator, artifacts=s.artifacts))
    graph.add_node("store", partial(store, memory=s.memory, sharing=s.opened.sharing))
    graph.add_node("discard", partial(discard, memory=s.memory))

    graph.add_edge(START, "gather")
    graph.add_conditional_edges("gather", after_gather, ["segment", END])
    graph.add_edge("segment", "classify")
    graph.add_edge("classify", "draft")
    graph.add_edge("draft", "validate")
    graph.add_conditional_edges("validate", after_validate(tries), ["draft", "store", "discard"])
    graph.add_edge("store", END)
    graph.add_edge("discard", END)
    return graph


def build_refinement(services: Services) -> StateGraph[RefinementState, None, Any, Any]:
    """After every turn: its item in the index, and what the user stated; twice is once."""
    graph = StateGraph(RefinementState, input_schema=HippocampusInput)
    graph.add_node("gather_turn", partial(gather_turn, transcript=services.transcript))
    graph.add_node(
        "refine",
        partial(
            refine,
            memory=services.memory,
            notebook=services.notebook,
            calendar=services.settings.clock,
        ),
    )
    graph.add_edge(START, "gather_turn")
    graph.add_edge("gather_turn", "refine")
    graph.add_edge("refine", END)
    return graph


def build_summarizer(services: Services) -> StateGraph[RefinementState, None, Any, Any]:
    """Let a model write the summary of folded turns; a later turn takes it over."""
    settings = services.settings
    profile = settings.models["summarizer"]
    window = profile.context_tokens or settings.budget.default_window_tokens
    graph = StateGraph(RefinementState, input_schema=HippocampusInput)
    node = partial(
        summarize,
        folding=services.folding,
        ask=services.ask,
        plan=fold_plan(settings.history),
        input_tokens=int(window * settings.budget.shares["history"]),
        calendar=settings.clock,
    )
    graph.add_node("summarize", node)
    graph.add_edge(START, "summarize")
    graph.add_edge("summarize", END)
    return graph


def handler(services: Services) -> Callable[[Job], Awaitable[tuple[str, str]]]:
    """What the background does with an outbox row: run its kind's graph, users' turns first."""
    builders: dict[str, tuple[str, Builder]] = {
        "turn_closed": ("refinement", build_refinement),
        "consolidate": ("hippocampus", build_hippocampus),
        "summarize": ("summarizer", build_summarizer),
    }

    @cache
    def graph_of(kind: str) -> CompiledStateGraph[Any, Any, Any, Any]:
        name, build = builders[kind]
        return build(services).compile(name=name)

    notify = notifier(services)

    async def handle(job: Job) -> tuple[str, str]:
        if job.kind == NOTIFY:
            return await notify(job)
        given: HippocampusInput = {
            "tenant": job.scope.tenant,
            "user": job.scope.user,
            "teams": list(job.scope.teams),
            "thread_id": job.thread,
            "turn_id": job.turn_id,
            "upto_message_id": last_message_id(job.turn_id) if job.turn_id else "",
        }
        unseen: RunnableConfig = {"callbacks": [], "tags": [NOSTREAM]}
        values: dict[str, Any] = {}
        async for step in graph_of(job.kind).astream(given, unseen, stream_mode="values"):
            values = step
            await services.give_way()
        return values["outcome"], values["reason"]

    return handle


def bind_background(services: Services) -> None:
    """Give the services their background; it starts with the first closed turn."""
    settings = services.settings
    services.background = Background(
        services.outbox,
        handler(services),
        seat=services.database.seat(),
        url=settings.database_url,
        settings=settings.hippocampus,
        leases=services.leases,
        indexer=services.opened.indexer,
        upkeep=Upkeep(services).run_if_due,
    )
    services.notices.bind(services.background.wake)
