"""What a tool's arguments are read from, as people say it."""

import pytest

from models.embedded.expert import EmbeddedExpert
from tests.models.embedded.rooms import Prompt, calls, consult


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("overdue invoices, sixty days or more", 60),
        ("overdue invoices counting from day 45 on", 45),
        ("what is overdue by more than a month and a half, say 40 days", 40),
    ],
)
def test_a_length_is_read_as_people_say_it(expert: EmbeddedExpert, text: str, days: int) -> None:
    found = calls(consult(expert, Prompt(text), "billing"))
    assert found == [("list_overdue", {"min_days": days})]


def test_enumerated_customers_and_titles_get_a_call_each(expert: EmbeddedExpert) -> None:
    text = "usage of Nordlicht in April and of Otava in April"
    found = calls(consult(expert, Prompt(text), "analytics"))
    assert [args["customer"] for _, args in found] == ["Nordlicht", "Otava"]
    text = "print the full payment terms and the full discounts policy"
    found = calls(consult(expert, Prompt(text), "knowledge"))
    assert [args["name"] for _, args in found] == ["discounts", "payment-terms"]
