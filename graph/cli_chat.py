"""`hippograph chat`: a conversation in the terminal, with approvals in line."""

import contextlib
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from graph.cli_decisions import Decision, ask_each
from graph.cli_loop import DeskThread
from graph.cli_options import OK, STOPPED, WAITING, Door
from graph.cli_reply import EventPrinter, show_reply
from graph.cli_run import FAILURES, USER_ERRORS, guarded
from graph.cli_screen import Screen

if TYPE_CHECKING:
    from graph.replies import PendingAction, Reply
    from graph.session import Desk

LEAVE = ("/exit", "/quit")


def chat(door: Door, thread: str) -> int:
    """Talk until the user leaves; gives 3 when an approval is still open then."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401, PLC0415  lines can be edited where the platform has it
    screen = Screen()

    def talk() -> int:
        with DeskThread(door, screen) as desk:
            return Conversation(desk, screen, door, thread).run()

    return guarded(door, screen, talk, stopped=_how_to_go_on(door, thread))


class Conversation:
    """One thread, read and written in turns."""

    def __init__(self, desk: DeskThread, screen: Screen, door: Door, thread: str) -> None:
        """Talk in `thread` for the user of `door`."""
        self._desk = desk
        self._screen = screen
        self._door = door
        self._thread = thread

    def run(self) -> int:
        """Read lines until the end of input or Ctrl-C."""
        hint = " Ctrl-D leaves, Ctrl-C stops a turn." if sys.stdin.isatty() else ""
        self._screen.say(f"Thread {self._thread!r}, user {self._door.user!r}.{hint}", "dim")
        try:
            self._guarded(self._settle_open_actions)
            while (text := _read(f"{self._door.user}> ")) is not None:
                if text.strip() in LEAVE:
                    break
                if text.strip():
                    self._guarded(partial(self._turn, text))
        except KeyboardInterrupt:
            self._screen.say()
            self._screen.warn(_how_to_go_on(self._door, self._thread))
            return STOPPED
        return self._leave()

    def _turn(self, text: str) -> None:
        self._desk.call(lambda desk: self._stream(desk, text))
        self._settle_open_actions()

    def _guarded(self, step: Callable[[], None]) -> None:
        """A step that cannot be done is said; the conversation goes on."""
        try:
            step()
        except (*USER_ERRORS, *FAILURES) as error:
            self._screen.fail(str(error), kind=type(error).__name__)

    async def _stream(self, desk: "Desk", text: str) -> None:
        door = self._door
        with self._screen.progress("Thinking") as status:
            printer = EventPrinter(self._screen, status)
            events = desk.stream(thread=self._thread, user=door.user, text=text, tenant=door.tenant)
            async for event in events:
                printer.show(event)
        printer.end()

    def _settle_open_actions(self) -> None:
        """Ask about every pending action until none is left or the user puts one off."""
        while pending := self._pending():
            decisions = ask_each(pending, self._screen, input)
            if not decisions:
                self._screen.say("Nothing was run. The question stays open.", "yellow")
                return
            reply = self._decide(decisions)
            show_reply(reply, self._screen)
            if len(decisions) < len(pending):
                return

    def _pending(self) -> "Sequence[PendingAction]":
        async def look_up(desk: "Desk") -> "Sequence[PendingAction]":
            door = self._door
            return await desk.pending(self._thread, user=door.user, tenant=door.tenant)

        return self._desk.call(look_up)

    def _decide(self, decisions: list[Decision]) -> "Reply":
        async def decide(desk: "Desk") -> "Reply":
            door = self._door
            with self._screen.progress("Working"):
                return await desk.decide(
                    self._thread, decisions, user=door.user, tenant=door.tenant
                )

        return self._desk.call(decide)

    def _leave(self) -> int:
        if not self._pending():
            return OK
        command = self._door.again(f"pending {self._thread}")
        self._screen.warn(f"An approval is still open: `{command}` shows it.")
        return WAITING


def _read(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        return None


def _how_to_go_on(door: Door, thread: str) -> str:
    resume = door.again(f"resume {thread}")
    chat_on = door.again(f"chat --thread {thread}")
    return f"Nothing is lost: `{resume}` finishes an open turn, `{chat_on}` goes on talking."
