import asyncio
import builtins
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from graph import cli_run
from graph.cli import app
from graph.errors import DeskFailure, NotYourThread, TextTooLong
from graph.replies import Reply, RollbackReport, ThreadInfo
from memory.errors import DatabaseUnavailable
from tests.forks import Forked
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk, action, record

ROOT = Path(__file__).parents[2]
HEAVY = {
    "pydantic",
    "rich",
    "yaml",
    "langchain_core",
    "langgraph",
    "sqlalchemy",
    "numpy",
    "configs",
}


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> FakeDesk:
    fake = FakeDesk()
    monkeypatch.setattr(cli_run, "open_app_desk", fake.open)
    return fake


@pytest.fixture
def shell(desk: FakeDesk) -> Shell:
    return Shell(desk)


def python(code: str, *, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_importing_the_command_line_loads_nothing_heavy() -> None:
    found = python("import sys, graph.cli; print(' '.join(sys.modules))")
    loaded = {name.split(".")[0] for name in found.stdout.split()}
    assert loaded & HEAVY == set()


def test_help_loads_nothing_heavy_and_names_the_exit_codes() -> None:
    code = (
        "import sys\nfrom graph.cli import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(' '.join(sys.modules), file=sys.stderr)"
    )
    found = python(code)
    assert {name.split(".")[0] for name in found.stderr.split()} & HEAVY == set()
    assert "3 waits for an approval" in " ".join(found.stdout.split())


def test_an_answer_is_printed_and_gives_zero(shell: Shell, desk: FakeDesk) -> None:
    desk.replies = [Reply("done", "It is on its way.", "t1", consulted=["orders"], notes=["slow"])]
    assert shell("ask", "--thread", "t1", "--user", "ada", "--tenant", "acme", "where?") == 0
    assert shell.out.splitlines() == ["· asked orders", "· slow", "It is on its way."]
    assert desk.called("ask") == [
        {"thread": "t1", "user": "ada", "text": "where?", "tenant": "acme"}
    ]
    assert desk.closed == 1


def test_a_dash_reads_the_message_from_stdin(shell: Shell, desk: FakeDesk) -> None:
    desk.replies = [Reply("done", "yes", "main")]
    shell("ask", "-", typed="two\nlines")
    assert desk.called("ask")[0]["text"] == "two\nlines"


def test_a_waiting_reply_gives_three_and_says_how_to_decide(shell: Shell, desk: FakeDesk) -> None:
    desk.replies = [Reply("waiting", "", "t1", pending=[action()])]
    assert shell("ask", "--thread", "t1", "--user", "ada", "refund it") == 3
    assert "issue_refund" in shell.out
    assert 'invoice_id: "INV-1"' in shell.out
    assert "hippograph decide t1 --user ada --approve ID|all" in shell.out


def test_a_failed_reply_gives_one(shell: Shell, desk: FakeDesk) -> None:
    desk.replies = [Reply("failed", "The desk could not answer. Ask again.", "main")]
    assert shell("ask", "hello") == 1


def test_json_is_one_document_on_stdout(shell: Shell, desk: FakeDesk) -> None:
    desk.replies = [Reply("waiting", "", "main", pending=[action()], consulted=["billing"])]
    assert shell("ask", "--json", "refund it") == 3
    document = shell.document()
    assert document["status"] == "waiting"
    assert document["pending"][0]["args"]["amount"] == "20.00"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotYourThread("t1"), 2),
        (TextTooLong(9000, 8000), 2),
        (DeskFailure("the disk is full"), 1),
        (DatabaseUnavailable("sqlite:///x", OSError("no")), 1),
        (RuntimeError("surprise"), 1),
    ],
)
def test_an_error_is_one_sentence_on_stderr_and_has_its_exit_code(
    shell: Shell, desk: FakeDesk, error: Exception, code: int
) -> None:
    desk.replies = [error]
    assert shell("ask", "hello") == code
    assert shell.out == ""
    assert str(error) in shell.err
    assert "Traceback" not in shell.err


def test_an_unexpected_error_names_the_next_step(shell: Shell, desk: FakeDesk) -> None:
    desk.replies = [RuntimeError("surprise")]
    shell("ask", "hello")
    assert "`hippograph doctor` checks the set-up" in shell.err


def test_debug_shows_the_traceback(shell: Shell, desk: FakeDesk) -> None:
    desk.replies = [RuntimeError("surprise")]
    shell("--debug", "ask", "hello")
    assert "Traceback" in shell.err


def test_an_error_in_json_mode_is_a_document_too(shell: Shell, desk: FakeDesk) -> None:
    desk.replies = [NotYourThread("t1")]
    assert shell("ask", "--json", "hello") == 2
    assert shell.document()["error"]["kind"] == "NotYourThread"


def test_a_wrong_app_folder_is_a_users_error(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell(FakeDesk())
    assert shell("ask", "--app", "/nowhere", "hello") == 2
    assert "`hippograph init DIR` makes one" in shell.err


def test_the_app_folder_can_be_said_before_or_after_the_command(
    shell: Shell, desk: FakeDesk
) -> None:
    desk.replies = [Reply("done", "", "main"), Reply("done", "", "main")]
    shell("--app", "one", "ask", "hello")
    shell("ask", "--app", "two", "hello")
    assert [str(door.app) for door in desk.opened] == ["one", "two"]


def test_a_missing_argument_is_a_users_error(shell: Shell) -> None:
    assert shell("ask") == 2


def test_pending_lists_each_action_with_what_can_be_decided(shell: Shell, desk: FakeDesk) -> None:
    desk.waiting = [action(), action("void_invoice", thread="t2")]
    assert shell("pending") == 0
    assert "Thread t2" in shell.out
    assert "offered: approve, edit, reject, respond" in shell.out
    assert desk.called("pending")[0]["thread"] is None


def test_pending_as_json_is_a_list(shell: Shell, desk: FakeDesk) -> None:
    assert shell("pending", "t1", "--json") == 0
    assert shell.document() == []


def test_deciding_everything_approves_every_action(shell: Shell, desk: FakeDesk) -> None:
    desk.waiting = [action(), action("void_invoice")]
    desk.replies = [Reply("done", "Both done.", "main")]
    assert shell("decide", "main", "--approve", "all") == 0
    decisions = desk.called("decide")[0]["decisions"]
    assert [decision["type"] for decision in decisions] == ["approve", "approve"]


def test_cancel_ends_the_turn(shell: Shell, desk: FakeDesk) -> None:
    desk.replies = [Reply("done", "Cancelled.", "main")]
    assert shell("decide", "main", "--cancel") == 0
    assert desk.called("cancel")[0]["thread"] == "main"


def test_deciding_nothing_is_refused_before_the_desk_opens(shell: Shell, desk: FakeDesk) -> None:
    assert shell("decide", "main") == 2
    assert "`hippograph pending main` lists the ids" in shell.err
    assert desk.opened == []


def test_resume_finishes_a_turn(shell: Shell, desk: FakeDesk) -> None:
    desk.replies = [Reply("done", "Here it is.", "main")]
    assert shell("resume", "main") == 0
    assert "Here it is." in shell.out


def test_rollback_lists_what_stays_done_and_what_waits(shell: Shell, desk: FakeDesk) -> None:
    desk.report = RollbackReport("main", ["refund it"], ["void_invoice({})"], [action()])
    assert shell("rollback", "main", "--turns", "2") == 3
    assert "Taken back: refund it" in shell.out
    assert "there is no way back: void_invoice({})" in shell.out
    assert desk.called("rollback")[0]["turns"] == 2


def test_rollback_of_no_turns_is_refused(shell: Shell, desk: FakeDesk) -> None:
    assert shell("rollback", "main", "--turns", "0") == 2
    assert desk.opened == []


def test_threads_are_listed(shell: Shell, desk: FakeDesk) -> None:
    desk.infos = [ThreadInfo("t1", "local", 4, "waiting", "2030-01-01T00:00:00+00:00")]
    assert shell("threads") == 0
    assert "waiting" in shell.out
    assert shell("threads", "--json") == 0
    assert shell.document()[0]["turns"] == 4


def test_no_threads_says_how_to_begin(shell: Shell) -> None:
    shell("threads")
    assert "`hippograph chat` begins one" in shell.out


def test_show_prints_questions_calls_and_answers(shell: Shell) -> None:
    assert shell("show", "main") == 0
    assert 'get_order {"order_id": "ORD-1"} ok' in shell.out
    shell("show", "main", "--json")
    assert shell.document() == [record()]


def test_a_worker_that_runs_once_ends_when_the_work_is_done(shell: Shell) -> None:
    assert shell("worker", "--once", "--json") == 0
    assert shell.document() == {"handled": 3}


class Hanging(FakeDesk):
    """Never answers."""

    async def ask(self, **_given: object) -> Reply:
        await asyncio.sleep(30)
        raise AssertionError


@contextlib.asynccontextmanager
async def hanging(_door: object) -> AsyncIterator[FakeDesk]:
    try:
        yield Hanging()
    finally:
        sys.stdout.write("closed")


def ended_in_half_a_second(opened: Callable[[Any], Any], words: Sequence[str]) -> None:
    patch = pytest.MonkeyPatch()
    patch.setattr(builtins, "input", lambda _: time.sleep(30))
    patch.setattr(cli_run, "open_app_desk", opened)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
    app(words)


def ended_worker(words: Sequence[str]) -> None:
    ended_in_half_a_second(FakeDesk().open, words)


@pytest.mark.parametrize("words", [["chat"], ["ask", "hi"]])
def test_sigterm_closes_the_desk_before_the_process_ends(words: list[str]) -> None:
    process = Forked(ended_in_half_a_second, hanging, words)
    said, failed = process.communicate()
    assert process.returncode == 128 + 15, failed
    assert said.endswith("closed")


def test_a_worker_ends_at_sigterm() -> None:
    process = Forked(ended_worker, ["worker", "--json"])
    said, failed = process.communicate()
    assert process.returncode == 0, failed
    assert json.loads(said)["handled"] >= 3
