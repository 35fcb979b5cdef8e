"""Every node and edge of the main graph and of the expert subgraph, on one screen."""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph

from graph.routing import after_consult, after_effects, after_hippocampus, after_open, after_route
from graph.services import Services
from memory.compaction import fold_plan
from nodes.close_turn import close_turn
from nodes.compact import compact
from nodes.consult import consult
from nodes.execute_effects import execute_effects
from nodes.expert_state import ExpertInput, ExpertOutput, ExpertState
from nodes.hippocampus import hippocampus
from nodes.open_turn import open_turn
from nodes.recall import recall
from nodes.request_approval import request_approval
from nodes.route import route
from nodes.synthesize import synthesize
from state import Context, State, canonical_json


def build_graph(services: Services) -> StateGraph[State, Context, Any, Any]:
    """The main graph; compile it with a checkpointer, or let the server bring its own."""
    s, settings = services, services.settings
    graph = StateGraph(State, context_schema=Context)
    node = _adder(graph)
    plan, written = fold_plan(settings.history), s.writes_summaries
    node(open_turn, transcript=s.transcript, folding=s.folding if written else None, plan=plan,
         ledger=s.ledger, masking=s.masking, clock=s.clock, admitted=s.admitted_threads,
         take_tools=s.layouts.begin, fingerprint=lambda: services.fingerprint,
         max_question_tokens=settings.limits.max_question_tokens)  # fmt: skip
    node(recall, memory=s.recall, foresight=s.foresight,
         notebook=s.notebook if s.notes_at_once else None, calendar=settings.clock)  # fmt: skip
    node(route, ask=s.ask, experts=s.expert_names, default=settings.router.default,
         calendar=settings.clock)  # fmt: skip
    expert = build_expert(services)
    graph.add_node("expert", expert.compile())
    node(synthesize, ask=s.ask, calendar=settings.clock)
    node(close_turn, transcript=s.transcript, output_cap_tokens=settings.history.output_cap_tokens)
    node(hippocampus, wake=s.wake)
    node(compact, folding=s.folding, plan=plan, nearness=s.nearness, by_model=written)

    graph.add_edge(START, "open_turn")
    graph.add_conditional_edges("open_turn", after_open, ["recall", "expert", END])
    graph.add_edge("recall", "route")
    graph.add_conditional_edges("route", after_route, ["expert", "synthesize"])
    graph.add_edge("expert", "synthesize")
    graph.add_edge("synthesize", "close_turn")
    graph.add_edge("close_turn", "hippocampus")
    fold_at = after_hippocampus(plan.high_water_tokens)
    graph.add_conditional_edges("hippocampus", fold_at, ["compact", END])
    graph.add_edge("compact", END)
    services.fingerprint = fingerprint_of(graph, expert)
    return graph


def build_expert(services: Services) -> StateGraph[ExpertState, Context, Any, Any]:
    """One expert: think and look things up, ask for approval, run effects, think on."""
    s, settings = services, services.settings
    graph = StateGraph(
        ExpertState, context_schema=Context, input_schema=ExpertInput, output_schema=ExpertOutput
    )
    node = _adder(graph)
    node(consult, ask=s.ask, executor=s.executor, ledger=s.ledger, grounds=s.grounds,
         limits=settings.limits, calendar=settings.clock,
         approval_ttl_s=settings.approvals.ttl_hours * 3600)  # fmt: skip
    node(request_approval, masking=s.masking)
    node(execute_effects, executor=s.executor, ledger=s.ledger)

    graph.add_edge(START, "consult")
    graph.add_conditional_edges(
        "consult", after_consult, ["request_approval", "execute_effects", END]
    )
    graph.add_edge("request_approval", "execute_effects")
    graph.add_conditional_edges("execute_effects", after_effects, ["request_approval", "consult"])
    return graph


def fingerprint_of(*graphs: StateGraph[Any, Any, Any, Any]) -> str:
    """A short hash of nodes and edges: a checkpoint of another graph is not resumed blindly."""
    shape = [_shape(graph) for graph in graphs]
    return hashlib.sha256(canonical_json(shape).encode()).hexdigest()[:16]


def _shape(graph: StateGraph[Any, Any, Any, Any]) -> list[Any]:
    return [sorted(graph.nodes), sorted(map(list, graph.edges)), _branches(graph)]


def _branches(graph: StateGraph[Any, Any, Any, Any]) -> list[Any]:
    return sorted(
        [source, sorted((branch.ends or {}).values())]
        for source, branches in graph.branches.items()
        for branch in branches.values()
    )


def _adder(graph: StateGraph[Any, Any, Any, Any]) -> Callable[..., None]:
    def add(function: Callable[..., Any], **services: object) -> None:
        graph.add_node(function.__name__, partial(function, **services))

    return add
