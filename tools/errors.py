"""What can go wrong in the tools room.

ToolsFault
├── ToolError              a tool says why it did not do what was asked; becomes an observation
├── DecisionError          a reviewer's decision is refused; nothing has changed
│   ├── UnknownDecision    no such effect in this thread
│   ├── RepeatedDecision   the effect was decided, closed or started before
│   ├── ExpiredDecision    the request's time is over
│   ├── NotAllowed         the reviewer may not decide this effect
│   └── InvalidDecision    the decision is not one of those offered, or malformed
├── LedgerError            the ledger refuses a step; the effect does not run
│   ├── EffectUnknown      no such row
│   ├── EffectConflict     the row is not in the state the step needs
│   ├── EffectExpired      the approval's time is over; the row is closed
│   └── ApprovalMismatch   the approval is not for this action; the row is closed
├── LinkLost               the connection to an MCP server broke; what was sent may have arrived
├── McpDown                an MCP server cannot be reached
├── McpUnconfigured        an MCP server needs a variable of the environment that is not set
├── NoticeNotSent          a person could not be told; it is tried again
├── ThreadBusy             another run holds the thread
└── LeaseLost              this run's hold on the thread was taken over
"""

from datetime import datetime
from typing import Literal, TypeAlias

ErrorKind: TypeAlias = Literal[
    "invalid_arguments",
    "not_found",
    "conflict",
    "denied",
    "timeout",
    "failed",
    "unknown_tool",
    "not_permitted",
    "over_limit",
    "unavailable",
]


class ToolsFault(Exception):
    """Base of the room's errors."""


class ToolError(ToolsFault):
    """Raised by a tool that did not do what was asked; the model sees kind, message and hint.

    An effect that raises it says that nothing has happened in the outside world.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: ErrorKind = "failed",
        retryable: bool = False,
        hint: str = "",
    ) -> None:
        """Say what went wrong, whether the same call may work later, and what to try instead."""
        super().__init__(message)
        self.message = message
        self.kind: ErrorKind = kind
        self.retryable = retryable
        self.hint = hint


class DecisionError(ToolsFault):
    """A reviewer's decision is refused; nothing has changed."""


class UnknownDecision(DecisionError):
    """The decision names no effect of this thread."""

    def __init__(self, given: str) -> None:
        """Name the id that came."""
        super().__init__(
            f"wanted the id of a pending action of this thread, came {given!r}. "
            "List the pending actions and use one of their ids."
        )
        self.given = given


class RepeatedDecision(DecisionError):
    """The effect was decided, closed or started before; an approval is used once."""

    def __init__(self, effect: str, status: str) -> None:
        """Name the effect and the state it is in."""
        super().__init__(
            f"action {effect} is already {status}, so it cannot be decided again. "
            "List the pending actions to see what is still open."
        )
        self.effect = effect
        self.status = status


class ExpiredDecision(DecisionError):
    """The request's time is over; the action was not run."""

    def __init__(self, effect: str, expires_at: datetime) -> None:
        """Name the effect and when it expired."""
        super().__init__(
            f"action {effect} expired at {expires_at.isoformat()}; it was not run and will not "
            "be. Resume the thread and ask again if it is still wanted."
        )
        self.effect = effect
        self.expires_at = expires_at


class NotAllowed(DecisionError):
    """The reviewer may not decide this effect."""

    def __init__(self, effect: str, user: str, teams: tuple[str, ...]) -> None:
        """Name the effect, the reviewer, and the teams that could decide."""
        who = f"a member of {', '.join(teams)}" if teams else "the person who asked for it"
        super().__init__(f"action {effect} can be decided by {who}, not by {user!r}")
        self.effect = effect
        self.user = user
        self.teams = teams


class InvalidDecision(DecisionError):
    """The decision is not one of those offered, or malformed."""

    def __init__(self, wanted: str, came: object) -> None:
        """Say what was wanted and what came."""
        super().__init__(f"wanted {wanted}, came {came!r}")
        self.wanted = wanted
        self.came = came


class LedgerError(ToolsFault):
    """The ledger refuses a step; the effect does not run."""

    def __init__(self, effect: str, message: str) -> None:
        """Name the effect and why."""
        super().__init__(f"effect {effect}: {message}")
        self.effect = effect


class EffectUnknown(LedgerError):
    """The ledger has no such row."""

    def __init__(self, effect: str) -> None:
        """Name the id."""
        super().__init__(effect, "not in the ledger")


class EffectConflict(LedgerError):
    """The row is not in the state that the step needs."""

    def __init__(self, effect: str, wanted: str, status: str) -> None:
        """Name the effect, the wanted and the actual state."""
        super().__init__(effect, f"wanted {wanted}, but it is {status}")
        self.status = status


class EffectExpired(LedgerError):
    """The approval's time is over; the row is closed as expired."""

    def __init__(self, effect: str, expires_at: datetime) -> None:
        """Name the effect and when it expired."""
        super().__init__(effect, f"expired at {expires_at.isoformat()}, not run")
        self.expires_at = expires_at


class ApprovalMismatch(LedgerError):
    """What was approved is not what is about to run; the row is closed as rejected."""

    def __init__(self, effect: str) -> None:
        """Name the effect."""
        super().__init__(effect, "the approval does not match the action, not run")


class LinkLost(ToolsFault):
    """The connection to an MCP server broke; what was sent may have arrived."""


class McpDown(ToolsFault):
    """An MCP server cannot be reached."""


class McpUnconfigured(ToolsFault):
    """An MCP server needs a variable of the environment that is not set."""

    def __init__(self, server: str, variable: str) -> None:
        """Name both."""
        super().__init__(
            f"wanted {variable} in the environment for the MCP server {server}, came nothing"
        )


class NoticeNotSent(ToolsFault):
    """A person could not be told that an action waits; it is tried again."""


class ThreadBusy(ToolsFault):
    """Another run holds the thread."""

    def __init__(self, thread: str, since: datetime) -> None:
        """Name the thread and since when it is held."""
        super().__init__(
            f"thread {thread!r} has a run in progress since {since.isoformat()}. "
            "Wait for it, or queue the message."
        )
        self.thread = thread
        self.since = since


class LeaseLost(ToolsFault):
    """This run's hold on the thread was taken over, so it stopped."""

    def __init__(self, thread: str) -> None:
        """Name the thread."""
        super().__init__(f"the run on thread {thread!r} lost its lease and was stopped")
        self.thread = thread
