"""What is read off a closed turn and a reviewer's words, and what is not."""

import pytest

from memory.lessons import episode_of, read_constraints
from state import CallStatus
from tests.memory.samples import call, turn

LEARNABLE = {"issue_refund": ("reason",), "run_report": ("index_hint",)}


@pytest.mark.parametrize(
    ("message", "argument", "rule", "value"),
    [
        ("Set reason to duplicate charge.", "reason", "value", "duplicate charge"),
        ("reason must be 'billing error', not goodwill", "reason", "value", "billing error"),
        ("The reason should be fraud", "reason", "value", "fraud"),
        ("use idx_orders_date as index_hint", "index_hint", "value", "idx_orders_date"),
        ("index hint = idx_a, thanks", "index_hint", "value", "idx_a"),
        ('Too slow. Use index_hint "idx_b" here', "index_hint", "value", "idx_b"),
        ("Please give a reason", "reason", "require", ""),
        ("A reason is required over 100", "reason", "require", ""),
        ("wrong customer; no reason given", "reason", "require", ""),
        ("Never use index_hint idx_slow", "index_hint", "forbid", "idx_slow"),
        ("do not set the index hint", "index_hint", "forbid", ""),
    ],
)
def test_a_constraint_is_read(message: str, argument: str, rule: str, value: str) -> None:
    refused = call("issue_refund", {"invoice": "INV-1"}, "rejected", message)
    assert read_constraints(refused, [argument], "refund INV-1") == [
        {
            "tool": "issue_refund",
            "argument": argument,
            "rule": rule,
            "value": value,
            "situation": "refund INV-1",
        }
    ]


@pytest.mark.parametrize(
    "message",
    [
        "",
        "too expensive",
        "the reason is too vague",
        "Refused for good reason",
        "reasonable people",
    ],
)
def test_no_constraint_is_made_up(message: str) -> None:
    assert read_constraints(call("issue_refund", {}, "rejected", message), ["reason"], "s") == []


def test_only_learnable_arguments_teach() -> None:
    refused = call("issue_refund", {"amount": 5}, "rejected", "Set amount to 3 and reason to error")
    found = read_constraints(refused, LEARNABLE["issue_refund"], "s")
    assert [one["argument"] for one in found] == ["reason"]


@pytest.mark.parametrize(
    ("statuses", "sign"),
    [
        (["ok"], "positive"),
        (["rejected"], "negative"),
        (["error"], "negative"),
        (["ok", "error"], "mixed"),
    ],
)
def test_the_sign_follows_how_effects_ended(statuses: list[CallStatus], sign: str) -> None:
    calls = [call("issue_refund", {}, status) for status in statuses]
    found = episode_of(turn(1, "refund it", "…", *calls), LEARNABLE)
    assert found is not None
    assert found[1] == sign


@pytest.mark.parametrize("status", ["expired", "unsettled", "responded"])
def test_an_effect_that_did_not_end_is_no_episode(status: CallStatus) -> None:
    record = turn(1, "refund it", "…", call("issue_refund", {}, status))
    assert episode_of(record, LEARNABLE) is None


def test_reading_alone_is_no_episode() -> None:
    record = turn(1, "list them", "…", call("list_invoices", {}, effect="read_only"))
    assert episode_of(record, LEARNABLE) is None


def test_a_refusal_says_what_to_avoid_and_why() -> None:
    refused = call("issue_refund", {"amount": 120}, "rejected", "Set reason to error.")
    found = episode_of(turn(1, "refund INV-1", "Refused.", refused), LEARNABLE)
    assert found is not None
    episode, _ = found
    assert episode.avoid == (
        'A reviewer refused issue_refund with {"amount":120} and said: Set reason to error.'
    )
    assert episode.situation == "refund INV-1"
    assert episode.actions[0].outcome == "rejected: Set reason to error."
    assert episode.agent == ("billing",)
