"""The embedded expert: look-ups, effects, follow-ups, and what it refuses to guess."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.embedded.grounding import ungrounded

from models.embedded.expert import EmbeddedExpert
from tests.models.embedded.rooms import Prompt, answered, calls, consult, lesson, turn

INVOICE = {
    "id": "INV-1042",
    "customer": "Blue Harbor Foods Ltd",
    "status": "paid",
    "amount": 1240.0,
    "paid": 1240.0,
    "refunded": 310.0,
    "refundable": 930.0,
    "currency": "EUR",
    "payments": [{"id": "PAY-4037", "amount": 1240.0}],
    "refunds": [],
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


def status(reply: Any) -> str:  # noqa: ANN401 - a message
    return str(reply.additional_kwargs["finding_status"])


def test_a_look_up_is_called_and_its_result_is_said(expert: EmbeddedExpert) -> None:
    prompt = Prompt("has INV-1042 been paid?")
    first = consult(expert, prompt, "billing")
    assert calls(first) == [("get_invoice", {"invoice_id": "INV-1042"})]
    last = consult(expert, answered(prompt, first, INVOICE), "billing")
    assert last.tool_calls == []
    assert status(last) == "ok"
    assert str(last.text).startswith("INV-1042: paid: 1240.00 EUR")
    assert "customer: Blue Harbor Foods Ltd" in str(last.text)


def test_a_call_is_not_read_off_its_own_answer(expert: EmbeddedExpert) -> None:
    prompt = Prompt("Who is late with their payments?")
    first = consult(expert, prompt, "billing")
    assert calls(first) == [("list_overdue", {})]
    late = {"count": 1, "invoices": [{"id": "INV-1039", "customer": "Granite Peak Outfitters Inc"}]}
    assert consult(expert, answered(prompt, first, late), "billing").tool_calls == []


def test_a_verb_names_no_record_that_an_id_belongs_to(expert: EmbeddedExpert) -> None:
    prompt = Prompt("And refund 120 euros of it because they were billed twice.", history=[SEEN])
    wanted = {"invoice_id": "INV-1042", "amount": 120.0, "reason": "they were billed twice"}
    assert calls(consult(expert, prompt, "billing")) == [("issue_refund", wanted)]


def test_the_same_prompt_gives_the_same_reply(expert: EmbeddedExpert) -> None:
    prompt = Prompt("refund 40 euros on INV-1042")
    assert (
        consult(expert, prompt, "billing").tool_calls
        == consult(expert, prompt, "billing").tool_calls
    )


def test_a_share_is_worked_out_from_the_record(expert: EmbeddedExpert) -> None:
    prompt = Prompt("and refund half of it because it was late", history=[SEEN])
    first = consult(expert, prompt, "billing")
    assert calls(first) == [("get_invoice", {"invoice_id": "INV-1042"})]
    whole = {**INVOICE, "refunded": 0.0, "refundable": 1240.0}
    second = consult(expert, answered(prompt, first, whole), "billing")
    assert calls(second) == [
        ("issue_refund", {"invoice_id": "INV-1042", "amount": 620.0, "reason": "it was late"})
    ]
    partly = consult(expert, answered(prompt, first, INVOICE), "billing")
    assert (calls(partly), status(partly)) == ([], "ask")


def test_the_rest_is_what_is_still_refundable(expert: EmbeddedExpert) -> None:
    prompt = Prompt("refund the rest of INV-1042 because all scanners were faulty")
    first = consult(expert, prompt, "billing")
    second = consult(expert, answered(prompt, first, INVOICE), "billing")
    wanted = {"invoice_id": "INV-1042", "amount": 930.0, "reason": "all scanners were faulty"}
    assert calls(second) == [("issue_refund", wanted)]


def test_nothing_is_refunded_where_nothing_is_left(expert: EmbeddedExpert) -> None:
    prompt = Prompt("refund INV-1042 in full")
    first = consult(expert, prompt, "billing")
    last = consult(expert, answered(prompt, first, {**INVOICE, "refundable": 0.0}), "billing")
    assert last.tool_calls == []
    assert "Nothing to refund" in str(last.text)


def test_an_edited_effect_is_not_proposed_again(expert: EmbeddedExpert) -> None:
    prompt = Prompt("refund 40 euros on INV-1042")
    first = consult(expert, prompt, "billing")
    first.tool_calls[0]["args"]["amount"] = 30.0
    last = consult(
        expert, answered(prompt, first, {"refund_id": "REF-1", "amount": 30.0}), "billing"
    )
    assert last.tool_calls == []
    assert "Done: issue refund. REF-1: amount: 30" in str(last.text)


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


@pytest.mark.parametrize("text", ["what is the refund policy?", "show the cancellation policy"])
def test_a_document_is_known_by_another_form_of_its_title(
    expert: EmbeddedExpert, text: str
) -> None:
    first = consult(expert, Prompt(text), "knowledge")
    assert calls(first)[0][1]["name"] in ("refunds", "cancellations")


def test_an_error_is_told_with_its_hint_and_asks_for_what_it_names(expert: EmbeddedExpert) -> None:
    prompt = Prompt("void INV-1044")
    first = consult(expert, prompt, "billing")
    error = {"error": {"kind": "conflict", "message": "it is part paid", "hint": "pass `reason`"}}
    last = consult(expert, answered(prompt, first, error, ok=False), "billing")
    assert "Void invoice did not work: it is part paid" in str(last.text)
    assert str(last.text).endswith("What is the reason?")
    assert status(last) == "ask"


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
    ],
)
def test_no_effect_without_a_clear_demand(expert: EmbeddedExpert, text: str) -> None:
    assert {name for name, _ in calls(consult(expert, Prompt(text), "billing"))} <= {"get_invoice"}


def test_it_stands_for_the_order_of_the_last_turn(expert: EmbeddedExpert) -> None:
    reply = consult(expert, Prompt("cancel it, the customer moved away", history=[ORDER]), "orders")
    reason = "the customer moved away"
    assert calls(reply) == [("cancel_order", {"order_id": "ORD-2077", "reason": reason})]


def test_between_several_records_the_user_chooses(expert: EmbeddedExpert) -> None:
    many = turn("overdue?", "billing", [("list_overdue", {})], "count: 2 - INV-1009 - INV-1019")
    reply = consult(expert, Prompt("void it", history=[many]), "billing")
    assert reply.tool_calls == []
    assert "INV-1009, INV-1019" in str(reply.text)


def test_a_list_that_was_cut_does_not_make_its_first_record_the_one_meant(
    expert: EmbeddedExpert,
) -> None:
    cut = turn("overdue?", "billing", [("list_overdue", {})], "count: 9 - INV-1009")
    reply = consult(expert, Prompt("void it", history=[cut]), "billing")
    assert reply.tool_calls == []
    assert status(reply) == "ask"


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("what about ORD-2003?", ("get_order", {"order_id": "ORD-2003"})),
        ("no, I meant ORD-2078", ("get_order", {"order_id": "ORD-2078"})),
        ("when did it leave?", ("get_order", {"order_id": "ORD-2077"})),
    ],
)
def test_follow_ups_repeat_the_look_up(
    expert: EmbeddedExpert, text: str, call: tuple[str, dict[str, str]]
) -> None:
    assert calls(consult(expert, Prompt(text, history=[ORDER]), "orders")) == [call]


def test_a_follow_up_keeps_what_it_does_not_change(expert: EmbeddedExpert) -> None:
    made = ("report_revenue", {"month": "2026-05", "group_by": "customer"})
    before = turn("revenue in May by customer", "analytics", [made], "month: 2026-05")
    reply = consult(expert, Prompt("and in April?", history=[before]), "analytics")
    wanted = {"month": "2026-04", "group_by": "customer"}
    assert calls(reply) == [("report_revenue", wanted)]
    back = consult(expert, Prompt("and the month before that?", history=[before]), "analytics")
    assert calls(back) == [("report_revenue", wanted)]


def test_relative_months_count_from_the_companys_own_today(expert: EmbeddedExpert) -> None:
    reply = consult(expert, Prompt("churn of last month"), "analytics")
    assert calls(reply) == [("report_churn", {"month": "2026-05"})]


def test_what_comes_after_an_effect_waits_for_it(expert: EmbeddedExpert) -> None:
    prompt = Prompt("Reopen INV-1033 and then show it to me")
    first = consult(expert, prompt, "billing")
    assert calls(first) == [("reopen_invoice", {"invoice_id": "INV-1033"})]
    second = consult(expert, answered(prompt, first, {"status": "open"}), "billing")
    assert calls(second) == [("get_invoice", {"invoice_id": "INV-1033"})]


def test_enumerated_records_get_a_call_each(expert: EmbeddedExpert) -> None:
    reply = consult(expert, Prompt("refund 20 on INV-1013 and 30 on INV-1022"), "billing")
    assert calls(reply) == [
        ("issue_refund", {"invoice_id": "INV-1013", "amount": 20.0}),
        ("issue_refund", {"invoice_id": "INV-1022", "amount": 30.0}),
    ]


def test_a_recalled_lesson_sets_an_argument_that_the_user_left_open(expert: EmbeddedExpert) -> None:
    note = lesson("issue_refund", "reason", "GOODWILL-7")
    reply = consult(expert, Prompt("refund 40 euros on INV-1042", note=note), "billing")
    assert calls(reply)[0][1]["reason"] == "GOODWILL-7"
    text = "refund 40 euros on INV-1042 because it broke"
    said = consult(expert, Prompt(text, note=note), "billing")
    assert calls(said)[0][1]["reason"] == "it broke"


def test_a_recalled_requirement_without_a_value_asks_back(expert: EmbeddedExpert) -> None:
    note = lesson("issue_refund", "reason", "", rule="require")
    reply = consult(expert, Prompt("refund 40 euros on INV-1042", note=note), "billing")
    assert reply.tool_calls == []
    assert "reason" in str(reply.text)


def test_a_forbidden_value_is_left_out(expert: EmbeddedExpert) -> None:
    note = lesson("issue_refund", "reason", "it broke", rule="forbid")
    text = "refund 40 euros on INV-1042 because it broke"
    reply = consult(expert, Prompt(text, note=note), "billing")
    assert "reason" not in calls(reply)[0][1]


def test_an_unknown_expert_fails_plainly(expert: EmbeddedExpert) -> None:
    assert status(consult(expert, Prompt("hello"), "astrology")) == "failed"


@given(
    amount=st.decimals(min_value="0.01", max_value=99_999, places=2, allow_nan=False),
    invoice=st.integers(1000, 9999),
)
def test_values_of_an_effect_always_come_from_the_text(
    expert: EmbeddedExpert, amount: object, invoice: int
) -> None:
    text = f"please refund {amount} EUR on INV-{invoice} because it broke"
    made = calls(consult(expert, Prompt(text), "billing"))
    assert len(made) == 1
    known = {"invoice_id": f"INV-{invoice}", "amount": float(str(amount))}
    assert made[0][1] == {**known, "reason": "it broke"}
    assert ungrounded(made[0][1], [text]) == []


@given(text=st.text(alphabet="refund voidcancel INVORD-0123456789 .,?it", max_size=60))
def test_no_text_makes_an_effect_with_values_from_nowhere(
    expert: EmbeddedExpert, text: str
) -> None:
    for _, args in calls(consult(expert, Prompt(text), "billing")):
        assert ungrounded(args, [text], {"any", "open", "paid", "void", "1"}) == []


def test_an_invented_value_is_recognised() -> None:
    said = ["refund 40 euros on INV-1042"]
    assert ungrounded({"invoice_id": "INV-1042", "amount": 40.0}, said) == []
    assert ungrounded({"invoice_id": "INV-1043", "amount": 41.0}, said) == ["invoice_id", "amount"]
    assert ungrounded({"amount": 620.0}, said, {"620.0"}) == []
