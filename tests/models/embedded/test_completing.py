"""Which messages answer a question back, and which only sound like it."""

import pytest

from models.embedded.completing import hesitates
from models.embedded.expert import EmbeddedExpert
from models.embedded.router import EmbeddedRouter
from tests.models.embedded.rooms import Prompt, calls, consult, plan, turn

ASKED = turn(
    "they want money back for INV-1042",
    "billing",
    [],
    "To issue refund (INV-1042) I need the amount. What is it?",
)


@pytest.mark.parametrize(
    "text",
    [
        "they wanted 40 back but we said no",
        "did we give them 50 euros back?",
        "we already sent 40 euros back",
        "I think 40 euros would be too much",
        "no, leave it",
        "forget it",
    ],
)
def test_doubts_denials_and_reports_propose_nothing(
    router: EmbeddedRouter, expert: EmbeddedExpert, text: str
) -> None:
    assert hesitates(text)
    prompt = Prompt(text, [ASKED])
    for part in plan(router, prompt)["experts"]:
        found = calls(consult(expert, prompt, part["name"], part["question"]))
        assert "issue_refund" not in [name for name, _ in found]


@pytest.mark.parametrize(
    "text", ["90", "40 euros please", "half of it, the second one never worked", "INV-1021"]
)
def test_a_plain_value_with_its_reason_is_an_answer(text: str) -> None:
    assert not hesitates(text)
