"""Follow-ups: what points back, what goes on with a change, and what is off topic all the same."""

import json
from typing import Any

import pytest

from models.embedded.expert import EmbeddedExpert
from models.embedded.router import EmbeddedRouter
from state import TurnRecord
from tests.models.embedded.rooms import SPECS, Prompt, answered, calls, consult, plan, turn

ORDER = turn(
    "where is ORD-2076",
    "orders",
    [("get_order", {"order_id": "ORD-2076"})],
    "ORD-2076: invoices: INV-1048 (open); customer: Granite Peak Outfitters Inc; status: shipped",
)
LISTED = turn(
    "invoices of Lindqvist Vard",
    "billing",
    [("list_invoices", {"customer": "Lindqvist Vard"})],
    "count: 2 invoices:\n- INV-1037: amount: 750.00 EUR\n- INV-1038: amount: 2673.00 EUR",
)
VOIDED = turn(
    "void INV-1050",
    "billing",
    [("void_invoice", {"invoice_id": "INV-1050"})],
    "Done: void invoice. INV-1050: status: void",
)
REFUNDED = turn(
    "refund 90 euros on INV-1035 because two seats were idle",
    "billing",
    [("issue_refund", {"invoice_id": "INV-1035", "amount": 90.0, "reason": "two seats were idle"})],
    "Done: issue refund. REF-3011: amount: 90.00 EUR",
)
MOVED = turn(
    "send ORD-2087 to Lendkai 99, 8020 Graz, AT",
    "orders",
    [("change_address", {"order_id": "ORD-2087", "address": "Lendkai 99, 8020 Graz, AT"})],
    "Done: change address. ORD-2087",
)
RECORDS = {
    "count": 2,
    "invoices": [
        {"id": "INV-1038", "status": "open", "amount": 2673.0, "paid": 2000.0},
        {"id": "INV-1037", "status": "paid", "amount": 750.0, "paid": 750.0},
    ],
}


def stored(record: TurnRecord, artifact: str) -> TurnRecord:
    """The turn with its results kept."""
    for module in record["modules"]:
        for call in module["calls"]:
            call["artifact"] = artifact
    return record


def routed(router: EmbeddedRouter, text: str, *history: TurnRecord) -> list[str]:
    return [one["name"] for one in plan(router, Prompt(text, [*history]))["experts"]]


@pytest.mark.parametrize(
    ("text", "expert_name", "call"),
    [
        ("and 2081?", "orders", ("get_order", {"order_id": "ORD-2081"})),
        ("when was the bill for it due", "billing", ("get_invoice", {"invoice_id": "INV-1048"})),
    ],
)
def test_a_record_is_found_by_a_bare_number_or_by_what_it_belongs_to(
    router: EmbeddedRouter, expert: EmbeddedExpert, text: str, expert_name: str, call: object
) -> None:
    prompt = Prompt(text, [ORDER])
    found = plan(router, prompt)["experts"]
    assert [one["name"] for one in found] == [expert_name]
    assert calls(consult(expert, prompt, expert_name, found[0]["question"])) == [call]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("show me the one that's partly paid", ("get_invoice", {"invoice_id": "INV-1038"})),
        ("open the smaller one", ("get_invoice", {"invoice_id": "INV-1037"})),
        ("open the former one", ("get_invoice", {"invoice_id": "INV-1038"})),
        ("the cheaper one, what happened with it", ("get_invoice", {"invoice_id": "INV-1037"})),
        (
            "75 euros back on the smaller one, a key was defective",
            (
                "issue_refund",
                {"invoice_id": "INV-1037", "amount": 75.0, "reason": "a key was defective"},
            ),
        ),
    ],
)
def test_one_of_a_list_is_picked_from_the_stored_result(
    expert: EmbeddedExpert, text: str, wanted: tuple[str, dict[str, Any]]
) -> None:
    prompt = Prompt(text, [stored(LISTED, "art_1")])
    tools = [*(one.openai_schema() for one in SPECS.values()), RECALL]
    first = expert.bind_tools(tools).invoke(prompt.of("expert", expert="billing", question=text))
    assert calls(first) == [("recall_artifact", {"id": "art_1"})]
    seen = f"[art_1, characters 0-9 of 9; the end]\n{json.dumps(RECORDS)}"
    told = answered(prompt, first, seen)
    last = expert.bind_tools(tools).invoke(told.of("expert", expert="billing", question=text))
    assert calls(last) == [wanted]


RECALL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "recall_artifact",
        "description": "Read an earlier result.",
        "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
    },
}


@pytest.mark.parametrize("text", ["undo that please", "put it back", "on reflection keep it"])
def test_a_change_is_undone_by_its_compensation(expert: EmbeddedExpert, text: str) -> None:
    found = calls(consult(expert, Prompt(text, [VOIDED]), "billing"))
    assert found == [("reopen_invoice", {"invoice_id": "INV-1050"})]


@pytest.mark.parametrize("text", ["could it be undone?", "keep it as it is", "was it a mistake?"])
def test_a_question_or_a_remark_undoes_nothing(expert: EmbeddedExpert, text: str) -> None:
    found = calls(consult(expert, Prompt(text, [VOIDED]), "billing"))
    assert not [name for name, _ in found if SPECS[name].effect != "read_only"]


def test_a_further_sum_repeats_the_refund(expert: EmbeddedExpert) -> None:
    prompt = Prompt("another 45 on top, a third seat was idle too", [REFUNDED])
    [(name, args)] = calls(consult(expert, prompt, "billing"))
    assert (name, args["invoice_id"], args["amount"]) == ("issue_refund", "INV-1035", 45.0)
    assert "third seat" in args["reason"]


def test_a_house_number_corrects_the_last_address(expert: EmbeddedExpert) -> None:
    prompt = Prompt("sorry, number 97, the rest is right", [MOVED])
    wanted = {"order_id": "ORD-2087", "address": "Lendkai 97, 8020 Graz, AT"}
    assert calls(consult(expert, prompt, "orders")) == [("change_address", wanted)]


@pytest.mark.parametrize(
    "text",
    [
        "by the way, what's the weather in Hamburg tomorrow?",
        "order me a pizza",
        "cancel my gym membership",
        "can you cancel the meeting with Tom",
        "write me a poem about it",
    ],
)
@pytest.mark.parametrize("record", [ORDER, VOIDED])
def test_off_topic_stays_so_in_a_conversation(
    router: EmbeddedRouter, expert: EmbeddedExpert, text: str, record: TurnRecord
) -> None:
    found = plan(router, Prompt(text, [record]))["experts"]
    made = [
        call
        for one in found
        for call in calls(consult(expert, Prompt(text, [record]), one["name"], one["question"]))
    ]
    assert made == []


def test_a_choice_among_named_customers_completes_the_request(
    router: EmbeddedRouter, expert: EmbeddedExpert
) -> None:
    asked = turn(
        "which orders does Brightwater have?",
        "orders",
        [("list_orders", {"customer": "Brightwater"})],
        "Which one do you mean: CUS-002 Brightwater Labs Ltd, CUS-003 Brightwater Logistics Ltd?",
    )
    prompt = Prompt("the Logistics ones", [asked])
    [found] = plan(router, prompt)["experts"]
    made = calls(consult(expert, prompt, found["name"], found["question"]))
    assert made == [("list_orders", {"customer": "Brightwater Logistics Ltd"})]


def test_an_unclear_customer_is_asked_about(expert: EmbeddedExpert) -> None:
    prompt = Prompt("which orders does Brightwater have?")
    first = consult(expert, prompt, "orders")
    hint = "ask which one is meant: CUS-002 Brightwater Labs Ltd, CUS-003 Brightwater Logistics Ltd"
    error = {"error": {"kind": "conflict", "message": "2 customers", "hint": hint}}
    last = consult(expert, answered(prompt, first, error, ok=False), "orders")
    assert last.additional_kwargs["finding_status"] == "ask"
    assert str(last.text).endswith("CUS-003 Brightwater Logistics Ltd?")


def test_a_further_sum_for_another_record_is_a_refund_too(expert: EmbeddedExpert) -> None:
    prompt = Prompt("and another 45 on their first one, INV-1002, same story", history=[REFUNDED])
    [(name, args)] = calls(consult(expert, prompt, "billing"))
    assert (name, args["invoice_id"], args["amount"]) == ("issue_refund", "INV-1002", 45.0)
