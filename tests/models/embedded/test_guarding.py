"""An effect fails closed where its record, its owner or its sum is left open."""

from decimal import Decimal

import pytest

from models.embedded.asking import needed_in_state
from models.embedded.demand import deeds_of, demands
from models.embedded.expert import EmbeddedExpert
from models.embedded.guarding import (
    earlier_meant,
    meant_ids,
    others_record,
    torn,
    unaccounted,
    unsure_sum,
)
from models.statements.readers import read_address
from models.embedded.sums import sums_of
from models.embedded.unspoken import mistaken
from tests.models.embedded.rooms import Prompt, answered, calls, consult, turn

NAMES = ["get_invoice", "issue_refund", "void_invoice", "get_order", "cancel_order"]
REFUND = deeds_of("issue_refund", [], [], NAMES)
CANCEL = deeds_of("cancel_order", [], [], NAMES)
VOID = deeds_of("void_invoice", [], [], NAMES)
BOTH = ["INV-1044", "INV-1045"]
VOIDED = turn(
    "void INV-1053, wrong entity",
    "billing",
    [("void_invoice", {"invoice_id": "INV-1053"})],
    "Done: void invoice. INV-1053: status: void",
)
ORDER = {"id": "ORD-2080", "status": "packed", "customer": "Maple Ridge Clinics Inc"}


@pytest.mark.parametrize(
    "text",
    [
        "INV-1044 stays as it is, void INV-1045",
        "INV-1044 was voided yesterday, void INV-1045 too",
        "INV-1044 is the right one, INV-1045 has to be voided",
        "void INV-1045 but leave INV-1044 alone",
    ],
)
def test_only_the_record_of_the_demand_is_meant(text: str) -> None:
    assert meant_ids(text, BOTH, VOID) == ["INV-1045"]


@pytest.mark.parametrize(
    "text",
    [
        "void INV-1044 and INV-1045",
        "INV-1044 and INV-1045 were issued twice, void them",
        "INV-1044 was issued twice, void it, and void INV-1045",
    ],
)
def test_all_records_of_a_demand_are_meant(text: str) -> None:
    assert meant_ids(text, BOTH, VOID) == BOTH
    assert not torn(text, VOID)


@pytest.mark.parametrize(
    "text",
    [
        "ORD-2077 and ORD-2083 are the same thing, cancel one of them",
        "ORD-2077 and ORD-2083 were ordered by Eero, cancel it",
    ],
)
def test_one_of_several_records_is_asked_for(text: str) -> None:
    assert torn(text, CANCEL)


def test_a_demand_on_somebody_elses_record_is_not_for_the_one_at_hand() -> None:
    said = ["INV-1044: customer: Zielona Dolina Sp. z o.o.; status: open"]
    assert others_record("void Kestrel's bill", VOID, said) == "Kestrel"
    assert others_record("void the bill of Otava, it's wrong", VOID, said) == "Otava"
    assert not others_record("void Zielona's bill", VOID, said)
    assert not others_record("void it, a mistake of Otava", VOID, said)


@pytest.mark.parametrize(
    "text",
    [
        "refund up to 45 on INV-1035",
        "refund between 40 and 50 on INV-1035",
        "refund 45 or 50 on INV-1035",
        "refund 45 euros twice on INV-1035",
        "refund all but 45 of INV-1035",
        "refund 60, no sorry, 45 on INV-1035",
        "refund 45 euros minus 5 fee on INV-1035",
        "refund 2 seats at 45 each on INV-1035",
        "they paid 1240 instead of 930 on INV-1042, refund the difference",
        "the 495 and the 450 are wrong, refund INV-1035",
    ],
)
def test_a_sum_that_is_left_open_is_asked_for(text: str) -> None:
    assert unsure_sum(text, REFUND, several=False)


@pytest.mark.parametrize(
    "text",
    [
        "INV-1042: amount 1240, paid 1240, refund 45",
        "we already gave 50 back on INV-1035, refund another 45",
        "refund 20 of the 240 on INV-1035",
        "refund 45 euros on INV-1035 for 3 days of outage",
    ],
)
def test_the_sum_of_the_demanding_clause_is_sure(text: str) -> None:
    assert not unsure_sum(text, REFUND, several=False)


def test_a_share_beside_a_sum_of_another_thing_is_asked_for() -> None:
    record = {"amount": 495.0, "paid": 495.0}
    assert unaccounted("they wanted 90 back, refund half", record, Decimal("247.5"))
    assert not unaccounted("refund half of the 495", record, Decimal("247.5"))
    assert not unaccounted("they used 2 of the 3 seats, a third back", record, Decimal(165))


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("and void ones?", VOID),
        ("and void?", VOID),
        ("void invoices of Acme", VOID),
        ("cancel it?", CANCEL),
        ("drop me a line when it ships", CANCEL),
        ("stop asking", CANCEL),
        ("voiding it would upset them", VOID),
        ("nobody should void it", VOID),
        ("maybe we should void it", VOID),
        ("I have just voided it", VOID),
        ("they will get 310 euros back next week", REFUND),
        ("Ben promised 40 euros back", REFUND),
        ("Eero told me to cancel ORD-2077 but then called and wants to keep it", CANCEL),
        ("they said to cancel ORD-2077, but he changed his mind", CANCEL),
    ],
)
def test_lists_bare_questions_and_what_is_taken_back_demand_nothing(
    text: str, deeds: frozenset[str]
) -> None:
    assert not demands(text, deeds)


@pytest.mark.parametrize("text", ["void it, ok?", "could you void it?", "void INV-1044, please?"])
def test_courtesy_with_a_question_mark_still_demands(text: str) -> None:
    assert demands(text, VOID)


def test_the_one_before_is_not_the_record_at_hand() -> None:
    assert earlier_meant("void the one before")
    assert not earlier_meant("void INV-1044, not the other")
    assert not earlier_meant("void the other one")


def test_the_number_of_a_ticket_is_no_sum() -> None:
    assert sums_of("refund INV-1035, ticket 4711, they were down") == []


def test_a_sentence_after_the_country_is_no_part_of_an_address() -> None:
    said = "pls send ORD-2086 to 17 Penrose Quay, T23 XY88 Cork, IE. the docks are closed"
    assert read_address(said) == "17 Penrose Quay, T23 XY88 Cork, IE"


def test_a_mistake_that_a_payment_is_for_is_not_to_be_undone() -> None:
    assert mistaken("INV-1039 was voided by mistake")
    assert not mistaken("send them 648 euro on INV-1039, two seats were ordered by mistake")


def test_a_remark_is_no_part_of_an_address() -> None:
    wanted = "7 Marina Commercial Park, T12 KX59 Cork, IE"
    for said in (f"oh right. {wanted}", f"sorry! {wanted}", f"{wanted}, not Tivoli Docks"):
        assert read_address(f"change the address of ORD-2086: {said}") == wanted


def test_states_that_need_an_argument_are_read_off_the_constraints() -> None:
    text = "Only processing or packed orders; a packed one needs a reason."
    assert needed_in_state(text, {"order_id": "ORD-2080"}) == [("packed", "reason")]
    assert needed_in_state(text, {"order_id": "ORD-2080", "reason": "twice"}) == []


def test_a_packed_order_is_looked_up_and_its_reason_asked_for(expert: EmbeddedExpert) -> None:
    prompt = Prompt("cancel ORD-2080")
    first = consult(expert, prompt, "orders")
    assert calls(first) == [("get_order", {"order_id": "ORD-2080"})]
    asked = consult(expert, answered(prompt, first, ORDER), "orders")
    assert asked.tool_calls == []
    assert str(asked.text).endswith("I need the reason. What is it?")
    going = consult(expert, answered(prompt, first, {**ORDER, "status": "processing"}), "orders")
    assert calls(going) == [("cancel_order", {"order_id": "ORD-2080"})]


def test_a_corrected_id_undoes_the_change_and_does_it_for_the_right_one(
    expert: EmbeddedExpert,
) -> None:
    text = "it was INV-1050 I meant. Put INV-1053 back and void the right one"
    reply = consult(expert, Prompt(text, history=[VOIDED]), "billing")
    assert calls(reply) == [
        ("reopen_invoice", {"invoice_id": "INV-1053"}),
        ("void_invoice", {"invoice_id": "INV-1050"}),
    ]


@pytest.mark.parametrize("text", ["show me INV-1034 too", "also what is INV-1034 about"])
def test_a_look_up_after_an_effect_does_not_repeat_it(expert: EmbeddedExpert, text: str) -> None:
    reply = consult(expert, Prompt(text, history=[VOIDED]), "billing")
    assert [name for name, _ in calls(reply)] == ["get_invoice"]


def test_a_reported_sum_after_a_refund_is_not_refunded(expert: EmbeddedExpert) -> None:
    done = turn(
        "refund 45 on INV-1035",
        "billing",
        [("issue_refund", {"invoice_id": "INV-1035", "amount": 45.0})],
        "Done: issue refund. INV-1035: amount: 45.00 EUR",
    )
    reply = consult(expert, Prompt("they say 20 more is missing", history=[done]), "billing")
    assert "issue_refund" not in [name for name, _ in calls(reply)]
