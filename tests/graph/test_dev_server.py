"""The graphs under the real `langgraph dev`: threads, runs, streaming, approvals, no blocking.

The server runs on the embedded default, in a folder of its own; it stops clean at the end.
"""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError

from graph.studio import desk, hippocampus
from tests.graph.mailboxes import Receiver, receiver
from tests.tools.mcp_parts import stdio_shop

ROOT = Path(__file__).parents[2]
START_S, STOP_S = 60.0, 20.0
FINANCE: dict[str, Any] = {"user": "local", "teams": ["finance", "support"]}
TOKEN = "token-of-a-reviewer-0815"
LOOK_UP = "What is the status of invoice INV-1042?"
REFUND = "Refund 75.50 EUR on INV-1002, they were billed one seat too many."
NOISE = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(slots=True)
class Server:
    """A running server, its log, and what it has told the world."""

    url: str
    folder: Path
    process: subprocess.Popen[bytes]
    hook: Receiver

    @property
    def log(self) -> str:
        return NOISE.sub("", (self.folder / "log").read_text(encoding="utf-8", errors="replace"))

    def is_up(self) -> bool:
        try:
            return httpx.get(f"{self.url}/ok", timeout=2).status_code == 200
        except httpx.TransportError:
            return False

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(STOP_S)


@pytest.fixture(scope="module")
def hook() -> Iterator[Receiver]:
    with receiver() as found:
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, hook: Receiver) -> Iterator[Server]:
    """`langgraph dev` over a copy of the project's langgraph.json that points at the project."""
    folder = tmp_path_factory.mktemp("server")
    config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    config["dependencies"] = [str(ROOT)]
    config["graphs"] = {name: str(ROOT / path) for name, path in config["graphs"].items()}
    config["http"]["app"] = str(ROOT / config["http"]["app"])
    (folder / "langgraph.json").write_text(json.dumps(config), encoding="utf-8")
    port = free_port()
    command = ["-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--port", str(port)]
    environment = {
        **os.environ,
        "HIPPOGRAPH_DATA_DIR": str(folder / "data"),
        "HIPPOGRAPH_HTTP": json.dumps({"reviewers": [{"user": "local", "token_env": "REVIEWER"}]}),
        "HIPPOGRAPH_MCP": json.dumps({"shop": stdio_shop(folder / "journal", experts=["*"])}),
        "HIPPOGRAPH_NOTIFY": json.dumps(
            {"channels": {"ops": {"kind": "webhook", "url": hook.url, "format": "slack"}}}
        ),
        "REVIEWER": TOKEN,
        "LANGSMITH_TRACING": "false",
        "LANGGRAPH_STRICT_MSGPACK": "true",
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *command], cwd=folder, env=environment, stdout=log, stderr=log
        )
    running = Server(f"http://127.0.0.1:{port}", folder, process, hook)
    try:
        wait_until_up(running)
        yield running
        assert running.stop() == 0, running.log[-3000:]
        assert_clean(running.log)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(STOP_S)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_up(running: Server) -> None:
    ends = time.monotonic() + START_S
    while not running.is_up():
        assert running.process.poll() is None, running.log[-3000:]
        assert time.monotonic() < ends, running.log[-3000:]
        time.sleep(0.2)


def assert_clean(log: str) -> None:
    """Nothing blocked the loop, and nothing but what a test provoked went wrong."""
    assert "BlockingError" not in log
    assert "Blocking call" not in log
    assert "was never awaited" not in log
    assert "custom checkpointer" not in log


@pytest.fixture
async def client(server: Server) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=server.url) as opened:
        yield opened


async def new_thread(client: LangGraphClient) -> str:
    return str((await client.threads.create())["thread_id"])


def said(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


async def send(client: LangGraphClient, thread: str, text: str) -> dict[str, Any]:
    ended: Any = await client.runs.wait(thread, "desk", input=said(text), context=FINANCE)
    return dict(ended)


async def resume(client: LangGraphClient, thread: str, value: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    ended: Any = await client.runs.wait(thread, "desk", command={"resume": value}, context=FINANCE)
    return dict(ended)


async def test_both_graphs_are_listed(client: LangGraphClient) -> None:
    found = await client.assistants.search()
    assert {assistant["graph_id"] for assistant in found} == {"desk", "hippocampus"}


async def test_a_question_is_answered_and_stays_in_the_threads_messages(
    client: LangGraphClient,
) -> None:
    thread = await new_thread(client)
    ended = await send(client, thread, LOOK_UP)
    state: Any = await client.threads.get_state(thread)
    shown = [(message["type"], message["content"]) for message in state["values"]["messages"]]
    assert shown == [("human", LOOK_UP), ("ai", ended["answer"])]
    assert "INV-1042" in ended["answer"]
    assert (state["next"], ended["status"]) == ([], "DONE")


async def test_a_run_streams_its_steps_and_the_words_of_its_answer(
    client: LangGraphClient,
) -> None:
    thread = await new_thread(client)
    steps: list[str] = []
    words = ""
    async for part in client.runs.stream(
        thread, "desk", input=said(LOOK_UP), stream_mode=["updates", "messages-tuple"]
    ):
        data: Any = part.data
        if part.event == "updates":
            steps += data
        if part.event == "messages" and data[1]["langgraph_node"] == "synthesize":
            words = data[0]["content"] if data[0]["type"] == "ai" else words + data[0]["content"]
    assert steps == [
        "open_turn", "recall", "route", "expert", "synthesize", "close_turn", "hippocampus",
    ]  # fmt: skip
    assert "INV-1042" in words


async def test_an_approval_pauses_the_run_and_langchains_decisions_resume_it(
    client: LangGraphClient,
) -> None:
    thread = await new_thread(client)
    paused = await send(client, thread, REFUND)
    (request,) = paused["__interrupt__"][0]["value"]["action_requests"]
    assert (request["name"], request["args"]["amount"]) == ("issue_refund", 75.5)
    listed: Any = await client.threads.get(thread)
    assert listed["status"] == "interrupted"
    wrong = await resume(client, thread, {"decisions": [{"type": "approve"}] * 2})
    again = wrong["__interrupt__"][0]["value"]
    assert "wanted 1 decisions" in again["problem"]
    ended = await resume(client, thread, {"decisions": [{"type": "approve"}]})
    assert ended["status"] == "DONE"
    (made,) = [made for made in ended["findings"][0]["calls"] if made["name"] == "issue_refund"]
    assert made["status"] == "ok"


async def test_an_approval_over_http_resumes_the_servers_own_run(
    server: Server, client: LangGraphClient
) -> None:
    thread = await new_thread(client)
    paused = await send(client, thread, REFUND)
    (request,) = paused["__interrupt__"][0]["value"]["action_requests"]
    for _ in range(100):
        if any(request["id"].encode() in posted.body for posted in server.hook.posted):
            break
        await asyncio.sleep(0.1)
    decision = {"id": request["id"], "type": "approve"}
    given = {"thread": thread, "decisions": [decision]}
    async with httpx.AsyncClient(
        base_url=server.url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60
    ) as http:
        listed = (await http.get("/approvals", params={"thread": thread})).json()["pending"]
        taken = (await http.post("/approvals/decide", json=given)).json()
        again = await http.post("/approvals/decide", json=given)
    assert [action["id"] for action in listed] == [request["id"]]
    told = b"".join(posted.body for posted in server.hook.posted)
    assert request["id"].encode() in told, "a person was told while the action waited"
    assert again.status_code == 409
    ended: Any = await client.runs.join(thread, taken["run_id"])
    (made,) = [made for made in ended["findings"][0]["calls"] if made["name"] == "issue_refund"]
    assert (ended["status"], made["status"]) == ("DONE", "ok")


async def test_a_started_mcp_server_is_connected_without_blocking(
    server: Server, client: LangGraphClient
) -> None:
    """By the first turn; the log is looked at when the server ends."""
    await send(client, await new_thread(client), LOOK_UP)
    offer = server.folder / "data" / "mcp" / "shop.json"
    for _ in range(200):
        if await asyncio.to_thread(offer.exists):
            break
        await asyncio.sleep(0.1)
    assert "find_customer" in await asyncio.to_thread(offer.read_text, encoding="utf-8")


async def test_a_rejection_reaches_the_expert(client: LangGraphClient) -> None:
    thread = await new_thread(client)
    await send(client, thread, REFUND)
    decision = {"type": "reject", "message": "ask the customer first"}
    ended = await resume(client, thread, {"decisions": [decision]})
    made = ended["findings"][0]["calls"][-1]
    assert (made["status"], made["note"]) == ("rejected", "ask the customer first")
    assert "ask the customer first" in ended["answer"]


async def test_a_message_to_a_waiting_thread_is_answered_with_the_choice(
    client: LangGraphClient,
) -> None:
    thread = await new_thread(client)
    before = await send(client, thread, REFUND)
    after = await send(client, thread, "something else")
    requests = [p["__interrupt__"][0]["value"]["action_requests"] for p in (before, after)]
    assert requests[0] == requests[1]
    assert "Decide the pending action first" in after["messages"][-1]["content"]


async def test_a_second_run_on_a_thread_can_queue_or_be_rejected(client: LangGraphClient) -> None:
    """The server takes both by default; a client says what it wants."""
    thread = await new_thread(client)
    first = await client.runs.create(thread, "desk", input=said(LOOK_UP))
    with pytest.raises(ConflictError):
        await client.runs.create(
            thread, "desk", input=said("too much"), multitask_strategy="reject"
        )
    second = await client.runs.create(
        thread, "desk", input=said("Which invoices are overdue?"), multitask_strategy="enqueue"
    )
    for run in (first, second):
        await client.runs.join(thread, run["run_id"])
    state: Any = await client.threads.get_state(thread)
    assert [record["user"] for record in state["values"]["history"]] == [
        LOOK_UP,
        "Which invoices are overdue?",
    ]


@pytest.mark.parametrize(
    ("given", "part"),
    [("  ", "empty message"), ("word " * 9000, "at most 8000")],
)
async def test_bad_input_is_answered_and_the_thread_stays_usable(
    given: str, part: str, client: LangGraphClient
) -> None:
    thread = await new_thread(client)
    refused = await send(client, thread, given)
    assert part in refused["messages"][-1]["content"]
    assert (await send(client, thread, LOOK_UP))["status"] == "DONE"


async def test_the_background_graph_runs_on_its_own(client: LangGraphClient) -> None:
    thread = await new_thread(client)
    await send(client, thread, LOOK_UP)
    given: dict[str, Any] = {
        "tenant": "default",
        "user": "local",
        "teams": [],
        "thread_id": thread,
        "turn_id": "",
    }
    ended: Any = await client.runs.wait(None, "hippocampus", input=given)
    assert ended["outcome"] == "done"


async def test_neither_graph_brings_its_own_checkpointer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server refuses a graph that does; it brings its own."""
    monkeypatch.setenv("HIPPOGRAPH_DATA_DIR", str(tmp_path))
    for factory in (desk, hippocampus):
        assert (await factory()).checkpointer is None
    from graph import studio  # noqa: PLC0415

    services = await studio.shared_services()
    await services.background.drain(5)
    await services.close()
    studio._opened.clear()


def test_what_the_server_leaves_behind_is_not_committed(server: Server) -> None:
    """It keeps threads as pickles, which must not be shared."""
    assert (server.folder / ".langgraph_api").is_dir()
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert any(line.strip("/") == ".langgraph_api" for line in ignored)
