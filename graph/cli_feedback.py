"""`hippograph feedback`: a thumb on a turn."""

from typing import TYPE_CHECKING

from graph.cli_options import OK, Door, UsageError
from graph.cli_run import run_with_desk
from graph.cli_screen import Screen

if TYPE_CHECKING:
    from graph.session import Desk


def feedback(door: Door, thread: str, turn: str | None, good: bool | None, note: str) -> int:
    """Write a word on a turn down, and say what it has changed."""

    async def work(desk: "Desk", screen: Screen) -> int:
        if good is None:
            message = "wanted --good or --bad"
            raise UsageError(message)
        given = await desk.feedback(
            thread, turn, good=good, note=note, user=door.user, tenant=door.tenant
        )
        word = "credited" if good else "debited"
        screen.say(f"{given.recalled} recalled and {given.made} new memories were {word}.")
        if given.lesson:
            screen.say(f"Remembered as a lesson: {given.lesson}")
        for item in given.shared:
            screen.say(f"Shared by rule: {item}")
        screen.document(given)
        return OK

    return run_with_desk(door, work)
