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
from graph.cli_stopped import LastWord, MessageWord, deciding
from graph.errors import UnknownThread

if TYPE_CHECKING:
    from graph.replies import PendingAction, Reply
    from graph.session import Desk

LEAVE = ("/exit", "/quit")
TO_DECIDE = ("pending", "decide")


def chat(door: Door, thread: str) -> int:
    """Talk until the user leaves; gives 3 when an approval is still open then."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401, PLC0415  lines can be edited where the platform has it
    screen = Screen()
    again = door.again(f"chat --thread {thread}")

    def talk() -> int:
        with DeskThread(door, screen) as desk:
            return Conversation(desk, screen, door, thread).run()

    return guarded(door, screen, talk, stopped=LastWord(f"`{again}` goes on talking."))


class Conversation:
    """One thread, read and written in turns."""

    def __init__(self, desk: DeskThread, screen: Screen, door: Door, thread: str) -> None:
        """Talk in `thread` for the user of `door`."""
        self._desk = desk
        self._screen = screen
        self._door = door
        self._thread = thread
        self._open = LastWord()

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
            again = self._door.again(f"chat --thread {self._thread}")
            self._screen.warn(f"{self._open.said} `{again}` goes on talking.".strip())
            return STOPPED
        return self._leave()

    def _turn(self, text: str) -> None:
        self._open = message = MessageWord(self._door, self._thread)
        self._desk.call(lambda desk: self._stream(desk, text, message))
        self._settle_open_actions()

    def _guarded(self, step: Callable[[], None]) -> None:
        """A step that cannot be done is said; the conversation goes on."""
        try:
            step()
        except (*USER_ERRORS, *FAILURES) as error:
            self._screen.fail(str(error), kind=type(error).__name__)
        self._open = LastWord()

    async def _stream(self, desk: "Desk", text: str, message: MessageWord) -> None:
        door = self._door
        with self._screen.progress("Thinking") as status:
            printer = EventPrinter(self._screen, status)
            events = desk.stream(thread=self._thread, user=door.user, text=text, tenant=door.tenant)
            async with message.sending(desk):
                async for event in events:
                    printer.show(event)
        printer.end()

    def _settle_open_actions(self) -> None:
        """Ask about every pending action until none is left or the user puts one off."""
        while pending := self._pending():
            self._open = deciding(self._door, self._thread)
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
            try:
                return await desk.pending(self._thread, user=door.user, tenant=door.tenant)
            except UnknownThread:  # a conversation may begin with a new name
                return []

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
        pending, decide = (self._door.again(f"{name} {self._thread}") for name in TO_DECIDE)
        self._screen.warn(
            f"An approval is still open: `{pending}` shows it, `{decide} --approve ID|all` or "
            "--reject decides it."
        )
        return WAITING


def _read(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        return None
