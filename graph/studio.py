"""The graphs as `langgraph.json` names them: the server brings its own checkpointer.

Services are opened and graphs compiled once for the server's loop, and shared by all requests;
the server asks for a graph at each of them, and runs a copy of it.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, TypeAlias

from langgraph.graph.state import CompiledStateGraph

from configs.settings import load_settings
from graph.build import build_graph
from graph.hippocampus import bind_background, build_hippocampus
from graph.services import Services, create_services

Graph: TypeAlias = CompiledStateGraph[Any, Any, Any, Any]


@dataclass(frozen=True, slots=True)
class _Opened:
    services: Services
    desk: Graph
    hippocampus: Graph


_keepers: set[asyncio.Task[None]] = set()
_opened: dict[asyncio.AbstractEventLoop, asyncio.Task[_Opened]] = {}


async def shared_services() -> Services:
    """The services of this loop, opened at the first call."""
    return (await _shared()).services


async def _shared() -> _Opened:
    loop = asyncio.get_running_loop()
    if loop not in _opened:
        _opened[loop] = loop.create_task(_open(), name="open services")
    return await asyncio.shield(_opened[loop])


async def _open() -> _Opened:
    services = await create_services(await asyncio.to_thread(load_settings))
    bind_background(services)
    ready = asyncio.Event()
    _keepers.add(asyncio.create_task(_keep(services, ready), name="drain at shutdown"))
    await ready.wait()
    return _Opened(
        services,
        desk=build_graph(services).compile(name="desk"),
        hippocampus=build_hippocampus(services).compile(name="hippocampus"),
    )


async def _keep(services: Services, ready: asyncio.Event) -> None:
    """Finish background work when the server's loop cancels what is left in it."""
    ready.set()
    try:
        await asyncio.Event().wait()
    finally:
        await services.close()


async def desk() -> Graph:
    """The main graph, for the server."""
    return (await _shared()).desk


async def hippocampus() -> Graph:
    """The background graph, for the server."""
    return (await _shared()).hippocampus
