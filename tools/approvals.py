"""Requests and decisions in LangChain's human-in-the-loop shape, with ids added.

Studio and inboxes that know `action_requests` and `review_configs` can show them; ours adds `id`,
`tool_call_id`, `expires_at` and `reasons` to each request, and accepts decisions by id.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NotRequired

from typing_extensions import TypedDict

from tools.decisions import DECISION_TYPES, DecisionType, shown
from tools.effects import EffectRow, stamp
from tools.errors import InvalidDecision
from tools.registry import Registry

SETTLE_QUESTION: Final = (
    "It is not known whether this action has happened. Look it up, then answer with "
    "'happened' or 'not_happened'; it will not be repeated."
)


class ActionRequest(TypedDict):
    """One action to decide: LangChain's keys, and what binds a decision to it."""

    name: str
    args: dict[str, Any]
    description: str
    id: str
    tool_call_id: str
    expires_at: str
    reasons: list[str]


class ReviewConfig(TypedDict):
    """Which decisions an action takes."""

    action_name: str
    allowed_decisions: list[DecisionType]


class HITLRequest(TypedDict):
    """The value of the interrupt; `problem` says why an earlier answer was not taken."""

    action_requests: list[ActionRequest]
    review_configs: list[ReviewConfig]
    problem: NotRequired[str]


def allowed_decisions(row: EffectRow) -> list[DecisionType]:
    """What a reviewer may answer about a row; an unsettled one is only settled."""
    return ["respond"] if row.status == "unsettled" else list(DECISION_TYPES)


def request_payload(
    rows: Sequence[EffectRow], specs: Registry, *, problem: str = ""
) -> HITLRequest:
    """Ask about rows; one review config for each tool and set of allowed decisions."""
    configs: dict[tuple[str, bool], ReviewConfig] = {}
    for row in rows:
        key = (row.tool, row.status == "unsettled")
        configs[key] = {"action_name": row.tool, "allowed_decisions": allowed_decisions(row)}
    request: HITLRequest = {
        "action_requests": [_request(row, specs) for row in rows],
        "review_configs": list(configs.values()),
    }
    return {**request, "problem": problem} if problem else request


def _request(row: EffectRow, specs: Registry) -> ActionRequest:
    return {
        "name": row.tool,
        "args": row.args,
        "description": describe(row, specs),
        "id": row.id,
        "tool_call_id": row.tool_call_id,
        "expires_at": stamp(row.expires_at),
        "reasons": list(row.reasons),
    }


def describe(row: EffectRow, specs: Registry) -> str:
    """What a reviewer reads: what the tool does, or the question of an unsettled effect."""
    spec = specs.get(row.tool)
    said = spec.description.strip() if spec is not None else row.tool
    return f"{said}\n{SETTLE_QUESTION}" if row.status == "unsettled" else said


def parse_decisions(value: object, rows: Sequence[EffectRow]) -> list[dict[str, Any]]:
    """Read `{"decisions": […]}`, by id or, in LangChain's way, by position.

    Args:
        value: what a client sent.
        rows: the rows of this pause, in the order they were asked about.

    Returns:
        One decision for each given, each with the effect's `id`; their contents are checked by the
        ledger.

    Raises:
        InvalidDecision: what was wanted and what came.
    """
    given = value.get("decisions") if isinstance(value, Mapping) else None
    if not isinstance(given, list) or not given:
        raise InvalidDecision('{"decisions": [...]} with at least one decision', shown(value))
    for decision in given:
        if not isinstance(decision, Mapping):
            raise InvalidDecision("each decision as an object with 'type'", shown(decision))
    named = [_given_id(decision) for decision in given]
    if not any(named):
        if len(given) != len(rows):
            wanted = f"{len(rows)} decisions, in the order asked, or an id in each"
            raise InvalidDecision(wanted, f"{len(given)} without ids")
        named = [row.id for row in rows]
    elif not all(named):
        raise InvalidDecision("an id in each decision, or in none", shown(named))
    return [
        {**decision, "id": _effect_of(name, rows)}
        for decision, name in zip(given, named, strict=True)
    ]


def _given_id(decision: Mapping[str, Any]) -> str:
    given = decision.get("id") or decision.get("tool_call_id") or ""
    return given if isinstance(given, str) else shown(given)


def _effect_of(name: str, rows: Sequence[EffectRow]) -> str:
    """The id of the row of this pause that is meant; an unknown one is left to the ledger."""
    meant = [row.id for row in rows if row.id == name] or [
        row.id for row in rows if row.tool_call_id == name
    ]
    return meant[0] if len(meant) == 1 else name
