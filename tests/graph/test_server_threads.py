"""A decision on a thread of the graphs' server: in the ledger, then as a run of that server."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from graph.server_threads import decide_on_server
from state import Context
from tests.graph.conftest import clock, data_dir
from tests.graph.plays import Turn, call
from tests.graph.studio_door import THREAD, Studio, studio
from tests.tools.parts import SetClock

__all__ = ["clock", "data_dir"]

PRESS = Turn(["hands"], {"hands": [[call("press_button", item="red")]]})


def server_of(door: Studio, posted: list[dict[str, Any]]) -> LangGraphClient:
    """The SDK's client of a server that keeps the studio's thread and notes the runs it gets."""

    async def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            posted.append(json.loads(request.content))
            return httpx.Response(200, json={"run_id": "the-run"})
        pauses = [{"id": one.id, "value": one.value} for one in await door.pauses()]
        return httpx.Response(200, json={"tasks": [{"interrupts": pauses}]})

    transport = httpx.MockTransport(answer)
    return LangGraphClient(httpx.AsyncClient(transport=transport, base_url="http://server"))


async def test_the_run_that_goes_on_queues_behind_one_that_runs(
    data_dir: Path, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The decision is taken by then: a refused run would lose it, a cut-off one its effects."""
    posted: list[dict[str, Any]] = []
    async with studio(data_dir, PRESS, clock) as door:
        await door.send("press")
        monkeypatch.setattr("graph.server_threads.get_client", lambda: server_of(door, posted))
        (row,) = await door.services.ledger.pending("default", THREAD)
        (pause,) = await door.pauses()
        taken = await decide_on_server(
            door.services, THREAD, [{"id": row.id, "type": "approve"}], Context().scope
        )
    assert taken == {"status": "resumed", "thread": THREAD, "run_id": "the-run"}
    (run,) = posted
    assert run["multitask_strategy"] == "enqueue"
    assert list(run["command"]["resume"]) == [pause.id]
