from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from langchain.agents.middleware import human_in_the_loop as langchain_hitl

from tests.tools.parts import SITE, a_call, spec_of
from tools.approvals import parse_decisions, request_payload
from tools.effects import EffectRow, new_row
from tools.errors import InvalidDecision
from tools.registry import Registry

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)
LATER = datetime(2026, 7, 3, 12, tzinfo=UTC)


def pay(*, amount: int) -> None: ...


SPECS = Registry([spec_of(pay, description="Pay money back.", effect="irreversible")])


def row(ordinal: int = 0, call_id: str = "", **changes: Any) -> EffectRow:  # noqa: ANN401
    call = a_call(amount=82, call_id=call_id or f"call_{ordinal}")
    made = new_row(SITE, ordinal, call, now=NOW, expires_at=LATER)
    return replace(made, **{"reasons": ("irreversible",), **changes})


def test_the_request_has_langchain_s_shape_with_ids_added() -> None:
    payload = request_payload([row(0), row(1)], SPECS)
    assert set(payload) == set(langchain_hitl.HITLRequest.__annotations__)
    ours, theirs = payload["action_requests"][0], langchain_hitl.ActionRequest.__annotations__
    assert set(ours) - set(theirs) == {"id", "tool_call_id", "expires_at", "reasons"}
    assert set(theirs) <= set(ours)
    (config,) = payload["review_configs"]
    assert set(config) <= set(langchain_hitl.ReviewConfig.__annotations__)
    assert ours["id"] == row(0).id
    assert ours["tool_call_id"] == "call_0"
    assert ours["description"] == "Pay money back."
    assert ours["expires_at"] == "2026-07-03T12:00:00.000000+00:00"


def test_a_refused_answer_is_explained_when_asked_again() -> None:
    assert request_payload([row()], SPECS, problem="too late")["problem"] == "too late"
    assert "problem" not in request_payload([row()], SPECS)


def test_the_decision_types_are_langchain_s() -> None:
    (config,) = request_payload([row()], SPECS)["review_configs"]
    assert set(config["allowed_decisions"]) == set(get_args(langchain_hitl.DecisionType))


def test_an_unsettled_effect_takes_only_an_answer() -> None:
    payload = request_payload([row(status="unsettled")], SPECS)
    assert payload["review_configs"][0]["allowed_decisions"] == ["respond"]
    assert "not_happened" in payload["action_requests"][0]["description"]


def test_decisions_are_matched_by_effect_id_or_tool_call_id() -> None:
    rows = [row(0), row(1)]
    given = [{"id": rows[1].id, "type": "reject"}, {"tool_call_id": "call_0", "type": "approve"}]
    read = parse_decisions({"decisions": given}, rows)
    assert [(decision["id"], decision["type"]) for decision in read] == [
        (rows[1].id, "reject"),
        (rows[0].id, "approve"),
    ]


def test_decisions_without_ids_are_matched_by_position_when_counts_agree() -> None:
    rows = [row(0), row(1)]
    read = parse_decisions({"decisions": [{"type": "approve"}, {"type": "reject"}]}, rows)
    assert [decision["id"] for decision in read] == [rows[0].id, rows[1].id]


def test_an_id_of_another_pause_is_left_to_the_ledger_to_refuse() -> None:
    read = parse_decisions({"decisions": [{"id": "eff_old", "type": "approve"}]}, [row()])
    assert read[0]["id"] == "eff_old"


def test_a_tool_call_id_that_two_rows_share_names_neither() -> None:
    rows = [row(0, "same"), row(1, "same")]
    read = parse_decisions({"decisions": [{"id": "same", "type": "approve"}]}, rows)
    assert read[0]["id"] == "same"


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (None, "at least one"),
        ("approve", "at least one"),
        ({"decisions": []}, "at least one"),
        ({"decisions": {"type": "approve"}}, "at least one"),
        ({"decisions": ["approve"]}, "an object"),
        ({"decisions": [{"type": "approve"}]}, "2 decisions"),
        ({"decisions": [{"type": "approve"}, {"id": "x", "type": "approve"}]}, "an id in each"),
        ({"decisions": [{"id": 7, "type": "approve"}] * 3}, None),
    ],
)
def test_answers_that_cannot_be_matched_are_refused(value: object, wanted: str | None) -> None:
    if wanted is None:
        assert parse_decisions(value, [row(0), row(1)])[0]["id"] == "7"
        return
    with pytest.raises(InvalidDecision, match=wanted):
        parse_decisions(value, [row(0), row(1)])
