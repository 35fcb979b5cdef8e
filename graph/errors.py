"""What the doors (Python, command line) say when they cannot do as asked.

DeskError
├── UserError             the request cannot be met as it stands; nothing has changed
│   ├── EmptyText         no text, or only white space
│   ├── TextTooLong       more tokens than a question may have
│   ├── BadName           a thread, user or tenant name that cannot be used
│   ├── WrongArgument     a value of a kind that the call does not take
│   ├── UnknownUser       the directory does not list the user
│   ├── UnknownThread     nobody has used the thread
│   ├── NotYourThread     the thread belongs to somebody else
│   ├── ThreadIsBusy      another run is in progress on the thread
│   ├── DecisionRefused   a decision that cannot be taken, with the reason
│   ├── CannotRollBack    fewer turns than asked for
│   ├── NothingToCancel   no turn of the thread is open
│   ├── UnknownJob        the user has no such job to try again
│   └── UnknownTurn       the thread has no such turn
└── DeskFailure           something broke on our side; the thread stays usable
    └── CheckpointsUnreadable   the store of unfinished and recent turns cannot be used
"""

from typing import Final

SHOWN_CHARS: Final = 80
DAMAGED: Final = (
    "End the processes that use it and put a backup in its place. Without one move it away: "
    "threads go on after their last closed turn, made anew from what was answered."
)


class DeskError(Exception):
    """Base of the doors' errors."""


class UserError(DeskError):
    """The request cannot be met as it stands; nothing has changed."""


class EmptyText(UserError):
    """No text, or only white space."""

    def __init__(self) -> None:
        """Say what was wanted."""
        super().__init__("wanted a message, came an empty text")


class TextTooLong(UserError):
    """More tokens than a question may have."""

    def __init__(self, tokens: int, limit: int) -> None:
        """Name both sizes."""
        super().__init__(
            f"wanted a message of at most {limit} tokens, came one with {tokens}. Send the part "
            "that matters, or raise limits.max_question_tokens."
        )


class BadName(UserError):
    """A thread, user or tenant name that cannot be used."""

    def __init__(self, what: str, name: object) -> None:
        """Name it."""
        super().__init__(
            f"wanted a {what} name of 1 to 200 printable characters, came {_shown(name)}. "
            "Give such a name as text."
        )


class WrongArgument(UserError):
    """A value of a kind that the call does not take."""

    def __init__(self, wanted: str, came: object, next_step: str) -> None:
        """Name all three."""
        super().__init__(f"wanted {wanted}, came {_shown(came)}. {next_step}")


class UnknownUser(UserError):
    """The directory does not list the user."""

    def __init__(self, user: str, known: list[str]) -> None:
        """Name the user and the nearest help."""
        super().__init__(
            f"user {user!r} is not in directory.yaml (it lists {', '.join(known)}). "
            "Use one of them, or add the user there."
        )


class UnknownThread(UserError):
    """Nobody has used the thread."""

    def __init__(self, thread: str) -> None:
        """Name the thread."""
        super().__init__(f"there is no thread {thread!r}. `hippograph threads` lists yours.")


class NotYourThread(UserError):
    """The thread belongs to somebody else."""

    def __init__(self, thread: str) -> None:
        """Name the thread, not its owner."""
        super().__init__(f"thread {thread!r} belongs to somebody else. Use another thread name.")


class ThreadIsBusy(UserError):
    """Another run is in progress on the thread."""


class DecisionRefused(UserError):
    """A decision that cannot be taken; nothing has changed."""


class CannotRollBack(UserError):
    """Fewer turns than asked for, or not a positive number."""

    def __init__(self, wanted: int, have: int) -> None:
        """Name both numbers."""
        super().__init__(f"wanted to take back {wanted} turn(s), the thread has {have}")


class NothingToCancel(UserError):
    """No turn of the thread is open."""

    def __init__(self, thread: str) -> None:
        """Name the thread and where its turns are."""
        super().__init__(
            f"there is nothing to cancel: no turn of thread {thread!r} is open. "
            f"`hippograph show {thread}` prints its turns."
        )


class UnknownJob(UserError):
    """The user has no such job to try again."""

    def __init__(self, job_id: str) -> None:
        """Name the job and where to look."""
        super().__init__(
            f"wanted the id of a job of yours that has failed, came {job_id[:80]!r}. "
            "`hippograph jobs` lists them."
        )


class UnknownTurn(UserError):
    """The thread has no such turn."""

    def __init__(self, thread: str, turn: str, known: str) -> None:
        """Name the turn and what there is."""
        super().__init__(
            f"wanted a turn of thread {thread!r} ({known}), came {turn[:80]!r}. "
            "`hippograph show` lists them."
        )


class DeskFailure(DeskError):
    """Something broke on our side; the thread stays usable."""


class CheckpointsUnreadable(DeskFailure):
    """The store of unfinished and recent turns cannot be used."""

    def __init__(self, place: str, cause: object, *, is_damaged: bool = True) -> None:
        """Name it, why, and what to do; a damaged file needs another one in its place."""
        step = DAMAGED if is_damaged else "Check that it is writable and nobody else holds it."
        super().__init__(f"wanted to read the checkpoints in {place}, but: {cause}. {step}")


def _shown(value: object) -> str:
    text = repr(value[:SHOWN_CHARS] if isinstance(value, str) else value)
    return text if len(text) <= 2 * SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"
