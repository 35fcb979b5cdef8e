"""The command line on the real desk, with a model server over HTTP.

What has to survive a process runs in processes of its own; the rest runs in this one.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evals.openai_server import Call, OpenAIServer, Reply, openai_server
from graph.cli_init import make_app
from tests.forks import command_line
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk

ROOT = Path(__file__).parents[2]
REFUND = {"invoice_id": "INV-1042", "amount": 100.0, "reason": "late delivery"}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:  # noqa: ANN401  any JSON value
        return json.loads(self.out)


async def hippograph(*words: str) -> Ended:
    """Run a command by an interpreter of its own, as a shell does."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "from graph.cli import main; main()",
        *words,
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    return Ended(process.returncode or 0, out.decode(), err.decode())


def company(body: Mapping[str, Any]) -> Reply:
    """A model that sends refunds to billing and proposes one of 100.00 on INV-1042."""
    messages = body["messages"]
    brief = next(
        str(message["content"])
        for message in reversed(messages)
        if message["role"] in ("user", "system")
    )
    if "You are the router now." in brief:
        consult = {"experts": [{"name": "billing", "question": "refund 100.00 on INV-1042"}]}
        return Reply(calls=(Call("submit_plan", consult),))
    if "You are the synthesizer now." in brief:
        return Reply("It is settled: INV-1042.")
    if messages[-1]["role"] == "tool":
        return Reply("The refund on INV-1042 is settled.")
    return Reply(calls=(Call("issue_refund", REFUND),))


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An app of its own that asks a real model's protocol."""
    make_app(tmp_path / "app")
    monkeypatch.setenv("HIPPOGRAPH_APP_DIR", str(tmp_path / "app"))
    monkeypatch.setenv("HIPPOGRAPH_MODELS__DEFAULT__PROVIDER", "openai")
    monkeypatch.setenv("HIPPOGRAPH_MODELS__DEFAULT__MODEL", "gpt-4.1-mini")
    monkeypatch.setenv("HIPPOGRAPH_MODELS__DEFAULT__BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("HIPPOGRAPH_RECALL__ENABLED", "false")
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    return tmp_path / "app"


@pytest.fixture
async def server(app: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenAIServer]:
    async with openai_server(company) as running:
        monkeypatch.setenv("HIPPOGRAPH_MODELS__DEFAULT__BASE_URL", running.base_url)
        yield running


@pytest.fixture
def shell() -> Shell:
    return Shell(FakeDesk())


@pytest.mark.usefixtures("server")
async def test_an_effect_waits_in_one_process_and_is_approved_in_another(shell: Shell) -> None:
    asked = await hippograph("ask", "--json", "refund 100.00 on INV-1042, late delivery")
    assert asked.code == 3, asked.err
    assert [one["tool"] for one in asked.document["pending"]] == ["issue_refund"]

    assert await asyncio.to_thread(shell, "ask", "and another one") == 3
    assert "waits for a decision" in shell.out
    await asyncio.to_thread(shell, "pending", "main", "--json")
    assert shell.document() == asked.document["pending"]

    deciding = command_line("decide", "main", "--approve", "all", "--json")
    decided, failed = await asyncio.to_thread(deciding.communicate)
    assert deciding.returncode == 0, failed
    assert json.loads(decided)["text"] == "It is settled: INV-1042."

    wanted = asked.document["pending"][0]["id"]
    assert await asyncio.to_thread(shell, "decide", "main", "--approve", wanted) == 2
    assert shell.err.count("\n") == 1
    await asyncio.to_thread(shell, "show", "main", "--json")
    calls = shell.document()[0]["modules"][0]["calls"]
    assert [(call["name"], call["status"]) for call in calls] == [("issue_refund", "ok")]


@pytest.mark.usefixtures("server")
async def test_a_conversation_asks_for_the_approval_in_line(shell: Shell) -> None:
    talk = command_line("chat")
    typed = "refund 100.00 on INV-1042\nr\nnot this month\n"
    out, err = await asyncio.to_thread(talk.communicate, typed)
    assert talk.returncode == 0, err
    assert "· asking billing: refund 100.00 on INV-1042" in out
    assert "Approval needed: issue_refund" in out
    assert "It is settled: INV-1042." in out

    await asyncio.to_thread(shell, "show", "main", "--json")
    assert shell.document()[0]["modules"][0]["calls"][0]["status"] == "rejected"
    assert await asyncio.to_thread(shell, "rollback", "main", "--turns", "1", "--json") == 0
    assert shell.document()["turns"] == ["refund 100.00 on INV-1042"]


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ask", "  "), "came an empty text"),
        (("ask", "--user", "nobody", "hello"), "'nobody' is not in directory.yaml"),
        (("ask", "--thread", "a\nb", "hello"), "wanted a thread name"),
        (("show", "nowhere"), "there is no thread 'nowhere'"),
        (("resume", "nowhere"), "there is no thread 'nowhere'"),
        (("decide", "nowhere", "--approve", "x"), "there is no thread 'nowhere'"),
        (("decide", "nowhere", "--approve", "all"), "there is no thread 'nowhere'"),
        (("decide", "nowhere", "--cancel"), "there is no thread 'nowhere'"),
        (("pending", "nowhere"), "there is no thread 'nowhere'"),
        (("audit", "nowhere"), "there is no thread 'nowhere'"),
        (("cost", "--thread", "nowhere"), "there is no thread 'nowhere'"),
        (("rollback", "nowhere", "--turns", "1"), "there is no thread 'nowhere'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    shell: Shell, words: tuple[str, ...], said: str
) -> None:
    assert shell(*words) == 2
    assert shell.out == ""
    assert said in shell.err
    assert shell.err.count("\n") == 1


@pytest.mark.usefixtures("app")
def test_a_megabyte_from_stdin_is_refused(shell: Shell) -> None:
    assert shell("ask", "-", typed="word " * 200_000) == 2
    assert "wanted a message of at most 8000 tokens" in shell.err


@pytest.mark.usefixtures("app")
def test_a_model_that_cannot_be_reached_is_a_failure_and_the_thread_stays_usable(
    shell: Shell,
) -> None:
    assert shell("ask", "refund INV-1042", "--json") in (0, 1)
    assert shell.document()["text"]
    assert shell("show", "main") == 0
    assert shell("decide", "main", "--cancel") == 2
    assert "there is nothing to cancel" in shell.err
    assert shell("audit", "main") == 0
