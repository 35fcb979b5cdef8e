"""A whole turn on an OpenAI-compatible server, over HTTP, in one piece and streamed."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from evals.openai_server import Call, OpenAIServer, Reply, Script, openai_server
from graph.session import Desk, open_desk
from nodes.fact_extraction import SUBMIT_FACTS
from tests.graph.workshop import happened, workshop

ROUTED = Call("submit_plan", {"experts": [{"name": "hands", "question": "press it"}]}, "p1")
PRESS = Call("press_button", {"item": "red"}, "c1")
NOTHING_STATED = Reply(calls=(Call(SUBMIT_FACTS, {"facts": []}, "f1"),))
TURN = [
    Reply(calls=(ROUTED,)),
    Reply(calls=(PRESS,)),
    Reply(text="The red button is pressed."),
    Reply(text="It is done."),
]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")


@asynccontextmanager
async def served_desk(
    data_dir: Path, replies: list[Reply]
) -> AsyncIterator[tuple[Desk, OpenAIServer]]:
    async with openai_server(_with_background(replies)) as server:
        profile = {"provider": "openai", "model": "gpt-test", "base_url": server.base_url}
        settings = workshop(data_dir, models={"default": profile})
        async with open_desk(settings) as desk:
            yield desk, server


def _with_background(replies: list[Reply]) -> Script:
    """Replies for the turn in their order, and at any time one for the reader of facts."""
    left = iter(replies)

    def script(body: Mapping[str, Any]) -> Reply:
        if [tool["function"]["name"] for tool in body["tools"]] == [SUBMIT_FACTS]:
            return NOTHING_STATED
        return next(left)

    return script


async def approve(desk: Desk) -> str:
    (action,) = await desk.pending("t", user="local")
    return (await desk.decide("t", [{"id": action.id, "type": "approve"}], user="local")).text


async def test_a_turn_with_an_approval_runs_over_http(data_dir: Path) -> None:
    async with served_desk(data_dir, list(TURN)) as (desk, server):
        asked = await desk.ask(thread="t", user="local", text="press")
        assert (asked.status, happened(data_dir)) == ("waiting", [])
        assert await approve(desk) == "It is done."
    assert happened(data_dir) == ["press_button"]
    turn = server.bodies[: len(TURN)]  # what follows is the background, with tools of its own
    assert len({str(body["tools"]) for body in turn}) == 1
    assert server.bodies[2]["messages"][-1]["role"] == "tool"


async def test_a_streamed_turn_runs_over_http(data_dir: Path) -> None:
    replies = [TURN[0], TURN[2], TURN[3]]
    async with served_desk(data_dir, replies) as (desk, server):
        found = [event async for event in desk.stream(thread="t", user="local", text="press")]
    words = "".join(event.data["text"] for event in found if event.kind == "token")
    assert words == found[-1].data["reply"].text == "It is done."
    assert all(body["stream"] for body in server.bodies[:3])


async def test_a_refused_key_fails_the_turn_with_the_next_step_and_not_the_key(
    data_dir: Path,
) -> None:
    refused = Reply(status=401, error={"message": "Incorrect API key", "code": "invalid_api_key"})
    async with served_desk(data_dir, [refused] * 9) as (desk, _):
        reply = await desk.ask(thread="t", user="local", text="press")
        turns = await desk.show("t", "local")
    assert reply.status == "failed"
    assert "sk-not-a-real-key" not in repr(reply)
    assert len(turns) == 1
