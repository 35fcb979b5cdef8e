"""What Ctrl-C says: what became of the message, as the desk knows it, and how to go on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graph.cli_options import Door
from graph.errors import UnknownThread

if TYPE_CHECKING:
    from graph.replies import Standing
    from graph.session import Desk

NOT_TAKEN = "The message was not taken: send it again."
ENDED = "The reply was complete; background work that is left is done later."


@dataclass(slots=True)
class LastWord:
    """What to do next, said after Ctrl-C; changes while the command works."""

    said: str = ""


class MessageWord(LastWord):
    """The last word of a command that sends a message."""

    __slots__ = ("_door", "_thread")

    def __init__(self, door: Door, thread: str) -> None:
        """Nothing was sent yet."""
        super().__init__(NOT_TAKEN)
        self._door = door
        self._thread = thread

    @asynccontextmanager
    async def sending(self, desk: "Desk") -> AsyncIterator[None]:
        """Around the call that sends a message; stopped in it, the desk is asked what is kept."""
        before = await self._standing(desk)
        self.said = f"{self._command('show')} and {self._command('resume')} say what was kept."
        try:
            yield
        except asyncio.CancelledError:
            self.said = self._become_of(before, await self._standing(desk))
            raise
        self.said = ENDED

    def _become_of(self, before: "Standing | None", after: "Standing | None") -> str:
        if after is None or after.begun <= (before.begun if before else 0):
            return NOT_TAKEN
        if after.is_open:
            return f"Nothing is lost: {self._command('resume')} finishes the turn."
        return f"The turn had ended: {self._command('show')} prints the answer."

    async def _standing(self, desk: "Desk") -> "Standing | None":
        """How far the thread has come; None if nobody has used it."""
        try:
            return await desk.standing(self._thread, user=self._door.user, tenant=self._door.tenant)
        except UnknownThread:
            return None

    def _command(self, name: str) -> str:
        return f"`{self._door.again(f'{name} {self._thread}')}`"


def deciding(door: Door, thread: str) -> LastWord:
    """The last word of a command that decides, true of every moment of it."""
    pending, resume = door.again(f"pending {thread}"), door.again(f"resume {thread}")
    return LastWord(
        f"`{pending}` shows what still waits; what is decided goes on with its owner's `{resume}`."
    )


def resuming(door: Door, thread: str) -> LastWord:
    """The last word of a command that goes on with a turn."""
    return LastWord(f"`{door.again(f'resume {thread}')}` goes on where this one stopped.")


def taking_back(door: Door, thread: str) -> LastWord:
    """The last word of a rollback."""
    return LastWord(f"`{door.again(f'show {thread}')}` shows which turns are left.")
