"""Demands without a verb of their own, and words that only look like one."""

import pytest

from models.embedded.demand import demands
from models.embedded.explaining import read_reason, reason_of
from models.statements.readers import read_address, read_sql
from models.embedded.reference import Nouns, with_prefixes
from models.embedded.scene import read_scene
from models.embedded.segments import split_requests

REFUND = frozenset({"refund"})
ANA = "Ana wrote they no longer need the keys in ORD-2084"
VOID = frozenset({"void", "annul"})
CANCEL = frozenset({"cancel", "call off"})
ADDRESS = frozenset({"redirect"})
REOPEN = frozenset({"reopen", "undo"})


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("Wren & Daughters get 90 euros back on INV-1035 because two seats were idle", REFUND),
        ("INV-1018 was overcharged, send 40 euros back", REFUND),
        ("she wants 120 euros knocked off INV-1025", REFUND),
        ("don't send ORD-2088, the customer pulled out", CANCEL),
        ("would you mind cancelling ORD-2080? It was ordered twice", CANCEL),
        ("ORD-2089 can be cancelled", CANCEL),
        ("They no longer want the goods in ORD-2084", CANCEL),
        ("INV-1046 has to disappear", VOID),
        ("they were charged twice on INV-1013, so 45 euros back on it", REFUND),
        ("he receives the whole 120", REFUND),
        ("ORD-2087 cancel please", CANCEL),
        ("INV-1033 was voided by mistake", REOPEN),
        ("the client would like the keys at their new site: 3 Bay View, 20457 Hamburg", ADDRESS),
        ("ORD-2088 to Friisgatan 12, 214 21 Malmo, SE", ADDRESS),
        ("ORD-2084 -> Am Sandtorkai 30, 20457 Hamburg, DE", ADDRESS),
        ("the destination for ORD-2080 should be 300 Bank Street, K2P 1X4 Ottawa, CA", ADDRESS),
    ],
)
def test_it_is_demanded(text: str, deeds: frozenset[str]) -> None:
    assert any(demands(part, deeds) for part in (text, text.split("?")[0]))


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("Kestrel got 20 euros back on INV-1015 in May", REFUND),
        ("did we give them 50 euros back?", REFUND),
        ("can ORD-2089 be cancelled?", CANCEL),
        ("INV-1050 void", VOID),
        ("40 euros back would be too much", REFUND),
        ("was INV-1033 voided by mistake?", REOPEN),
        ("find what was sent to 3 Bay View, 20457 Hamburg", ADDRESS),
        ("they want that voided invoice live again", frozenset({"void"})),
        ("put the old address back", frozenset({"reopen", "put back"})),
        ("let me know before you cancel ORD-2077", CANCEL),
        ("don't send ORD-2088 yet", CANCEL),
        ("shipped ones for Lumen", frozenset({"ship"})),
        ("drop everything under 60 days", frozenset({"drop"})),
        ("is 300 Bank Street, K2P 1X4 Ottawa the address?", ADDRESS),
    ],
)
def test_it_is_not_demanded(text: str, deeds: frozenset[str]) -> None:
    assert not demands(text, deeds)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (
            "reroute it to Torget 3, 211 36 Malmo, SE please, they moved",
            "Torget 3, 211 36 Malmo, SE",
        ),
        ("send ORD-2085 to Corso Dante 14, 10126 Torino, IT", "Corso Dante 14, 10126 Torino, IT"),
        ("it has to go to 7 South Mall, T12 XY34 Cork", "7 South Mall, T12 XY34 Cork"),
        (
            "ship it to 5 Lake Road, 33100 Tampere, FI and tell me when INV-1049 is due",
            "5 Lake Road, 33100 Tampere, FI",
        ),
    ],
)
def test_an_address_ends_where_the_sentence_goes_on(text: str, address: str) -> None:
    assert read_address(text) == address


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("void INV-1044 since Zielona never took the seats", "Zielona never took the seats"),
        ("25 more for the postage", "postage"),
        ("90 euros, for three broken scanners", "three broken scanners"),
        ("the scanner broke as well - another 20 back", "the scanner broke as well"),
        ("Ana wrote they no longer need the keys in ORD-2084, cancel it please", ANA),
        ("cancel ORD-2077, no budget", "no budget"),
        ("refund 5 euros on INV-1013 for the customer", ""),
    ],
)
def test_a_reason_is_read_in_the_users_words(text: str, reason: str) -> None:
    assert read_reason(text, frozenset({"void", "cancel", "refund"})) == reason


def test_a_request_after_sql_is_a_request_of_its_own() -> None:
    sql = "SELECT name FROM customers WHERE a = 1 and b = 2"
    assert split_requests(f"{sql} and get me June revenue") == [sql, "get me June revenue"]


def test_what_an_arrow_says_about_sql_is_no_sql() -> None:
    assert read_sql("select a from b  <- run that for me") == "select a from b"


def test_a_bare_number_takes_the_prefix_that_such_ids_have() -> None:
    nouns = Nouns({"order": "ORD"}, {"20": "ORD"})
    assert with_prefixes("2083", read_scene([]), nouns) == "ORD-2083"


@pytest.mark.parametrize(
    ("text", "message", "why"),
    [
        ("void INV-1052", "void INV-1052 and cancel ORD-2080, the shop closed", "the shop closed"),
        ("refund 50 on INV-1002", "refund 50 on INV-1002 and 20 on INV-1028", ""),
        ("refund 27 euros on INV-1028 (double charge)", "", "double charge"),
        ("60 euros more as an apology", "", "apology"),
        ("refund 20 euros on INV-1028 for one seat not used", "", "seat not used"),
        ("Respected colleague, cancel ORD-2080", "", ""),
    ],
)
def test_a_reason_may_stand_in_brackets_or_at_the_end_of_the_message(
    text: str, message: str, why: str
) -> None:
    assert reason_of(text, message or text, {"refund", "cancel", "void"}) == why
