"""Effects that are demanded with a reserve, and sums that are still to be worked out."""

from decimal import Decimal
from typing import Any

import pytest

from models.embedded.bases import base_of
from models.embedded.demand import deeds_of, demands
from models.embedded.lessons import Filling
from models.embedded.patterns import amounts
from models.embedded.records import differs, part, rival_of
from models.embedded.reference import Nouns
from models.embedded.reserving import deferred, reckoned, reserved, told_from
from models.embedded.sums import share_in, sums_of

NAMES = ["get_invoice", "issue_refund", "void_invoice", "get_order", "cancel_order"]
CANCEL = deeds_of("cancel_order", [], [], NAMES)
VOID = deeds_of("void_invoice", [], [], NAMES)
NOUNS = Nouns({"invoic": "INV", "invoice": "INV", "bill": "INV", "order": "ORD"})
PARTLY = {"amount": 1250.0, "paid": 500.0, "refundable": 500.0, "open": 750.0}
WHOLE = {"amount": 900.0, "paid": 900.0, "refundable": 900.0, "open": 0.0}
STREET = "5 Bunhill Row, EC1Y 8LP London, GB"


def doubt(text: str, id_: str, deeds: frozenset[str]) -> str:
    return reserved(text, text, [{"order_id": id_}], deeds, NOUNS, priced=False)


def share_of(text: str, record: dict[str, Any]) -> Decimal | None:
    return part(record, Filling(calls=(), share=share_in(amounts(text))))


@pytest.mark.parametrize(
    "text",
    [
        "cancel ORD-2088 next Monday",
        "cancel ORD-2088 tomorrow",
        "cancel ORD-2088 once Marco confirms",
        "cancel ORD-2088 as soon as the new one is out",
        "cancel ORD-2088 only if it has not been packed",
        "cancel ORD-2088, unless they object",
    ],
)
def test_what_is_for_later_or_on_a_condition_is_not_done_now(text: str) -> None:
    assert doubt(text, "ORD-2088", CANCEL) == "now"


@pytest.mark.parametrize(
    "text",
    [
        "cancel ORD-2088, they will order again next month",
        "cancel ORD-2088 because it was to come after the trial",
        "cancel ORD-2088 if you'd be so kind",
        "cancel ORD-2088 and tell me if they have other orders",
        "I'd like ORD-2088 cancelled",
        "please cancel their order ORD-2088, the budget was cut",
    ],
)
def test_a_plain_demand_has_no_reserve(text: str) -> None:
    assert doubt(text, "ORD-2088", CANCEL) == ""


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("void the duplicate of INV-1056, it was issued twice", "INV-1056"),
        ("void the one issued right before INV-1057", "INV-1057"),
        ("cancel the order behind INV-1059", "INV-1059"),
        ("cancel the reminder for INV-1056", "INV-1056"),
        ("cancel half of INV-1056", "INV-1056"),
        ("void the last line of INV-1056, billed twice", "INV-1056"),
        ("reduce INV-1056 by 100, wrong price", "INV-1056"),
        ("drop INV-1056 from my list", "INV-1056"),
        ("void whichever of INV-1056 and INV-1057 is smaller", "INV-1056"),
        ("void INV-1056 57 and 58", "INV-1056"),
    ],
)
def test_an_id_that_only_stands_beside_what_is_meant_is_asked_about(text: str, id_: str) -> None:
    assert doubt(text, id_, VOID) == "record"


@pytest.mark.parametrize(
    "text",
    [
        "the customer wrote: 'please void INV-1056'",
        "Marco wants INV-1056 voided but I say no",
        "void INV-1056, what would that mean for him?",
        "void INV-1056? Marco asked for it",
        "Marco thinks INV-1056 should be voided",
        "void INV-1056 but first tell me who issued it",
    ],
)
def test_what_others_want_or_what_is_weighed_is_not_decided(text: str) -> None:
    assert doubt(text, "INV-1056", VOID) == "now"


def test_an_address_that_is_one_of_two_or_no_destination_is_asked_about() -> None:
    either = f"ship ORD-2089 to {STREET} or to the office"
    unless = f"ORD-2089 needs to go to {STREET} unless it has left"
    billing = f"the billing address of ORD-2089 is {STREET}"
    calls = [{"order_id": "ORD-2089", "address": STREET}]
    assert reserved(either, either, calls, (), NOUNS, priced=False) == "address"
    assert reserved(unless, unless, calls, (), NOUNS, priced=False) == "address"
    assert reserved(billing, billing, calls, (), NOUNS, priced=False) == "address"


def test_a_record_is_told_from_its_twin() -> None:
    both = ["INV-1056", "INV-1057"]
    assert told_from("INV-1056 is a copy of INV-1057, void it", both) == ["INV-1056"]
    assert told_from("void INV-1056 and INV-1057", both) == both


def test_a_deed_that_is_denied_is_no_demand() -> None:
    assert not demands("make sure INV-1056 is not voided", VOID)
    assert not deferred("void INV-1056", VOID)


@pytest.mark.parametrize(
    "text",
    [
        "refund 2 x 45 on INV-1012",
        "give back 300 minus the 50 restocking fee",
        "we keep 50 as a fee, refund the rest",
        "refund double the 45 on INV-1012",
        "refund 300 now and 200 later",
        "refund 3 licences at 45",
        "refund 10% of 500",
    ],
)
def test_a_sum_to_be_worked_out_is_asked_about(text: str) -> None:
    assert reckoned(text)


@pytest.mark.parametrize(
    "text", ["refund 45 on INV-1012", "refund 90 for 2 seats", "return the 45 euros to her"]
)
def test_a_plain_sum_is_taken(text: str) -> None:
    assert not reckoned(text)


@pytest.mark.parametrize("text", ["refund 2 broken sensors", "refund 1 licence", "refund 1 month"])
def test_a_count_of_things_is_no_sum(text: str) -> None:
    assert not sums_of(text)


@pytest.mark.parametrize(
    ("after", "base"),
    [
        (" of what came in", "paid"),
        (" of the payment", "paid"),
        (" of what is left", "left"),
        (" of the invoice amount", "whole"),
        (" of it back", ""),
        (" of the June one", ""),
        (" of the workshop on INV-1012", "other"),
        (" of what we billed for support", "other"),
    ],
)
def test_a_share_is_of_what_the_text_says(after: str, base: str) -> None:
    assert base_of(after) == base


def test_a_share_of_what_was_paid_is_taken_of_that() -> None:
    assert share_of("send back half of what came in", PARTLY) == Decimal("250.00")
    assert share_of("refund half of it", WHOLE) == Decimal("450.00")


@pytest.mark.parametrize("text", ["refund half of it", "refund half of the workshop"])
def test_a_share_is_not_taken_where_it_may_be_of_several_sums(text: str) -> None:
    assert share_of(text, PARTLY) is None


def test_one_effect_on_a_record_is_asked_for_once() -> None:
    made = [("void_invoice", {"invoice_id": "INV-1059", "reason": "wrong"}, True)]
    rival = rival_of(made, "void_invoice", {"invoice_id": "INV-1059"})
    assert rival is not None
    assert not differs(rival, {"invoice_id": "INV-1059"})
    assert differs(rival, {"invoice_id": "INV-1059", "amount": 20.0})
    assert rival_of(made, "void_invoice", {"invoice_id": "INV-1060"}) is None


def test_a_sum_may_be_for_a_part_of_a_record() -> None:
    text, deeds = "refund half of INV-1056", deeds_of("issue_refund", [], [], NAMES)
    assert reserved(text, text, [{"invoice_id": "INV-1056"}], deeds, NOUNS, priced=True) == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Kindly do refund 200 of the paid part, goodwill", True),
        ("do refunds take long?", False),
        ("please do not refund 200", False),
    ],
)
def test_a_stressed_demand_is_one(text: str, reason: bool) -> None:
    assert demands(text, deeds_of("issue_refund", [], [], NAMES)) is reason
