"""Which constraints are read off a person's words about a call, and which are not."""

import pytest

from memory.lessons import read_constraints


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
    assert read_constraints("issue_refund", message, [argument], "refund INV-1") == [
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
    assert read_constraints("issue_refund", message, ["reason"], "s") == []


def test_only_learnable_arguments_teach() -> None:
    said = "Set amount to 3 and reason to error"
    found = read_constraints("issue_refund", said, ["reason"], "s")
    assert [one["argument"] for one in found] == ["reason"]
