from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import pytest
from rich.console import Console
from rich.status import Status

from graph import cli_run
from graph.cli_reply import EventPrinter
from graph.cli_screen import Screen
from graph.replies import Event, EventKind, Reply
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk, action


def printed(
    capsys: pytest.CaptureFixture[str], tokens: Sequence[str], answer: str
) -> tuple[str, int]:
    """What a streamed turn leaves on the screen, and how often the answer stands there."""
    printer = EventPrinter(Screen(), Status("", console=Console(quiet=True)))
    kinds: list[tuple[EventKind, Mapping[str, Any]]] = [("token", {"text": t}) for t in tokens]
    kinds.append(("answer", {"reply": Reply("done", answer, "t")}))
    for kind, data in kinds:
        printer.show(Event(kind, data))
    printer.end()
    shown = capsys.readouterr().out
    return shown, shown.count(answer)


def test_a_streamed_answer_is_not_printed_twice(capsys: pytest.CaptureFixture[str]) -> None:
    shown, times = printed(capsys, ["All ", "done."], "All done.")
    assert times == 1
    assert "begun anew" not in shown


def test_what_was_remembered_begins_on_a_line_of_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    printer = EventPrinter(Screen(), Status("", console=Console(quiet=True)))
    reply = Reply("done", "All done.", "t", memory="- paid before")
    printer.show(Event("token", {"text": "All done."}))
    printer.show(Event("answer", {"reply": reply}))
    printer.end()
    assert capsys.readouterr().out == "All done.\n· remembered: paid before\n"


def test_a_stream_that_was_broken_off_is_followed_by_the_answer_as_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown, times = printed(capsys, ["All is lo", "All ", "done."], "All done.")
    assert times == 2
    assert shown.rstrip().endswith("(begun anew)\nAll done.")


def test_an_answer_that_was_not_streamed_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, [], "All done.")[1] == 1


@pytest.mark.parametrize(
    ("words", "label"),
    [
        (("ask", "hello"), "Thinking"),
        (("resume", "main"), "Working"),
        (("decide", "main", "--approve", "all"), "Working"),
        (("decide", "main", "--cancel"), "Cancelling"),
        (("rollback", "main", "--turns", "1"), "Taking back"),
        (("worker", "--once"), "Working"),
    ],
)
def test_a_command_that_may_take_long_shows_that_work_goes_on(
    words: tuple[str, ...], label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    desk = FakeDesk()
    progress = Screen.progress

    def noted(screen: Screen, text: str) -> AbstractContextManager[Status]:
        shown.append(text)
        return progress(screen, text)

    monkeypatch.setattr(cli_run, "open_app_desk", desk.open)
    monkeypatch.setattr(Screen, "progress", noted)
    desk.waiting, desk.replies = [action()], [Reply("done", "", "main")]
    Shell(desk)(*words)
    assert shown == ["Opening the desk", label, "Finishing background work"]
