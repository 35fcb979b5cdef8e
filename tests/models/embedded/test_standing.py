"""Records that an effect only points to: the one at hand, or none."""

import pytest

from models.embedded.demand import deeds_of
from models.embedded.expert import EmbeddedExpert
from models.embedded.patterns import amounts
from models.embedded.readers import read_address, read_addresses
from models.embedded.reference import Nouns, points
from models.embedded.scene import Scene
from models.embedded.standing import strayed
from state import TurnRecord
from tests.models.embedded.rooms import Prompt, calls, consult, turn

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
RULES = turn(
    "may one cancel a packed order?",
    "knowledge",
    [("search_policies", {"query": "cancel packed"})],
    "Cancellations: until it is shipped",
)


@pytest.mark.parametrize(
    ("since", "strays"),
    [([], False), ([ASKED], True), ([FOUND_NONE], True), ([OWN_USAGE], False), ([RULES], False)],
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
