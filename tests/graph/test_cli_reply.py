from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from rich.console import Console
from rich.status import Status

from graph.cli_reply import EventPrinter
from graph.cli_screen import Screen
from graph.replies import Event, EventKind, Reply


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
