"""A message as separate requests: what is one of its own, and what only belongs to another."""

import pytest

from models.embedded.planning import Planner
from models.embedded.scene import read_scene
from models.embedded.segments import split_requests
from tests.models.embedded.rooms import TOOLS, Prompt


def tools(planner: Planner, text: str) -> list[str | None]:
    scene = read_scene(Prompt(text).of("router"), TOOLS)
    return [step.tool for step in planner.steps(text, scene)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("the security policy in full, plus INV-1008 please", ["get_policy", "get_invoice"]),
        ("show INV-1050 and the order belonging to it, ORD-2078", ["get_invoice", "get_order"]),
        (
            "Two questions: what was revenue in May 2026, and who is late with paying?",
            ["report_revenue", "list_overdue"],
        ),
        (
            "The chief asks for the churn of April and the total income of that month",
            ["report_churn", "report_revenue"],
        ),
    ],
)
def test_things_of_two_tools_are_two_requests(
    planner: Planner, text: str, wanted: list[str]
) -> None:
    assert tools(planner, text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "cancel ORD-2084, they ordered twice",
        "refund the rest of INV-1012, the order was a mistake",
        "Which bills are past due? Need them for the letters.",
        "are their invoices settled? list please",
        "He wants his money back after half a year. Is that still allowed?",
    ],
)
def test_reasons_and_bare_commands_belong_to_their_request(planner: Planner, text: str) -> None:
    assert len(split_requests(text, planner.lexicon.verbs, planner.lexicon.nouns)) == 1


@pytest.mark.parametrize(
    "text",
    ["Void INV-1046. Wrong VAT number.", "stop ORD-2087!! customer chose the wrong scanner"],
)
def test_a_remark_that_is_no_sentence_goes_with_the_effect(planner: Planner, text: str) -> None:
    assert len(tools(planner, text)) == 1
