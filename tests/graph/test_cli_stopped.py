"""Ctrl-C: what is said is what the desk has kept."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import pytest

from graph import cli_run
from graph.cli import app
from graph.cli_options import Door
from graph.cli_stopped import NOT_TAKEN, MessageWord
from graph.quick_saver import QuickSqliteSaver
from graph.replies import Reply, Standing
from graph.session import Desk
from tests.fakes.scripted import scripted
from tests.forks import Forked
from tests.graph.cli_calls import Shell
from tests.graph.conftest import OpenDesk
from tests.graph.fake_desk import FakeDesk, action
from tests.graph.plays import Play

DOOR = Door(app=None)
FINISHES = "Nothing is lost: `hippograph resume t` finishes the turn."


class Slow(FakeDesk):
    """Is interrupted while it answers."""

    async def ask(self, **_given: object) -> Reply:
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.sleep(30)
        finally:
            sys.stdout.write("cancelled\n")
        raise AssertionError

    async def stream(self, **given: object) -> AsyncIterator[Any]:
        yield await self.ask(**given)


def interrupted(words: Sequence[str], taken: bool) -> None:
    slow = Slow()
    slow.standings = [Standing(0, is_open=False), Standing(0, is_open=taken)]
    pytest.MonkeyPatch().setattr(cli_run, "open_app_desk", slow.open)
    app(words)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> FakeDesk:
    fake = FakeDesk()
    monkeypatch.setattr(cli_run, "open_app_desk", fake.open)
    return fake


@pytest.fixture
def shell(desk: FakeDesk) -> Shell:
    return Shell(desk)


def closed(turns: int) -> Standing:
    return Standing(turns, is_open=False)


async def stopped(desk: object, thread: str = "t", text: str = "hi") -> str:
    """What is said when a message is stopped; the desk may itself be what stops it."""
    word = MessageWord(DOOR, thread)
    with pytest.raises(asyncio.CancelledError):
        async with word.sending(cast("Desk", desk)):
            if isinstance(desk, FakeDesk):
                raise asyncio.CancelledError
            await cast("Desk", desk).ask(thread=thread, user="local", text=text)
    return word.said


@pytest.mark.parametrize(
    ("standings", "said"),
    [
        ([], NOT_TAKEN),
        ([closed(2), closed(2)], NOT_TAKEN),
        ([Standing(1, is_open=True), closed(2)], NOT_TAKEN),
        ([Standing(1, is_open=True), Standing(1, is_open=True)], NOT_TAKEN),
        ([Standing(1, is_open=True), Standing(2, is_open=True)], FINISHES),
        ([closed(2), Standing(2, is_open=True)], FINISHES),
        ([closed(2), closed(3)], "The turn had ended: `hippograph show t` prints the answer."),
    ],
)
async def test_what_became_of_a_message_is_seen_from_what_was_begun_before(
    standings: list[Standing], said: str
) -> None:
    desk = FakeDesk()
    desk.standings = standings
    assert await stopped(desk) == said


async def test_stopped_before_the_first_checkpoint_the_message_has_to_be_sent_again(
    open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stop(*_given: object, **_named: object) -> None:
        raise asyncio.CancelledError

    async with open_workshop(Play()) as desk:
        with monkeypatch.context() as patch:
            patch.setattr(QuickSqliteSaver, "aput", stop)
            assert await stopped(desk) == NOT_TAKEN
        assert (await desk.resume("t", user="local")).text == ""
        await desk.ask(thread="t", user="local", text="hi")
        assert [turn["user"] for turn in await desk.show("t", "local")] == ["hi"]


@pytest.mark.parametrize("earlier", [0, 1])
async def test_stopped_after_the_first_checkpoint_resume_finishes_the_turn(
    earlier: int, open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = QuickSqliteSaver.aput

    async def stop_after(*given: Any) -> None:  # noqa: ANN401 - passed on as they come
        await put(*given)
        raise asyncio.CancelledError

    async with open_workshop(Play()) as desk:
        for _ in range(earlier):
            await desk.ask(thread="t", user="local", text="before")
        with monkeypatch.context() as patch:
            patch.setattr(QuickSqliteSaver, "aput", stop_after)
            assert await stopped(desk) == FINISHES
        assert (await desk.resume("t", user="local")).text == "Hello."
        assert len(await desk.show("t", "local")) == earlier + 1


async def test_stopped_while_a_model_is_asked_resume_finishes_the_turn(
    open_workshop: OpenDesk,
) -> None:
    asked = asyncio.Event()

    async def never(*_given: object) -> str:
        asked.set()
        await asyncio.sleep(30)
        return ""

    waits = Play()
    waits.models = scripted(never)
    async with open_workshop(waits) as desk:
        sending = asyncio.create_task(stopped(desk))
        await asked.wait()
        sending.cancel()
        assert await sending == FINISHES
    async with open_workshop(Play()) as desk:
        assert (await desk.resume("t", user="local")).text == "Hello."


@pytest.mark.parametrize("taken", [True, False])
@pytest.mark.parametrize("command", ["ask", "chat"])
def test_sigint_in_a_turn_stops_it_and_says_what_became_of_it(command: str, taken: bool) -> None:
    words = [command, "--thread", "t", *(["hello"] if command == "ask" else [])]
    process = Forked(interrupted, words, taken)
    said, failed = process.communicate("hello\n")
    assert process.returncode == 130, failed
    assert "cancelled" in said
    assert (FINISHES if taken else NOT_TAKEN) in " ".join(failed.split())


def test_ctrl_c_before_the_desk_is_open_promises_nothing(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_door: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_run, "open_app_desk", interrupted)
    assert shell("ask", "--thread", "t1", "hello") == 130
    assert "was not taken: send it again" in shell.err
    assert "resume" not in shell.err


def test_ctrl_c_while_deciding_says_where_to_look(shell: Shell, desk: FakeDesk) -> None:
    desk.waiting, desk.replies = [action()], [KeyboardInterrupt()]
    assert shell("decide", "t1", "--approve", "all") == 130
    assert "`hippograph pending t1` shows what still waits" in shell.err
