"""Records that an effect only points to: the one at hand, or none."""

import pytest

from models.embedded.demand import deeds_of
from models.embedded.expert import EmbeddedExpert
from models.embedded.explaining import read_reason, reason_of
from models.embedded.names import names
from models.embedded.patterns import amounts
from models.embedded.planning import Planner
from models.statements.readers import read_address, read_addresses, read_query
from models.embedded.reference import Nouns, points
from models.embedded.router import EmbeddedRouter
from models.embedded.scene import Scene, read_scene
from models.embedded.standing import strayed
from models.embedded.unspoken import money_back, readdressed
from state import TurnRecord
from tests.models.embedded.rooms import TOOLS, Prompt, answered, calls, consult, plan, turn

SHOWN = turn(
    "where is ORD-2080?",
    "orders",
    [("get_order", {"order_id": "ORD-2080"})],
    "ORD-2080: status: packed; customer id: CUS-012; customer: Maple Ridge Clinics Inc",
)
ASKED = turn("Blue Harbor, whatever is left there", "orders", [], "", "Which record do you mean?")
FOUND_NONE = turn(
    "orders of Blue Harbor", "orders", [("list_orders", {"customer": "Blue Harbor"})], "count: 0"
)
OWN_USAGE = turn(
    "usage of Maple Ridge",
    "analytics",
    [("report_usage", {"customer": "Maple Ridge", "month": "2026-06"})],
    "month: 2026-06; events: 12",
)
QUERIED = turn(
    "who is Mosaik's contact?",
    "analytics",
    [("run_query", {"sql": "SELECT contact FROM customers WHERE name LIKE '%Mosaik%'"})],
    "contact: Valentin Gruber",
)
RULES = turn(
    "may one cancel a packed order?",
    "knowledge",
    [("search_policies", {"query": "cancel packed"})],
    "Cancellations: until it is shipped",
)


@pytest.mark.parametrize(
    ("since", "strays"),
    [
        ([], False),
        ([ASKED], True),
        ([FOUND_NONE], True),
        ([QUERIED], True),
        ([OWN_USAGE], False),
        ([RULES], False),
    ],
)
def test_a_turn_about_something_else_leads_away(since: list[TurnRecord], strays: bool) -> None:
    assert strayed("ORD-2080", Scene(history=(SHOWN, *since))) is strays


def test_a_question_that_is_answered_leads_nowhere() -> None:
    assert not strayed("ORD-2080", Scene(history=(SHOWN, ASKED)), answers=True)


@pytest.mark.parametrize(
    "text",
    [
        "cancel, the clinics picked another vendor",
        "then kindly cancel the same, client is having a budget freeze",
        "cancel it please, they bought a scanner elsewhere",
    ],
)
def test_an_effect_is_on_the_record_at_hand(expert: EmbeddedExpert, text: str) -> None:
    [(name, args)] = calls(consult(expert, Prompt(text, [SHOWN]), "orders"))
    assert (name, args["order_id"]) == ("cancel_order", "ORD-2080")
    asked = consult(expert, Prompt(text, [SHOWN, ASKED]), "orders")
    assert (calls(asked), asked.additional_kwargs["finding_status"]) == ([], "ask")


def test_a_demand_on_a_thing_of_its_own_points_nowhere() -> None:
    nouns = Nouns({"order": "ORD"})
    deeds = deeds_of("cancel_order", ["cancel it"], [], ["cancel_order", "get_order"])
    assert not points("cancel the meeting", nouns, deeds)
    assert points("cancel, the meeting was moved", nouns, deeds)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("send ORD-2087 to Annenstrasse 44, 8020 Graz, AT and let me know", "44, 8020 Graz, AT"),
        ("it goes to Hermiankatu 6, 33720 Tampere - their team has moved", "6, 33720 Tampere"),
        ("so send it to 88 Elgin Street, K2P 1C6 Ottawa, CA then.", "K2P 1C6 Ottawa, CA"),
        ("it has to go to their hall now, Lake Road 30, 33100 Tampere, FI.", "33100 Tampere, FI"),
    ],
)
def test_an_address_ends_where_it_is_complete(text: str, address: str) -> None:
    assert read_address(text).endswith(address)


def test_each_of_two_records_has_its_own_address() -> None:
    text = "ORD-2086 goes to Unit 11, T45 W8R2 Cork, IE and ORD-2084 to Am Kai 5, 20457 Hamburg"
    found = ["Unit 11, T45 W8R2 Cork, IE", "Am Kai 5, 20457 Hamburg"]
    assert read_addresses(text, ["ORD-2086", "ORD-2084"]) == found
    told = "ORD-2086 is at Unit 11, T45 W8R2 Cork, IE, send ORD-2084 to Am Kai 5, 20457 Hamburg"
    assert read_addresses(told, ["ORD-2086", "ORD-2084"]) == []
    both = "send ORD-2086 and ORD-2084 to Am Kai 5, 20457 Hamburg"
    assert read_addresses(both, ["ORD-2086", "ORD-2084"]) == found[1:]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("give them part of the money back", False),
        ("some of their money back please", False),
        ("refund what she has paid on it", True),
        ("pay that back, same reason", True),
    ],
)
def test_a_part_of_the_money_is_no_sum(text: str, whole: bool) -> None:
    assert bool(amounts(text)) is whole


ROWS = {
    "customer": "Mosaik Architekten GmbH",
    "orders": [
        {"id": "ORD-2087", "status": "packed", "placed_on": "2026-06-24"},
        {"id": "ORD-2071", "status": "delivered", "placed_on": "2026-04-28"},
    ],
}


def test_a_record_named_by_its_customer_is_looked_up_in_the_list(expert: EmbeddedExpert) -> None:
    prompt = Prompt("cancel the Mosaik order, they moved", [SHOWN])
    first = consult(expert, prompt, "orders")
    assert calls(first) == [("list_orders", {"customer": "Mosaik"})]
    last = consult(expert, answered(prompt, first, ROWS), "orders")
    assert calls(last) == [("cancel_order", {"order_id": "ORD-2087", "reason": "they moved"})]


@pytest.mark.parametrize(
    "text",
    [
        "cancel the Mosaik order from April, they moved",
        "cancel the Mosaik licence order, they moved",
        "cancel Mosaik's orders, both",
    ],
)
def test_what_is_said_of_a_record_must_hold_in_the_list(expert: EmbeddedExpert, text: str) -> None:
    prompt = Prompt(text)
    first = consult(expert, prompt, "orders")
    several = {"orders": [{**one, "status": "packed"} for one in ROWS["orders"]]}  # type: ignore[dict-item]
    found = several if "both" in text else ROWS
    last = consult(expert, answered(prompt, first, found), "orders")
    assert (calls(last), last.additional_kwargs["finding_status"]) == ([], "ask")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Cancel ORD-2086 and void INV-1057. Aoife ordered it twice by accident.", "twice"),
        ("cancel ORD-2086 and void INV-1057 - they have no budget left", "no budget left"),
    ],
)
def test_both_effects_have_the_reason_that_a_message_ends_with(text: str, reason: str) -> None:
    own, _, _ = text.partition(" and ")
    assert reason in reason_of(own, text, frozenset({"cancel"}))


def test_the_mistake_is_the_reason_to_undo() -> None:
    text = "INV-1033 was fine actually, it got voided by mistake. make it valid again"
    assert read_reason(text, frozenset({"undo"})) == "it got voided by mistake"


def test_what_was_told_is_demanded_by_do_that() -> None:
    told = "we promised him a third of it back because two seats were never used."
    assert money_back(f"{told} Do that") and not money_back(told)


def test_one_of_two_compared_customers_is_named_by_its_place(router: EmbeddedRouter) -> None:
    both = turn(
        "usage of Kestrel and Lindqvist in May",
        "analytics",
        [
            ("report_usage", {"customer": "Kestrel", "month": "2026-05"}),
            ("report_usage", {"customer": "Lindqvist", "month": "2026-05"}),
        ],
        "month: 2026-05; events: 12",
    )
    scene = read_scene(Prompt("the first one for June now", [both]).of("router"), TOOLS)
    (step,) = router.planner.steps("the first one for June now", scene)
    assert step.repeats == {"customer": "Kestrel", "month": "2026-05"}


def test_what_is_put_off_is_not_asked_about_again(router: EmbeddedRouter) -> None:
    asked = turn("refund Nordlicht please", "billing", [], "", "I need the invoice id. What is it?")
    found = plan(router, Prompt("Never mind then, I'll come back when I know", [asked]))
    assert found["experts"] == []


def test_a_question_for_the_rules_is_searched_whatever_it_names(expert: EmbeddedExpert) -> None:
    asked = turn(
        "do we answer on Saturdays?",
        "knowledge",
        [("search_policies", {"query": "answer Saturdays"})],
        "Support hours: weekdays",
    )
    prompt = Prompt("And can he write to them in Spanish?", [asked])
    [(name, args)] = calls(consult(expert, prompt, "knowledge"))
    assert (name, "Spanish" in args["query"]) == ("search_policies", True)
    assert read_query("and Team?") == "Team"


def test_a_name_that_is_replaced_at_once_is_not_meant(planner: Planner) -> None:
    mended = planner.lexicon.mended("latest two orders from Cafe... no wait, from Aurora Dental")
    assert mended == "latest two orders from Aurora Dental"
    assert planner.lexicon.mended("cancel ORD-2086, no wait, ORD-2087") == "cancel ORD-2087"


def test_a_customer_that_was_only_shown_is_not_talked_of(expert: EmbeddedExpert) -> None:
    shown = turn(
        "usage in January for all",
        "analytics",
        [("report_usage", {"month": "2026-01"})],
        "month: 2026-01 customers: - customer id: CUS-023; customer: Solace Insurance NV",
    )
    reply = consult(expert, Prompt("then cancel it please, they moved", [shown]), "orders")
    assert (calls(reply), reply.additional_kwargs["finding_status"]) == ([], "ask")


def test_a_trade_is_named_with_its_place() -> None:
    known = frozenset({"orders", "void", "bill", "please"})
    assert names("orders of the lawyers in London", known)[0] == "lawyers in London"


def test_what_names_a_customer_and_no_tool_is_listed(expert: EmbeddedExpert) -> None:
    listed = turn(
        "orders of Granite Peak on their way?",
        "orders",
        [("list_orders", {"customer": "Granite Peak", "status": "shipped"})],
        "customer: Granite Peak Outfitters Inc orders: - ORD-2076: status: shipped",
    )
    prompt = Prompt("Blue Harbor, whatever is still in processing there", [listed])
    [(name, args)] = calls(consult(expert, prompt, "orders"))
    assert (name, args["customer"]) == ("list_orders", "Blue Harbor")


def test_the_mistake_told_before_is_the_reason_to_undo() -> None:
    told = "I reckon INV-1041 got voided in the wrong account. Look it up and reopen it"
    assert "wrong account" in reason_of("reopen it", told, frozenset({"undo"}))


def test_where_a_record_is_sends_it_nowhere() -> None:
    assert not readdressed("ORD-2083 is at 3 Dock Road, H91 K5YD Galway, IE")
    assert readdressed("have it sent to 5 Finsbury Square, EC2A 1AE London instead")
