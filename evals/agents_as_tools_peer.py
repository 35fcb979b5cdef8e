"""The workload on "experts as tools": agents of `langchain` that a leading agent calls as tools."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph.state import CompiledStateGraph

from evals.scripted import Policy, ScriptedModel, call, last_steps
from evals.workload import EXPERTS, LOOKUPS, WorkScript, WorkTurn, expert_prompt

PROMPT = "You lead the experts finance, infra and legal. Ask one of them, then answer the user."
LEAD = "lead"

MakeModel = Callable[[str, Policy], BaseChatModel]


class AgentsAsTools:
    """A leading agent whose tools are agents, over a SQLite file, driven turn by turn."""

    def __init__(self, graph: CompiledStateGraph[Any, Any, Any, Any], script: "LeadScript") -> None:
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


class LeadScript(WorkScript):
    """The leading agent asks the turn's expert once and then answers."""

    def __init__(self) -> None:
        """Experts follow the workload's own script."""
        super().__init__(handover=False)

    def __call__(self, role: str, messages: Sequence[BaseMessage]) -> AIMessage:
        """The next reply of an expert or of the leading agent."""
        if role != LEAD:
            return super().__call__(role, messages)
        if any(isinstance(step, ToolMessage) for step in last_steps(messages)):
            return AIMessage(self.turn.answer)
        request = {"request": self.turn.question}
        return call(f"ask_{self.turn.expert}", request, f"ask {self.turn.question[:12]}")


@asynccontextmanager
async def open_agents_as_tools(
    file: Path, make_model: MakeModel | None = None
) -> AsyncIterator[AgentsAsTools]:
    """The leading agent and its three experts, with checkpoints in `file`."""
    script = LeadScript()
    make = make_model or _scripted
    async with AsyncSqliteSaver.from_conn_string(str(file)) as saver:
        tools = [_ask_tool(name, make(name, script)) for name in EXPERTS]
        lead = make(LEAD, script)
        graph = create_agent(lead, tools, system_prompt=PROMPT, checkpointer=saver)
        yield AgentsAsTools(graph, script)


def _scripted(role: str, policy: Policy) -> BaseChatModel:
    return ScriptedModel(role=role, policy=policy)


def _ask_tool(name: str, model: BaseChatModel) -> BaseTool:
    agent: Any = create_agent(
        model, [tool(LOOKUPS[name])], system_prompt=expert_prompt(name), name=name
    )

    async def ask(request: str) -> str:
        done = await agent.ainvoke({"messages": [HumanMessage(request)]})
        return str(done["messages"][-1].text)

    ask.__name__ = f"ask_{name}"
    ask.__doc__ = f"Ask the {name} expert."
    return tool(ask)
