"""The workload on langgraph-supervisor: the peer that Hippograph's turn time is set against."""

import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel
from langgraph_supervisor import create_supervisor

from evals.scripted import ScriptedModel
from evals.workload import EXPERTS, LOOKUPS, WorkScript, WorkTurn, expert_prompt

PROMPT = (
    "You lead the experts finance, infra and legal. Hand each request to one, then answer the user."
)


class SupervisorPeer:
    """A compiled supervisor graph over a SQLite file, driven turn by turn."""

    def __init__(self, graph: CompiledStateGraph[Any, Any, Any, Any], script: WorkScript) -> None:
        """Drive `graph`, whose models follow `script`."""
        self._graph = graph
        self._script = script

    async def turn(self, thread: str, turn: WorkTurn) -> str:
        """Play one turn; returns the answer."""
        self._script.turn = turn
        done = await self._graph.ainvoke(
            {"messages": [HumanMessage(turn.question)]},
            {"configurable": {"thread_id": thread}},
            durability="sync",
        )
        return str(done["messages"][-1].text)


@asynccontextmanager
async def open_supervisor(file: Path) -> AsyncIterator[SupervisorPeer]:
    """A supervisor of three experts with its checkpoints in `file`."""
    script = WorkScript(handover=True)
    async with AsyncSqliteSaver.from_conn_string(str(file)) as saver:
        graph = supervisor_graph(lambda role: ScriptedModel(role=role, policy=script))
        yield SupervisorPeer(graph.compile(checkpointer=saver), script)


def supervisor_graph(make_model: Callable[[str], BaseChatModel]) -> StateGraph[Any, Any, Any, Any]:
    """A supervisor of three experts, not yet compiled.

    Args:
        make_model: the model of a role, `supervisor` or an expert's name.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peer builds on functions its own platform deprecates
        agents: list[Pregel[Any, Any, Any, Any]] = [
            create_agent(
                make_model(name),
                [tool(LOOKUPS[name])],
                system_prompt=expert_prompt(name),
                name=name,
            )
            for name in EXPERTS
        ]
        return create_supervisor(agents, model=make_model("supervisor"), prompt=PROMPT)
