"""The ledger's row: its states, identity and digest, and who may decide it."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Final, Literal, Protocol, TypeAlias

from state import Scope, ToolCall, canonical_json, clean_text, derived_id
from tools.spec import CallSite

EffectStatus: TypeAlias = Literal[
    "prepared",
    "approved",
    "started",
    "unsettled",
    "done",
    "failed",
    "rejected",
    "responded",
    "expired",
    "superseded",
]

MOVES: Final[dict[EffectStatus, frozenset[EffectStatus]]] = {
    "prepared": frozenset({"approved", "rejected", "responded", "expired", "superseded"}),
    "approved": frozenset({"started", "rejected", "expired"}),
    "started": frozenset({"unsettled", "done", "failed"}),
    "unsettled": frozenset({"done", "failed"}),
    "done": frozenset(),
    "failed": frozenset(),
    "rejected": frozenset(),
    "responded": frozenset(),
    "expired": frozenset(),
    "superseded": frozenset(),
}

CLOSED: Final = frozenset(status for status, after in MOVES.items() if not after)
DEEPEST: Final = 32
APPROVING: Final = ("approve", "edit")
LARGEST_INT: Final = 2**63 - 1
EXACT_FLOAT: Final = float(2**53)


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectRow:
    """One effect: what was asked for, by whom, who decided what, and what came of it.

    Attributes:
        ordinal: position of the call in its expert's turn.
        reasons: why a person is asked, each a named reason.
        decision: the reviewer's decision type; None while undecided or where none is needed.
        message: the reviewer's words, for the model.
        supersedes: the row this one replaces after an edit.
        note: how the effect ended, short.
    """

    id: str
    tenant: str
    thread: str
    turn_id: str
    expert: str
    ordinal: int
    tool: str
    args: dict[str, Any]
    digest: str
    tool_call_id: str
    status: EffectStatus
    requested_by: str
    needs_approval: bool
    approver_teams: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    created_at: datetime
    expires_at: datetime
    decided_by: str | None = None
    decided_at: datetime | None = None
    decision: str | None = None
    message: str = ""
    supersedes: str | None = None
    artifact: str | None = None
    note: str = ""


COLUMNS: Final = tuple(found.name for found in fields(EffectRow))


def plain_args(value: object, depth: int = 0) -> Any:  # noqa: ANN401 - JSON
    """The arguments as every store and digest keeps them: one spelling for one number.

    Raises:
        TypeError: a value is not JSON.
        ValueError: a number is not finite or wider than 64 bits, or the nesting is too deep.
    """
    if depth > DEEPEST:
        message = f"wanted at most {DEEPEST} levels of nesting"
        raise ValueError(message)
    match value:
        case None | bool():
            return value
        case str():
            return clean_text(value)
        case int():
            return _plain_int(value)
        case float():
            return _plain_float(value)
        case list() | tuple():
            return [plain_args(item, depth + 1) for item in value]
        case dict() if all(isinstance(key, str) for key in value):
            return {clean_text(key): plain_args(item, depth + 1) for key, item in value.items()}
    message = f"wanted JSON, came {type(value).__name__}"
    raise TypeError(message)


def _plain_int(value: int) -> int:
    if not -LARGEST_INT <= value <= LARGEST_INT:
        message = "wanted a number of at most 64 bits"
        raise ValueError(message)
    return int(value)


def _plain_float(value: float) -> float | int:
    if not math.isfinite(value):
        message = f"wanted a finite number, came {value!r}"
        raise ValueError(message)
    return int(value) if value.is_integer() and abs(value) < EXACT_FLOAT else float(value)


def digest_of(
    tool: str, args: Mapping[str, Any], *, tenant: str, thread: str, expires_at: datetime
) -> str:
    """Sha256 of what exactly is approved, for whom and until when."""
    bound = {
        "tool": tool,
        "args": plain_args(dict(args)),
        "tenant": tenant,
        "thread": thread,
        "expires_at": stamp(expires_at),
    }
    return hashlib.sha256(canonical_json(bound).encode()).hexdigest()


def row_digest(row: EffectRow) -> str:
    """The digest of what the row says now."""
    return digest_of(
        row.tool, row.args, tenant=row.tenant, thread=row.thread, expires_at=row.expires_at
    )


class Placed(Protocol):
    """What knows its place in a conversation: a CallSite or an EffectRow."""

    @property
    def thread(self) -> str:
        """The thread's key."""

    @property
    def turn_id(self) -> str:
        """The turn."""

    @property
    def expert(self) -> str:
        """The expert whose call it is."""


def effect_id(
    place: Placed, ordinal: int, tool: str, args: Mapping[str, Any], supersedes: str = ""
) -> str:
    """The id of a call as an effect: the same in every process that replays the turn."""
    return _call_id("eff", place, ordinal, tool, args, supersedes)


def artifact_id(place: Placed, ordinal: int, tool: str, args: Mapping[str, Any]) -> str:
    """The id under which a call's result stands in the artifact log."""
    return _call_id("art", place, ordinal, tool, args)


def _call_id(
    prefix: str, place: Placed, ordinal: int, tool: str, args: Mapping[str, Any], *more: str
) -> str:
    text = canonical_json(plain_args(dict(args)))
    return derived_id(prefix, place.thread, place.turn_id, place.expert, ordinal, tool, text, *more)


def new_row(
    site: CallSite, ordinal: int, call: ToolCall, *, now: datetime, expires_at: datetime
) -> EffectRow:
    """A call as an undecided row.

    Raises:
        TypeError: an argument is not JSON.
        ValueError: an argument is a number that cannot be kept.
    """
    args = plain_args(call["args"])
    return EffectRow(
        id=effect_id(site, ordinal, call["name"], args),
        tenant=site.tenant,
        thread=site.thread,
        turn_id=site.turn_id,
        expert=site.expert,
        ordinal=ordinal,
        tool=call["name"],
        args=args,
        digest=digest_of(
            call["name"], args, tenant=site.tenant, thread=site.thread, expires_at=expires_at
        ),
        tool_call_id=call["id"],
        status="prepared",
        requested_by=site.user,
        needs_approval=True,
        created_at=now,
        expires_at=expires_at,
    )


def is_approved(row: EffectRow, digest: str | None) -> bool:
    """Whether the approval is for exactly this action, and for the one the caller knows.

    Args:
        row: the stored row.
        digest: of the action as the caller knows it; None when it knows only the id.
    """
    if row_digest(row) != row.digest or digest not in (None, row.digest):
        return False
    return not row.needs_approval or (row.decision in APPROVING and bool(row.decided_by))


def may_decide(row: EffectRow, reviewer: Scope) -> bool:
    """Whether the reviewer has a say: same tenant, and an approver team's member.

    Where the tool names no approver teams, the person who asked for it decides.
    """
    if reviewer.tenant != row.tenant:
        return False
    if row.approver_teams:
        return not set(row.approver_teams).isdisjoint(reviewer.teams)
    return reviewer.user == row.requested_by


def stamp(moment: datetime) -> str:
    """A moment as the ledger writes it: UTC, microseconds, so text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
