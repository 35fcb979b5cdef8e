"""The graphs as `langgraph.json` names them: the server brings its own checkpointer.

Services are opened once for the server's loop and shared by all requests.
"""

import asyncio
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from configs.settings import load_settings
from graph.build import build_graph
from graph.hippocampus import bind_background, build_hippocampus
from graph.services import Services, create_services

_keepers: set[asyncio.Task[None]] = set()
_opened: dict[asyncio.AbstractEventLoop, asyncio.Task[Services]] = {}


async def shared_services() -> Services:
    """The services of this loop, opened at the first call."""
    loop = asyncio.get_running_loop()
    if loop not in _opened:
        _opened[loop] = loop.create_task(_create(), name="open services")
    return await asyncio.shield(_opened[loop])


async def _create() -> Services:
    services = await create_services(await asyncio.to_thread(load_settings))
    bind_background(services)
    ready = asyncio.Event()
    _keepers.add(asyncio.create_task(_keep(services, ready), name="drain at shutdown"))
    await ready.wait()
    return services


async def _keep(services: Services, ready: asyncio.Event) -> None:
    """Finish background work when the server's loop cancels what is left in it."""
    ready.set()
    try:
        await asyncio.Event().wait()
    finally:
        await services.close()


async def desk() -> CompiledStateGraph[Any, Any, Any, Any]:
    """The main graph, for the server."""
    return build_graph(await shared_services()).compile(name="desk")


async def hippocampus() -> CompiledStateGraph[Any, Any, Any, Any]:
    """The background graph, for the server."""
    return build_hippocampus(await shared_services()).compile(name="hippocampus")
