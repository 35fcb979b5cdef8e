"""Messages that fill in an earlier look-up anew, through router and expert."""

from typing import Any

import pytest

from models.embedded.expert import EmbeddedExpert
from models.embedded.router import EmbeddedRouter
from state import TurnRecord
from tests.models.embedded.rooms import Prompt, calls, consult, plan, turn

Calls = list[tuple[str, dict[str, Any]]]

USAGE = turn(
    "usage of Solace in February",
    "analytics",
    [("report_usage", {"month": "2026-02", "customer": "Solace"})],
    "events: 41381",
)
REVENUE = turn(
    "revenue in March by customer",
    "analytics",
    [("report_revenue", {"month": "2026-03", "group_by": "customer"})],
    "invoiced: 69258.00 EUR",
)
TWO_REPORTS = turn(
    "revenue and churn for May",
    "analytics",
    [("report_revenue", {"month": "2026-05"}), ("report_churn", {"month": "2026-05"})],
    "month: 2026-05",
)
ORDERS = turn(
    "what has Granite Peak ordered",
    "orders",
    [("list_orders", {"customer": "Granite Peak"})],
    "count: 2 orders:\n- ORD-2076: status: shipped\n- ORD-2064: status: delivered",
)
LATE = turn(
    "who is 30 days late", "billing", [("list_overdue", {"min_days": 30})], "count: 5 invoices:"
)


def made(router: EmbeddedRouter, expert: EmbeddedExpert, text: str, *turns: TurnRecord) -> Calls:
    prompt = Prompt(text, list(turns))
    parts = [(part["name"], part["question"]) for part in plan(router, prompt)["experts"]]
    return [
        call
        for name, question in dict.fromkeys(parts)
        for call in calls(consult(expert, prompt, name, question))
    ]


@pytest.mark.parametrize(
    ("text", "before", "wanted"),
    [
        ("hmm and april", USAGE, [("report_usage", {"month": "2026-04", "customer": "Solace"})]),
        ("across all customers?", USAGE, [("report_usage", {"month": "2026-02"})]),
        (
            "january the same way",
            REVENUE,
            [("report_revenue", {"month": "2026-01", "group_by": "customer"})],
        ),
        (
            "both for April",
            TWO_REPORTS,
            [("report_revenue", {"month": "2026-04"}), ("report_churn", {"month": "2026-04"})],
        ),
        (
            "just the delivered",
            ORDERS,
            [("list_orders", {"customer": "Granite Peak", "status": "delivered"})],
        ),
        (
            "only what is on its way",
            ORDERS,
            [("list_orders", {"customer": "Granite Peak", "status": "shipped"})],
        ),
        ("60+", LATE, [("list_overdue", {"min_days": 60})]),
        ("all of them, no matter how late", LATE, [("list_overdue", {})]),
    ],
)
def test_a_short_message_fills_in_the_last_look_up_anew(
    router: EmbeddedRouter, expert: EmbeddedExpert, text: str, before: TurnRecord, wanted: Calls
) -> None:
    assert made(router, expert, text, before) == wanted


@pytest.mark.parametrize("text", ["who left us in April?", "INV-1018 too"])
def test_a_request_of_its_own_is_no_repeat(
    router: EmbeddedRouter, expert: EmbeddedExpert, text: str
) -> None:
    names = [name for name, _ in made(router, expert, text, USAGE)]
    assert names
    assert "report_usage" not in names


VOIDED = turn(
    "please void INV-1050, it was billed twice",
    "billing",
    [("void_invoice", {"invoice_id": "INV-1050", "reason": "it was billed twice"})],
    "Done: void invoice. INV-1050: status: void",
)
BACK = turn(
    "oh no, undo that",
    "billing",
    [("reopen_invoice", {"invoice_id": "INV-1050"})],
    "Done: reopen invoice. INV-1050: status: open",
)


@pytest.mark.parametrize("text", ["I meant 1056", "hold on, wrong invoice, should be INV-1056"])
@pytest.mark.parametrize("turns", [[VOIDED], [VOIDED, BACK]])
def test_a_corrected_id_repeats_the_request_it_was_meant_for(
    router: EmbeddedRouter, expert: EmbeddedExpert, text: str, turns: list[TurnRecord]
) -> None:
    wanted = {"invoice_id": "INV-1056", "reason": "it was billed twice"}
    assert made(router, expert, text, *turns) == [("void_invoice", wanted)]


def test_ids_in_an_answer_go_to_the_nouns_they_belong_to(
    router: EmbeddedRouter, expert: EmbeddedExpert
) -> None:
    asked = turn("cancel an order and void its invoice", "billing", [], "Which one do you mean?")
    found = made(router, expert, "ORD-2088 and INV-1059", asked)
    assert sorted(found, key=lambda call: call[0]) == [
        ("get_order", {"order_id": "ORD-2088"}),  # a packed one needs a reason
        ("void_invoice", {"invoice_id": "INV-1059"}),
    ]


def test_a_change_asked_for_twice_in_a_message_is_proposed_once(
    router: EmbeddedRouter, expert: EmbeddedExpert
) -> None:
    text = "write INV-1009 off then, they closed the account. Void it"
    assert [name for name, _ in made(router, expert, text)] == ["void_invoice"]


def test_a_reason_is_asked_for_where_the_constraints_demand_one(
    router: EmbeddedRouter, expert: EmbeddedExpert
) -> None:
    reply = consult(expert, Prompt("refund 700 on INV-1039"), "billing")
    assert calls(reply) == []
    assert "reason" in reply.text
    asked = turn("refund 700 on INV-1039", "billing", [], reply.text)
    wanted = {"invoice_id": "INV-1039", "amount": 700.0, "reason": "two seats were never assigned"}
    assert made(router, expert, "two seats were never assigned", asked) == [
        ("issue_refund", wanted)
    ]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("knock 310 off INV-1042 please", 310.0),
        ("INV-1022 - another 120 back to them", 120.0),
    ],
)
def test_a_sum_needs_no_currency_where_it_is_to_go_back(
    router: EmbeddedRouter, expert: EmbeddedExpert, text: str, amount: float
) -> None:
    found = made(router, expert, text)
    assert [(name, args["amount"]) for name, args in found] == [("issue_refund", amount)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("could you also tell me where ORD-2077 is", [("get_order", {"order_id": "ORD-2077"})]),
        (
            "SELECT count(*) FROM orders and show me INV-1042",
            [
                ("run_query", {"sql": "SELECT count(*) FROM orders"}),
                ("get_invoice", {"invoice_id": "INV-1042"}),
            ],
        ),
        (
            "INV-1042 + the orders of Blue Harbor",
            [
                ("get_invoice", {"invoice_id": "INV-1042"}),
                ("list_orders", {"customer": "Blue Harbor"}),
            ],
        ),
        ("where's 2087? the parcel", [("get_order", {"order_id": "ORD-2087"})]),
        (
            "they did settle the licences, didn't they? INV-1028",
            [("get_invoice", {"invoice_id": "INV-1028"})],
        ),
    ],
)
def test_a_message_is_as_many_requests_as_it_asks_for(
    router: EmbeddedRouter, expert: EmbeddedExpert, text: str, wanted: Calls
) -> None:
    assert sorted(made(router, expert, text)) == sorted(wanted)


def test_an_address_alone_redirects_the_order_at_hand(
    router: EmbeddedRouter, expert: EmbeddedExpert
) -> None:
    order = turn(
        "where does ORD-2089 go",
        "orders",
        [("get_order", {"order_id": "ORD-2089"})],
        "ORD-2089: status: processing",
    )
    wanted = {"order_id": "ORD-2089", "address": "12 Bay Road, EC2M 7EB London, GB"}
    text = "to 12 Bay Road, EC2M 7EB London, GB instead please"
    assert made(router, expert, text, order) == [("change_address", wanted)]


@pytest.mark.parametrize("text", ["ok leave it. thanks!", "hi again", "hello there again"])
def test_talk_is_no_request(router: EmbeddedRouter, text: str) -> None:
    assert plan(router, Prompt(text, [USAGE]))["experts"] == []


def test_looking_is_no_demand(router: EmbeddedRouter, expert: EmbeddedExpert) -> None:
    found = made(router, expert, "let me have a look at INV-1042")
    assert found == [("get_invoice", {"invoice_id": "INV-1042"})]


MONTHLY = turn(
    "churn and revenue of June",
    "analytics",
    [("report_churn", {"month": "2026-06"}), ("report_revenue", {"month": "2026-06"})],
    "month: 2026-06",
)


@pytest.mark.parametrize("text", ["now may", "and for comparison May", "repeat that for May"])
def test_another_month_repeats_all_that_one_message_asked_of_a_month(
    expert: EmbeddedExpert, text: str
) -> None:
    found = calls(consult(expert, Prompt(text, history=[MONTHLY]), "analytics"))
    assert sorted(found) == [
        ("report_churn", {"month": "2026-05"}),
        ("report_revenue", {"month": "2026-05"}),
    ]
