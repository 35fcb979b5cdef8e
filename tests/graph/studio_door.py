"""The graph as the server runs it: another saver, another door, no session around it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, Interrupt

from graph.build import build_graph
from graph.hippocampus import bind_background
from graph.services import Services, create_services
from state import Context
from tests.graph.plays import Play, Turn
from tests.graph.workshop import workshop
from tests.tools.parts import SetClock

THREAD = "thread-of-studio"
CONFIG: Any = {"configurable": {"thread_id": THREAD}}


@dataclass(slots=True)
class Studio:
    """A compiled graph and what a client may do with it."""

    graph: Any
    services: Services
    play: Play
    context: Context | None = None

    async def send(self, question: str) -> dict[str, Any]:
        return await self.run({"messages": [{"role": "user", "content": question}]})

    async def resume(self, value: object) -> dict[str, Any]:
        return await self.run(Command(resume=value))

    async def pauses(self) -> tuple[Interrupt, ...]:
        found: tuple[Interrupt, ...] = (await self.graph.aget_state(CONFIG)).interrupts
        return found

    async def value(self) -> dict[str, Any]:
        """What the one pause shows."""
        (pause,) = await self.pauses()
        shown: dict[str, Any] = pause.value
        return shown

    async def run(self, given: object) -> dict[str, Any]:
        ended: dict[str, Any] = await self.graph.ainvoke(
            given, CONFIG, context=self.context, durability="sync"
        )
        return ended


@asynccontextmanager
async def studio(data_dir: Path, turn: Turn, clock: SetClock) -> AsyncIterator[Studio]:
    play = Play({"press": turn})
    services = await create_services(workshop(data_dir), models=play.models, clock=clock)
    bind_background(services)
    graph = build_graph(services).compile(checkpointer=InMemorySaver())
    yield Studio(graph, services, play)
    await services.background.drain(5)
    await services.close()
