"""What the doors hand out: replies, pending actions, events, reports. Plain and JSON-ready."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from state import thread_name
from tools.approvals import allowed_decisions, describe
from tools.effects import EffectRow, stamp
from tools.registry import Registry

ReplyStatus = Literal["done", "waiting", "failed"]
EventKind = Literal["plan", "consult", "tool", "approval", "token", "answer", "note"]


@dataclass(frozen=True, slots=True)
class PendingAction:
    """An action that waits for a person; `kind` is `settle` when its outcome is unknown.

    `title` is the tool's name to people: `server::tool` for a tool of an MCP server.
    """

    id: str
    thread: str
    tool: str
    args: dict[str, Any]
    description: str
    reasons: list[str]
    expires_at: str
    tool_call_id: str
    kind: Literal["approval", "settle"]
    allowed: list[str]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """The end of a run: answered, waiting for a person, or failed with what to do next.

    `memory` is the Memory Message that the modules were shown; empty when nothing was relevant.
    """

    status: ReplyStatus
    text: str
    thread: str
    turn_id: str = ""
    consulted: list[str] = field(default_factory=list)
    pending: list[PendingAction] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    memory: str = ""

    def as_json(self) -> dict[str, Any]:
        """The reply as JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened during a streamed run."""

    kind: EventKind
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ThreadInfo:
    """One line of the list of threads; an `unfinished` turn goes on with `resume`."""

    thread: str
    owner: str
    turns: int
    status: Literal["idle", "waiting", "unfinished"]
    updated_at: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a thread has come: its closed turns, and whether one is begun and not closed."""

    turns: int
    is_open: bool

    @property
    def begun(self) -> int:
        """How many messages were taken: each is a closed turn or the open one."""
        return self.turns + self.is_open


@dataclass(frozen=True, slots=True)
class RollbackReport:
    """What a rollback took back, what stays done, and what waits for approval to be undone.

    Attributes:
        turns: the user's words of the turns taken back, newest first.
        cannot_undo: effects that happened and have no compensation, as `tool(arguments)`.
        compensations: actions that would undo effects, waiting for a person.
    """

    thread: str
    turns: list[str]
    cannot_undo: list[str]
    compensations: list[PendingAction]


def read_reply(
    values: Mapping[str, Any], key: str, pending: list[PendingAction] | None = None
) -> Reply:
    """The reply that a thread's state holds; with `pending`, even empty, the turn is not over."""
    waits, memory = pending is not None, values.get("memory", {})
    ended: ReplyStatus = "failed" if values.get("status") == "FAILED" else "done"
    faults = [memory["reason"]] if memory.get("degraded") else []
    return Reply(
        status="waiting" if waits else ended,
        text="" if waits else values.get("answer", ""),
        thread=thread_name(key),
        turn_id=values.get("turn", {}).get("id", ""),
        consulted=[item["name"] for item in values.get("plan", {}).get("experts", [])],
        pending=pending or [],
        notes=[*values.get("notes", []), *faults],
        memory=memory.get("text", ""),
    )


def for_reviewer(reply: Reply) -> Reply:
    """What a reviewer who is not the thread's owner sees: that it went on, not what was said."""
    text = "" if reply.status == "waiting" else "Decided. The answer went to the thread's owner."
    return replace(reply, text=text, notes=[], memory="")


def pending_action(row: EffectRow, registry: Registry) -> PendingAction:
    """A ledger row as a reviewer sees it."""
    return PendingAction(
        id=row.id,
        thread=thread_name(row.thread),
        tool=row.tool,
        args=row.args,
        description=describe(row, registry),
        reasons=list(row.reasons),
        expires_at=stamp(row.expires_at),
        tool_call_id=row.tool_call_id,
        kind="settle" if row.status == "unsettled" else "approval",
        allowed=list(allowed_decisions(row)),
        title=registry.title_of(row.tool),
    )
