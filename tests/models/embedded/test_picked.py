"""Records that a free query's rows brought up, and effects on several records."""

import pytest

from models.embedded.expert import EmbeddedExpert
from models.embedded.scene import Scene
from models.embedded.standing import picked_from_query
from models.embedded.unspoken import mistaken
from state import TurnRecord
from tests.models.embedded.rooms import Prompt, calls, consult, turn

ROWS = turn(
    "which invoices fall due from today on?",
    "analytics",
    [("run_query", {"sql": "SELECT * FROM invoices WHERE due_on >= '2026-06-30'"})],
    "id | amount INV-1049 | 90.00 INV-1060 | 2580.00",
)
PICKED = turn(
    "the one at the very top",
    "billing",
    [("get_invoice", {"invoice_id": "INV-1060"})],
    "INV-1060: status: open; order id: ORD-2089",
)
NAMED = turn(
    "show me 1060",
    "billing",
    [("get_invoice", {"invoice_id": "INV-1060"})],
    "INV-1060: status: open",
)
LISTED = turn(
    "invoices of Helix",
    "billing",
    [("list_invoices", {"customer": "Helix"})],
    "- INV-1060: status: open",
)


@pytest.mark.parametrize(
    ("history", "picked"),
    [
        ([ROWS], True),
        ([ROWS, PICKED], True),
        ([ROWS, PICKED, NAMED], False),
        ([ROWS, LISTED], False),
        ([PICKED], False),
    ],
)
def test_a_row_of_a_query_is_not_sure_until_it_is_named_or_listed(
    history: list[TurnRecord], picked: bool
) -> None:
    assert picked_from_query("INV-1060", Scene(history=tuple(history))) is picked


def test_an_effect_on_a_record_picked_from_a_query_is_asked_about(expert: EmbeddedExpert) -> None:
    text = "Void it, they left months ago."
    named = Prompt(text, history=[PICKED, NAMED])
    assert calls(consult(expert, named, "billing", text))
    assert not calls(consult(expert, Prompt(text, history=[ROWS, PICKED]), "billing", text))


def test_two_records_in_one_reason_are_two_effects(expert: EmbeddedExpert) -> None:
    text = "INV-1041 and INV-1033 were both voided by accident. Make the two valid again please"
    reply = consult(expert, Prompt(text), "billing", text)
    assert [args["invoice_id"] for _, args in calls(reply)] == ["INV-1041", "INV-1033"]


def test_what_must_be_opened_again_is_to_be_undone() -> None:
    assert mistaken("The voided invoice INV-1041 must be opened again")
    assert not mistaken("Must it be opened again?")
