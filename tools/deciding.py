"""Decisions in SQL: find the row each one means, check all, then apply all in one transaction."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection

from memory.tables import effects
from state import Scope
from tools.decisions import SETTLEMENTS, Decision, check_decision
from tools.effect_rows import find, insert_once, load, move
from tools.effects import EffectRow, EffectStatus, digest_of, effect_id, plain_args
from tools.errors import EffectConflict, InvalidDecision, ToolError, UnknownDecision

EditCheck: TypeAlias = Callable[[str, dict[str, Any]], dict[str, Any]]
Moved: TypeAlias = tuple[str, EffectRow]

_AFTER: Final[dict[str, EffectStatus]] = {
    "approve": "approved",
    "reject": "rejected",
    "respond": "responded",
}


def decide_rows(
    conn: Connection,
    thread: str,
    decisions: Sequence[Decision],
    reviewer: Scope,
    now: datetime,
    validate_edit: EditCheck,
) -> list[Moved]:
    """Check every decision, then apply every one; each move as `before->after` with its row.

    Raises:
        DecisionError: the first decision that is refused; the transaction must be given up.
        ApprovalMismatch: a row is not what was asked for.
    """
    pairs = [(_meant(conn, thread, decision.id), decision) for decision in decisions]
    meant = [row.id for row, _ in pairs]
    for effect in meant:
        if meant.count(effect) > 1:
            raise InvalidDecision("one decision for each action", f"two for {effect}")
    for row, decision in pairs:
        check_decision(row, decision, reviewer, now)
    return [
        moved
        for row, decision in pairs
        for moved in _apply(conn, row, decision, reviewer.user, now, validate_edit)
    ]


def _meant(conn: Connection, thread: str, given: str) -> EffectRow:
    """The thread's row with this id, or the only one ever with this tool-call id."""
    here = effects.c.thread == thread
    rows = find(conn, here, effects.c.id == given)
    if not rows:
        alive = effects.c.status != "superseded"
        rows = find(conn, here, effects.c.tool_call_id == given, alive)
    if not rows:
        raise UnknownDecision(given)
    if len(rows) > 1:
        raise InvalidDecision("the action's own id, as several share the tool-call id", given)
    return rows[0]


def _apply(
    conn: Connection,
    row: EffectRow,
    decision: Decision,
    by: str,
    now: datetime,
    validate_edit: EditCheck,
) -> list[Moved]:
    if row.status == "unsettled":
        after: EffectStatus = "done" if SETTLEMENTS[decision.message] else "failed"
        note = f"{decision.message} according to {by}"
        return [_step(row, move(conn, row, after, by=by, at=now, note=note))]
    decided: dict[str, Any] = {
        "decided_by": by,
        "decided_at": now,
        "decision": decision.type,
        "message": decision.message,
    }
    if decision.type != "edit":
        return [_step(row, move(conn, row, _AFTER[decision.type], by=by, at=now, **decided))]
    edited = replace(_edited(row, decision, validate_edit), created_at=now, **decided)
    old = move(conn, row, "superseded", by=by, at=now, **decided)
    if not insert_once(conn, edited, by):
        raise EffectConflict(edited.id, "a new row for the edit", load(conn, edited.id).status)
    return [_step(row, old), (f"->{edited.status}", edited)]


def _step(before: EffectRow, after: EffectRow) -> Moved:
    return f"{before.status}->{after.status}", after


def _edited(row: EffectRow, decision: Decision, validate_edit: EditCheck) -> EffectRow:
    """The row that replaces an edited one: same tool, new arguments, new digest, approved."""
    wanted = f"arguments that {row.tool} takes"
    try:
        args = plain_args(validate_edit(row.tool, dict(decision.args or {})))
    except (ToolError, TypeError, ValueError) as error:
        raise InvalidDecision(wanted, str(error)) from error
    digest = digest_of(
        row.tool, args, tenant=row.tenant, thread=row.thread, expires_at=row.expires_at
    )
    return replace(
        row,
        id=effect_id(row, row.ordinal, row.tool, args, supersedes=row.id),
        args=args,
        digest=digest,
        status="approved",
        supersedes=row.id,
    )
