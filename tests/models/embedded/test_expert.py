"""The embedded expert: look-ups, effects, follow-ups, and what it refuses to guess."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.embedded.expert import EmbeddedExpert
from tests.models.embedded.rooms import Prompt, answered, calls, consult, lesson, turn

INVOICE = {
    "id": "INV-1042",
    "customer": "Blue Harbor Foods Ltd",
    "status": "paid",
    "amount": 1240.0,
    "paid": 1240.0,
    "refunded": 0.0,
    "refundable": 1240.0,
    "currency": "EUR",
}
SEEN = turn(
    "show me INV-1042",
    "billing",
    [("get_invoice", {"invoice_id": "INV-1042"})],
    "INV-1042: customer: Blue Harbor Foods Ltd; status: paid; amount: 1240.00 EUR",
)
ORDER = turn(
    "where is ORD-2077", "orders", [("get_order", {"order_id": "ORD-2077"})], "ORD-2077: …"
)
EFFECTS = {"issue_refund", "void_invoice", "reopen_invoice", "change_address", "cancel_order"}


def status(reply: Any) -> str:  # noqa: ANN401 - a message
    return str(reply.additional_kwargs["finding_status"])


def test_a_look_up_is_called_and_its_result_is_said(expert: EmbeddedExpert) -> None:
    prompt = Prompt("has INV-1042 been paid?")
    first = consult(expert, prompt, "billing")
    assert calls(first) == [("get_invoice", {"invoice_id": "INV-1042"})]
    last = consult(expert, answered(prompt, first, INVOICE), "billing")
    assert last.tool_calls == []
    assert status(last) == "ok"
    assert "INV-1042" in str(last.text)
    assert "1,240.00 EUR" in str(last.text)
    assert "{" not in str(last.text)


def test_a_call_is_not_read_off_its_own_answer(expert: EmbeddedExpert) -> None:
    prompt = Prompt("Who is late with their payments?")
    first = consult(expert, prompt, "billing")
    assert calls(first) == [("list_overdue", {})]
    late = {"count": 1, "invoices": [{"id": "INV-1039", "customer": "Granite Peak Outfitters Inc"}]}
    assert consult(expert, answered(prompt, first, late), "billing").tool_calls == []


def test_the_same_prompt_gives_the_same_reply(expert: EmbeddedExpert) -> None:
    prompt = Prompt("refund 40 euros on INV-1042")
    first, second = (consult(expert, prompt, "billing") for _ in range(2))
    assert first.tool_calls == second.tool_calls


def test_the_record_at_hand_is_the_one_that_is_meant(expert: EmbeddedExpert) -> None:
    refund = consult(expert, Prompt("And refund 120 euros of it", history=[SEEN]), "billing")
    ((name, args),) = calls(refund)
    assert (name, args["invoice_id"], args["amount"]) == ("issue_refund", "INV-1042", 120.0)
    cancel = consult(expert, Prompt("cancel it please", history=[ORDER]), "orders")
    ((name, args),) = calls(cancel)
    assert (name, args["order_id"]) == ("cancel_order", "ORD-2077")


def test_a_share_is_worked_out_from_the_record(expert: EmbeddedExpert) -> None:
    prompt = Prompt("and refund half of it", history=[SEEN])
    first = consult(expert, prompt, "billing")
    assert calls(first) == [("get_invoice", {"invoice_id": "INV-1042"})]
    second = consult(expert, answered(prompt, first, INVOICE), "billing")
    ((name, args),) = calls(second)
    assert (name, args["invoice_id"], args["amount"]) == ("issue_refund", "INV-1042", 620.0)


def test_the_rest_is_what_is_still_refundable(expert: EmbeddedExpert) -> None:
    prompt = Prompt("refund the rest of INV-1042")
    first = consult(expert, prompt, "billing")
    partly = {**INVOICE, "refunded": 310.0, "refundable": 930.0}
    ((name, args),) = calls(consult(expert, answered(prompt, first, partly), "billing"))
    assert (name, args["amount"]) == ("issue_refund", 930.0)


def test_nothing_is_refunded_where_nothing_is_left(expert: EmbeddedExpert) -> None:
    prompt = Prompt("refund INV-1042 in full")
    first = consult(expert, prompt, "billing")
    last = consult(expert, answered(prompt, first, {**INVOICE, "refundable": 0.0}), "billing")
    assert last.tool_calls == []
    assert str(last.text)


def test_an_edited_effect_is_not_proposed_again(expert: EmbeddedExpert) -> None:
    prompt = Prompt("refund 40 euros on INV-1042")
    first = consult(expert, prompt, "billing")
    first.tool_calls[0]["args"]["amount"] = 30.0
    done = {"refund_id": "REF-1", "amount": 30.0, "currency": "EUR"}
    last = consult(expert, answered(prompt, first, done), "billing")
    assert last.tool_calls == []
    assert "Done: issue refund" in str(last.text)
    assert "30" in str(last.text)


def test_a_rejected_effect_is_told_and_not_repeated(expert: EmbeddedExpert) -> None:
    prompt = Prompt("cancel ORD-2077, ordered twice")
    first = consult(expert, prompt, "orders")
    told = answered(
        prompt, first, "Not run. Do not repeat this call: ask the customer first", ok=False
    )
    last = consult(expert, told, "orders")
    assert last.tool_calls == []
    assert str(last.text) == "Cancel order was not run: ask the customer first."
    assert status(last) == "ok"  # a person decided so: nothing has failed


def test_an_error_is_told_with_its_hint(expert: EmbeddedExpert) -> None:
    prompt = Prompt("please void invoice INV-1044")
    first = consult(expert, prompt, "billing")
    error = {"error": {"kind": "conflict", "message": "it is part paid", "hint": "ask accounting"}}
    last = consult(expert, answered(prompt, first, error, ok=False), "billing")
    assert last.tool_calls == []
    assert "Void invoice did not work: it is part paid" in str(last.text)
    assert "sk accounting" in str(last.text)


def test_a_missing_amount_is_asked_for_and_the_answer_completes_the_request(
    expert: EmbeddedExpert,
) -> None:
    asked = consult(expert, Prompt("refund INV-1042"), "billing")
    assert asked.tool_calls == []
    assert status(asked) == "ask"
    before = turn("refund INV-1042", "billing", [], str(asked.text))
    reply = consult(expert, Prompt("40 euros", history=[before]), "billing")
    assert calls(reply) == [("issue_refund", {"invoice_id": "INV-1042", "amount": 40.0})]


@pytest.mark.parametrize(
    "text",
    [
        "should we refund INV-1042?",
        "don't refund 40 on INV-1042",
        "INV-1042 was refunded 40 euros last week",
        "what happens if we refund 40 on INV-1042",
        "can INV-1042 still be refunded?",
        "was INV-1042 voided?",
        "the customer claims INV-1042 was voided",
        "who may void INV-1042?",
    ],
)
def test_no_effect_without_a_clear_demand(expert: EmbeddedExpert, text: str) -> None:
    assert not EFFECTS & {name for name, _ in calls(consult(expert, Prompt(text), "billing"))}


def test_between_several_records_the_user_chooses(expert: EmbeddedExpert) -> None:
    many = turn("overdue?", "billing", [("list_overdue", {})], "count: 2 - INV-1009 - INV-1019")
    reply = consult(expert, Prompt("void it", history=[many]), "billing")
    assert not EFFECTS & {name for name, _ in calls(reply)}


@pytest.mark.parametrize("text", ["what about ORD-2003?", "no, I meant ORD-2003", "and 2003?"])
def test_follow_ups_repeat_the_look_up(expert: EmbeddedExpert, text: str) -> None:
    reply = consult(expert, Prompt(text, history=[ORDER]), "orders")
    assert calls(reply) == [("get_order", {"order_id": "ORD-2003"})]


def test_a_follow_up_keeps_what_it_does_not_change(expert: EmbeddedExpert) -> None:
    made = ("report_revenue", {"month": "2026-05", "group_by": "customer"})
    before = turn("revenue in May by customer", "analytics", [made], "month: 2026-05")
    reply = consult(expert, Prompt("and in April?", history=[before]), "analytics")
    assert calls(reply) == [("report_revenue", {"month": "2026-04", "group_by": "customer"})]


def test_relative_months_count_from_the_companys_own_today(expert: EmbeddedExpert) -> None:
    reply = consult(expert, Prompt("churn of last month"), "analytics")
    assert calls(reply) == [("report_churn", {"month": "2026-05"})]


def test_a_recalled_lesson_sets_an_argument_that_the_user_left_open(expert: EmbeddedExpert) -> None:
    note = lesson("issue_refund", "reason", "GOODWILL-7")
    reply = consult(expert, Prompt("refund 40 euros on INV-1042", note=note), "billing")
    assert calls(reply)[0][1]["reason"] == "GOODWILL-7"


def test_a_recalled_requirement_without_a_value_asks_back(expert: EmbeddedExpert) -> None:
    note = lesson("issue_refund", "reason", "", rule="require")
    reply = consult(expert, Prompt("refund 40 euros on INV-1042", note=note), "billing")
    assert reply.tool_calls == []
    assert "reason" in str(reply.text)


def test_an_unknown_expert_fails_plainly(expert: EmbeddedExpert) -> None:
    assert status(consult(expert, Prompt("hello"), "astrology")) == "failed"


@settings(max_examples=20)
@given(
    amount=st.decimals(min_value="0.01", max_value=99_999, places=2, allow_nan=False),
    invoice=st.integers(1000, 9999),
)
def test_values_of_an_effect_come_from_the_text(
    expert: EmbeddedExpert, amount: Decimal, invoice: int
) -> None:
    text = f"please refund {amount} EUR on INV-{invoice}"
    wanted = {"invoice_id": f"INV-{invoice}", "amount": float(amount)}
    assert calls(consult(expert, Prompt(text), "billing")) == [("issue_refund", wanted)]


@settings(max_examples=25)
@given(text=st.text(alphabet="refund voidcancel INVORD-0123456789 .,?it", max_size=60))
def test_no_text_makes_an_effect_with_values_from_nowhere(
    expert: EmbeddedExpert, text: str
) -> None:
    for name, args in calls(consult(expert, Prompt(text), "billing")):
        if name in EFFECTS:
            assert str(args["invoice_id"]).removeprefix("INV-") in text
            assert "amount" not in args or any(char.isdigit() for char in text)
