import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from configs.settings import load_settings
from graph.cli_init import make_app
from memory.database import Database
from memory.group_commit import GroupCommit
from memory.tool_log import ToolCallRow, ToolLog
from state import thread_key
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk


@pytest.fixture
def app(tmp_path: Path) -> Path:
    make_app(tmp_path)
    asyncio.run(use(tmp_path))
    return tmp_path


async def use(app: Path) -> None:
    """Ada has made a call in each of two threads, Ben one."""
    database = await Database.open(load_settings(app).database_url)
    log = ToolLog(database, GroupCommit(database), lambda: datetime(2030, 1, 1, tzinfo=UTC))
    for user, thread, tool in (
        ("ada", "monday", "get_invoice"),
        ("ada", "tuesday", "issue_refund"),
        ("ben", "friday", "find_order"),
    ):
        row = ToolCallRow(
            tenant="default",
            user=user,
            thread=thread_key("default", thread),
            turn_id="u1",
            expert="billing",
            ordinal=0,
            tool=tool,
            tool_call_id="c",
            effect="read_only",
            outcome="error",
            kind="timeout",
            duration_ms=12.5,
            tries=3,
        )
        log.add(row)
    await log.group.close()
    await database.close()


def test_calls_are_listed_for_their_user_only(app: Path) -> None:
    shell = Shell(FakeDesk())
    assert shell("audit", "--app", str(app), "--user", "ada") == 0
    for part in ("get_invoice", "issue_refund", "error (timeout)", "12.5", "3 tries", "monday"):
        assert part in shell.out
    assert "find_order" not in shell.out


def test_one_thread_can_be_named(app: Path) -> None:
    shell = Shell(FakeDesk())
    assert shell("audit", "monday", "--app", str(app), "--user", "ada", "--json") == 0
    assert '"tool": "get_invoice"' in shell.out
    assert "issue_refund" not in shell.out


def test_an_empty_audit_says_so(app: Path) -> None:
    shell = Shell(FakeDesk())
    assert shell("audit", "--app", str(app), "--user", "eve") == 0
    assert "No tool has been called yet." in shell.out
