import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from configs.settings import load_settings
from graph.cli_init import make_app
from memory.call_log import CallLog
from memory.database import Database
from memory.transcript import Transcript
from models.replies import ModelReply, Usage
from state import Scope, thread_key
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def app(tmp_path: Path) -> Path:
    make_app(tmp_path)
    asyncio.run(use(tmp_path))
    return tmp_path


@pytest.fixture
def shell() -> Shell:
    return Shell(FakeDesk())


async def use(app: Path) -> None:
    """Ada has asked twice in one thread and once in another, Ben once."""
    database = await Database.open(load_settings(app).database_url)
    calls = CallLog(database, lambda: NOW)
    for user, name, turn, usd in (
        ("ada", "monday", 0, 0.25),
        ("ada", "monday", 1, None),
        ("ada", "tuesday", 0, 0.5),
        ("ben", "friday", 0, 9.0),
    ):
        key = thread_key("default", name)
        await Transcript(database, lambda: NOW).claim(key, Scope(user=user), name)
        reply = ModelReply(AIMessage("x"), Usage(100, 10, 50), model="m", cost_usd=usd)
        calls.add(key, turn, "router", messages=[], tools=[], reply=reply)
    await calls.drain()
    await database.close()


def test_costs_are_shown_by_module_model_and_thread_and_only_ones_own(
    app: Path, shell: Shell
) -> None:
    assert shell("cost", "--app", str(app), "--user", "ada") == 0
    for part in ("By module", "By model", "By thread", "monday", "tuesday", "$0.7500", "300"):
        assert part in shell.out
    assert "1 calls of unknown price" in shell.out
    assert "friday" not in shell.out


def test_one_thread_is_shown_turn_by_turn(app: Path, shell: Shell) -> None:
    assert shell("cost", "--thread", "monday", "--app", str(app), "--user", "ada") == 0
    assert "monday 1" in shell.out
    assert "unknown" in shell.out
    assert "tuesday" not in shell.out


def test_costs_are_one_document(app: Path, shell: Shell) -> None:
    assert shell("cost", "--app", str(app), "--user", "ada", "--json") == 0
    report = shell.document()
    assert [row["name"] for row in report["thread"]] == ["monday", "tuesday"]
    assert report["total"][0]["usd"] == 0.75
    assert report["total"][0]["unpriced"] == 1


def test_nothing_used_is_said(app: Path, shell: Shell) -> None:
    assert shell("cost", "--app", str(app), "--user", "cleo") == 0
    assert "No model has been called yet." in shell.out
