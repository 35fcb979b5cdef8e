"""A reviewer's decision: read strictly from what a client sent, and checked against the row."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from configs.masking import Masking
from state import Scope, clean_text
from tools.effects import EffectRow, may_decide, row_digest
from tools.errors import (
    ApprovalMismatch,
    ExpiredDecision,
    InvalidDecision,
    NotAllowed,
    RepeatedDecision,
    UnknownDecision,
)

DecisionType: TypeAlias = Literal["approve", "edit", "reject", "respond"]

DECISION_TYPES: Final[tuple[DecisionType, ...]] = get_args(DecisionType)
SETTLEMENTS: Final[dict[str, bool]] = {"happened": True, "not_happened": False}
MESSAGE_CHARS: Final = 1000
SHOWN_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision about one effect; `name` and `args` are the edited action's."""

    id: str
    type: DecisionType
    message: str = ""
    name: str = ""
    args: dict[str, Any] | None = None


def read_decision(value: object) -> Decision:
    """The decision in a client's JSON.

    Raises:
        InvalidDecision: it is none; the error says what was wanted and what came.
    """
    if not isinstance(value, Mapping):
        raise InvalidDecision("a decision with id and type", shown(value))
    given, kind = value.get("id"), value.get("type")
    if not isinstance(given, str) or not given:
        raise InvalidDecision("the id of a pending action in 'id'", shown(given))
    if kind not in DECISION_TYPES:
        raise InvalidDecision(f"one of {', '.join(DECISION_TYPES)} in 'type'", shown(kind))
    message = value.get("message") or ""
    if not isinstance(message, str) or len(message) > MESSAGE_CHARS:
        wanted = f"a text of at most {MESSAGE_CHARS} characters in 'message'"
        raise InvalidDecision(wanted, shown(message))
    message = clean_text(message).strip()
    if kind == "respond" and not message:
        raise InvalidDecision("the answer in 'message' beside type 'respond'", shown(message))
    name, args = _edited_action(value) if kind == "edit" else ("", None)
    return Decision(given, cast("DecisionType", kind), message, name, args)


def _edited_action(value: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    action = value.get("edited_action")
    wanted = "'edited_action' with 'name' and 'args' beside type 'edit'"
    if not isinstance(action, Mapping):
        raise InvalidDecision(wanted, shown(action))
    name, args = action.get("name"), action.get("args")
    if not isinstance(name, str) or not isinstance(args, Mapping):
        raise InvalidDecision(wanted, shown(action))
    return name, dict(args)


def without_secrets(decision: Decision, masking: Masking) -> Decision:
    """The decision as it may be kept: its message is masked.

    Raises:
        InvalidDecision: the edited arguments hold a secret, which would act masked or be kept, or
            are nested too deeply.
    """
    try:
        message, args = masking(decision.message), masking.within(decision.args)
    except RecursionError as error:
        raise InvalidDecision("'args' with fewer levels", "more than can be read") from error
    if args != decision.args:
        wanted = "edited arguments without a secret, which belongs into the environment"
        raise InvalidDecision(wanted, args)
    return replace(decision, message=message[:MESSAGE_CHARS])


def check_decision(row: EffectRow, decision: Decision, reviewer: Scope, now: datetime) -> None:
    """Refuse a decision that this reviewer may not take about this row, or not any more.

    Who asked for an action may always withdraw it by `reject`.

    Raises:
        DecisionError: the one that says why.
        ApprovalMismatch: the row is not what was asked for.
    """
    if row.tenant != reviewer.tenant:
        raise UnknownDecision(decision.id)
    withdrawn = decision.type == "reject" and reviewer.user == row.requested_by
    if not (may_decide(row, reviewer) or withdrawn):
        raise NotAllowed(row.id, reviewer.user, row.approver_teams)
    if row.status == "unsettled":
        _check_settlement(decision)
        return
    expired = row.status == "prepared" and row.expires_at <= now
    if row.status == "expired" or expired:
        raise ExpiredDecision(row.id, row.expires_at)
    if row.status != "prepared":
        raise RepeatedDecision(row.id, row.status)
    if decision.type == "edit" and decision.name != row.tool:
        raise InvalidDecision(f"an edit of the same tool, {row.tool}", decision.name)
    if decision.type in ("approve", "edit") and row_digest(row) != row.digest:
        raise ApprovalMismatch(row.id)


def _check_settlement(decision: Decision) -> None:
    if decision.type != "respond" or decision.message not in SETTLEMENTS:
        wanted = "type 'respond' with message 'happened' or 'not_happened' (it may have run)"
        raise InvalidDecision(wanted, f"{decision.type} {shown(decision.message)}")


def shown(value: object) -> str:
    """What came, short enough for an error message."""
    text = repr(value)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"
