"""An effect is proposed only for a clear demand."""

import pytest

from models.embedded.demand import deeds_of, demands

NAMES = [
    "get_invoice",
    "issue_refund",
    "void_invoice",
    "get_order",
    "change_address",
    "cancel_order",
]
REFUND = deeds_of("issue_refund", [], [], NAMES)
CANCEL = deeds_of("cancel_order", [], [], NAMES)
VOID = deeds_of("void_invoice", [], [], NAMES)
ADDRESS = deeds_of("change_address", [], [], NAMES)


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("refund half of it", REFUND),
        ("Could you please refund $40 on INV-1042?", REFUND),
        ("I'd like a refund of 40 euros on INV-1042", REFUND),
        ("send 75 euros back to the customer on INV-1011", REFUND),
        ("INV-1006: reimburse everything", REFUND),
        ("Acme wants their money back for INV-1007", REFUND),
        ("ORD-2060 needs to be cancelled", CANCEL),
        ("the customer wants ORD-2060 cancelled", CANCEL),
        ("They no longer need it, cancel ORD-2060", CANCEL),
        ("please go ahead and void INV-1009", VOID),
        ("ORD-2079 has to go to Lendkai 30, 8020 Graz", ADDRESS),
    ],
)
def test_commands_demand_their_deed(text: str, deeds: frozenset[str]) -> None:
    assert demands(text, deeds)


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("Was INV-1042 refunded?", REFUND),
        ("what is the refund policy?", REFUND),
        ("how much did we refund in May", REFUND),
        ("give me the refund total of May", REFUND),
        ("the refund on INV-1042 has not arrived", REFUND),
        ("don't cancel ORD-2050", CANCEL),
        ("don't, under any circumstances, cancel ORD-2050", CANCEL),
        ("should I cancel ORD-2050?", CANCEL),
        ("Should we, given the delay, cancel ORD-2050?", CANCEL),
        ("what happens if we cancel ORD-2060?", CANCEL),
        ("I already cancelled ORD-2060", CANCEL),
        ("list cancelled orders of Acme", CANCEL),
        ("is it possible to void INV-1009?", VOID),
        ("what address does ORD-2060 ship to?", ADDRESS),
    ],
)
def test_questions_reports_and_negations_demand_nothing(text: str, deeds: frozenset[str]) -> None:
    assert not demands(text, deeds)


def test_words_that_several_tools_share_are_no_deeds() -> None:
    assert "ord" not in CANCEL
    assert "invoic" not in VOID


def test_verbs_of_the_examples_are_deeds_unless_a_look_up_begins_with_them() -> None:
    found = deeds_of("close_case", ["settle case 7", "show me and close"], ["show"], ["close_case"])
    assert "settl" in found
    assert "show" not in found


def test_what_is_to_be_done_or_may_be_done_now_is_demanded() -> None:
    assert demands("INV-1009 is to be voided", VOID)
    assert demands("that one may be cancelled", CANCEL)
    assert not demands("may that one be cancelled", CANCEL)
