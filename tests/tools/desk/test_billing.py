import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.desk.billing import (
    get_invoice,
    issue_refund,
    list_invoices,
    list_overdue,
    reopen_invoice,
    void_invoice,
)
from tools.desk.books import SHIPPED
from tools.desk.records import cents, euros
from tools.errors import ToolError
from tools.spec import ToolContext


def test_an_invoice_shows_what_was_paid_and_is_refundable(context: ToolContext) -> None:
    found = get_invoice(context, invoice_id="inv-1012")

    assert found["customer"] == "Brightwater Labs Ltd"
    assert (found["amount"], found["paid"], found["refunded"]) == (1296.0, 1296.0, 324.0)
    assert found["refundable"] == 972.0
    assert [one["id"] for one in found["refunds"]] == ["REF-3001"]
    assert len(found["payments"]) == 1


def test_a_void_invoice_says_since_when_and_why(context: ToolContext) -> None:
    found = get_invoice(context, invoice_id="INV-1041")

    assert (found["status"], found["open"]) == ("void", 0.0)
    assert found["voided_on"] == "2026-04-22"
    assert found["void_reason"] == "order ORD-2069 was cancelled"


def test_an_unknown_invoice_is_not_found(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="INV-9999") as caught:
        get_invoice(context, invoice_id="INV-9999")

    assert caught.value.kind == "not_found"
    assert "list_invoices" in caught.value.hint


@pytest.mark.parametrize(
    "customer",
    [
        "CUS-014",
        "niamh keane",
        "Niamh",
        "cus-014",
        "Blue Harbor Foods Ltd",
        "blue harbor",
        "  BLUE   HARBOR ",
    ],
)
def test_a_customer_is_known_by_id_and_by_name(context: ToolContext, customer: str) -> None:
    found = list_invoices(context, customer=customer)

    assert [one["id"] for one in found["invoices"]] == ["INV-1054", "INV-1042", "INV-1016"]
    assert (found["total_amount"], found["total_open"]) == (4148.0, 1310.0)


def test_an_ambiguous_name_asks_which_one(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="2 customers") as caught:
        list_invoices(context, customer="Brightwater")

    assert caught.value.kind == "conflict"
    assert "CUS-002 Brightwater Labs Ltd" in caught.value.hint
    assert "CUS-003 Brightwater Logistics Ltd (Aoife Brennan, Cork)" in caught.value.hint


@pytest.mark.parametrize(
    ("customer", "first"),
    [
        ("the Ottawa clinics", "INV-1052"),
        ("Gent insurers", "INV-1047"),
        ("granite ppl", "INV-1048"),
        ("Ingrid's lot", "INV-1045"),
        ("the Malmö games company", "INV-1059"),
        ("the architects", "INV-1058"),
        ("lawyers in London", "INV-1060"),
        ("the Cork Brightwater", "INV-1057"),
        ("Kestral", "INV-1045"),
    ],
)
def test_a_customer_is_known_by_place_trade_and_people(
    context: ToolContext, customer: str, first: str
) -> None:
    assert list_invoices(context, customer=customer)["invoices"][0]["id"] == first


@pytest.mark.parametrize(
    "customer", ["Whitfield Books", "Denver dentists", "Maple Leaf", "Solaris", "Hm", "the one"]
)
def test_half_a_description_is_nobody(context: ToolContext, customer: str) -> None:
    with pytest.raises(ToolError) as caught:
        list_invoices(context, customer=customer)

    assert caught.value.kind == "not_found"


@pytest.mark.parametrize("customer", ["Acme", "   ", "CUS-999", "%"])
def test_an_unknown_customer_is_not_found(context: ToolContext, customer: str) -> None:
    with pytest.raises(ToolError) as caught:
        list_invoices(context, customer=customer)

    assert caught.value.kind == "not_found"


def test_invoices_are_listed_by_state_up_to_a_limit(context: ToolContext) -> None:
    paid = list_invoices(context, customer="CUS-023", status="paid", limit=2)

    assert (paid["count"], len(paid["invoices"])) == (4, 2)
    assert {one["status"] for one in paid["invoices"]} == {"paid"}


def test_overdue_counts_from_the_companys_day_and_subtracts_payments(context: ToolContext) -> None:
    found = list_overdue(context)

    assert (found["as_of"], found["count"], found["total_open"]) == ("2026-06-30", 9, 10803.0)
    assert found["invoices"][0]["id"] == "INV-1009"
    assert found["invoices"][0]["days_overdue"] == 146
    partly = next(one for one in found["invoices"] if one["id"] == "INV-1045")
    assert partly["open"] == 1030.0


def test_overdue_can_be_narrowed(context: ToolContext) -> None:
    old = list_overdue(context, min_days=60)
    own = list_overdue(context, customer="otava")

    assert [one["id"] for one in old["invoices"]] == ["INV-1009", "INV-1019"]
    assert [one["id"] for one in own["invoices"]] == ["INV-1019"]


def test_a_refund_lowers_what_is_left(context: ToolContext) -> None:
    done = issue_refund(context, invoice_id="INV-1042", amount=240.5, reason="broken scanner")

    assert done["refund_id"] == "REF-3005"
    assert (done["amount"], done["still_refundable"]) == (240.5, 999.5)
    assert get_invoice(context, invoice_id="INV-1042")["refundable"] == 999.5


def test_a_repeated_key_refunds_once(
    context: ToolContext, keyed: Callable[[str], ToolContext]
) -> None:
    first = issue_refund(context, invoice_id="INV-1042", amount=100.0)
    again = issue_refund(context, invoice_id="INV-1042", amount=100)
    other = issue_refund(keyed("key-2"), invoice_id="INV-1042", amount=100.0)

    assert again == first
    assert other["refund_id"] != first["refund_id"]
    assert get_invoice(context, invoice_id="INV-1042")["refunded"] == 200.0


@pytest.mark.parametrize(
    ("invoice_id", "amount", "reason", "kind", "message"),
    [
        ("INV-1042", 1240.01, "x", "conflict", "at most 1240.00 EUR"),
        ("INV-1012", 1000.0, "x", "conflict", "at most 972.00 EUR"),
        ("INV-1009", 10.0, "x", "conflict", "at most 0.00 EUR"),
        ("INV-1040", 0.01, "x", "conflict", "at most 0.00 EUR"),
        ("INV-1042", 500.01, "  ", "conflict", "needs a reason"),
        ("INV-1042", 10.005, "x", "invalid_arguments", "two decimals"),
        ("INV-7777", 1.0, "x", "not_found", "INV-7777"),
    ],
)
def test_a_refund_that_breaks_a_rule_changes_nothing(
    context: ToolContext, invoice_id: str, amount: float, reason: str, kind: str, message: str
) -> None:
    with pytest.raises(ToolError, match=message) as caught:
        issue_refund(context, invoice_id=invoice_id, amount=amount, reason=reason)

    assert caught.value.kind == kind
    assert caught.value.hint
    assert issue_refund(context, invoice_id="INV-1042", amount=1.0)["refund_id"] == "REF-3005"


def test_a_reason_lets_a_large_refund_through(context: ToolContext) -> None:
    done = issue_refund(context, invoice_id="INV-1042", amount=1240.0, reason="all returned")

    assert done["still_refundable"] == 0.0


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 60_000), min_size=1, max_size=6))
def test_refunds_never_exceed_what_was_paid(amounts: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = ToolContext(
            app_dir=SHIPPED.parent,
            data_dir=Path(folder),
            tenant="default",
            user="ada",
            teams=(),
            thread="t1",
            idempotency_key="",
        )
        given_back = 0
        for number, amount in enumerate(amounts):
            one = replace(base, idempotency_key=f"key-{number}")
            try:
                issue_refund(one, invoice_id="INV-1042", amount=euros(amount), reason="test")
                given_back += amount
            except ToolError:
                assert given_back + amount > 124_000
        assert cents(get_invoice(base, invoice_id="INV-1042")["refunded"]) == given_back <= 124_000


@given(st.integers(0, 10**9))
def test_money_survives_the_way_to_euros_and_back(amount: int) -> None:
    assert cents(euros(amount)) == amount


def test_an_unpaid_invoice_is_voided_and_the_undo_reopens_it(
    context: ToolContext, keyed: Callable[[str], ToolContext]
) -> None:
    voided = void_invoice(context, invoice_id="INV-1054", reason="billed twice")
    assert (voided["status"], voided["reason"]) == ("void", "billed twice")
    assert get_invoice(context, invoice_id="INV-1054")["open"] == 0.0

    reopened = reopen_invoice(keyed("key-2"), **voided["undo"])
    assert reopened["status"] == "open"
    assert get_invoice(context, invoice_id="INV-1054")["open"] == 1310.0

    void_invoice(keyed("key-3"), **reopened["undo"])
    assert get_invoice(context, invoice_id="INV-1054")["void_reason"] == "billed twice"


def test_voiding_twice_is_the_same_as_once(
    context: ToolContext, keyed: Callable[[str], ToolContext]
) -> None:
    first = void_invoice(context, invoice_id="INV-1054", reason="wrong")
    same_key = void_invoice(context, invoice_id="INV-1054", reason="wrong")
    new_key = void_invoice(keyed("key-2"), invoice_id="INV-1054", reason="other")

    assert same_key == first
    assert "undo" not in new_key
    assert get_invoice(context, invoice_id="INV-1054")["void_reason"] == "wrong"


@pytest.mark.parametrize("invoice_id", ["INV-1042", "INV-1045"])
def test_an_invoice_with_payments_is_not_voided(context: ToolContext, invoice_id: str) -> None:
    with pytest.raises(ToolError, match="has payments") as caught:
        void_invoice(context, invoice_id=invoice_id)

    assert caught.value.kind == "conflict"
    assert "refund" in caught.value.hint


def test_reopening_knows_paid_and_open_invoices(
    context: ToolContext, keyed: Callable[[str], ToolContext]
) -> None:
    with pytest.raises(ToolError, match="is paid"):
        reopen_invoice(context, invoice_id="INV-1042")

    done = reopen_invoice(keyed("key-2"), invoice_id="INV-1054")
    assert done["status"] == "open"
    assert "undo" not in done
