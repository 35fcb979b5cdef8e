"""The cache commands on a real desk, a real server, and wrong options."""

import asyncio
import threading
from pathlib import Path

import pytest

from configs.sections import ROLES
from configs.settings import load_settings
from evals.openai_server import Reply, openai_server
from evals.scripted import ScriptedModel
from evals.workload import WorkScript, work_turns, write_work_app
from graph.cache_report import compare
from graph.session import open_desk
from state import thread_key
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk


@pytest.fixture
def shell() -> Shell:
    return Shell(FakeDesk())


async def test_a_thread_keeps_what_its_calls_have_sent_without_their_text(tmp_path: Path) -> None:
    settings = load_settings(write_work_app(tmp_path / "app"))
    script = WorkScript(handover=False)
    models = {role: ScriptedModel(role=role, policy=script) for role in ROLES}
    async with open_desk(settings, models=models) as desk:
        for turn in work_turns(4):
            script.turn = turn
            await desk.ask(thread="t", user="local", text=turn.question)
        calls = await desk.services.calls.calls(thread_key("default", "t"))
    wanted = sum(turn.lookups + 3 for turn in work_turns(4))
    assert len(calls) == wanted
    assert {call.module for call in calls} == {"router", "finance", "infra", "legal", "synthesizer"}
    assert not any(block.ids for call in calls for block in call.blocks)
    found = compare(calls, "openai")
    assert found.rows[-1].predicted > found.rows[-1].tokens / 2


async def test_a_log_that_is_drained_keeps_every_call(tmp_path: Path) -> None:
    settings = load_settings(write_work_app(tmp_path / "app"))
    script = WorkScript(handover=False)
    models = {role: ScriptedModel(role=role, policy=script) for role in ROLES}
    async with open_desk(settings, models=models) as desk:
        await desk.ask(thread="t", user="local", text=script.turn.question)
    async with open_desk(settings, models=models) as desk:
        assert len(await desk.services.calls.calls(thread_key("default", "t"))) == 4


def test_an_unknown_rule_is_a_mistake_that_names_the_rules(shell: Shell) -> None:
    assert shell("cache-report", "t", "--rule", "best") == 2
    assert "anthropic" in shell.err
    assert "llama.cpp" in shell.err


def test_the_embedded_model_has_no_cache_to_probe(shell: Shell) -> None:
    assert shell("cache-probe") == 2
    assert "no prompt cache" in shell.err
    assert shell("cache-probe", "--role", "pilot") == 2
    assert "wanted one of the roles" in shell.err


def test_a_probe_prints_its_calls_and_findings(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started, stop = threading.Event(), threading.Event()
    address: list[str] = []

    async def serve() -> None:
        async with openai_server(Reply("OK")) as server:
            address.append(server.base_url)
            started.set()
            await asyncio.to_thread(stop.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    started.wait()
    app = write_work_app(tmp_path / "app")
    monkeypatch.setenv("HIPPOGRAPH_MODELS__DEFAULT__PROVIDER", "openai")
    monkeypatch.setenv("HIPPOGRAPH_MODELS__DEFAULT__MODEL", "large")
    monkeypatch.setenv("HIPPOGRAPH_MODELS__DEFAULT__BASE_URL", address[0])
    try:
        code = shell("cache-probe", "--app", str(app), "--rounds", "2", "--json")
    finally:
        stop.set()
        thread.join()
    assert code == 0, shell.err
    document = shell.document()
    assert document["rule"] == "vllm"
    assert [call["sent"] for call in document["calls"]] == ["grown", "again", "other ending"] * 2
    assert document["findings"]
