"""Picking one of several records by what is said about it."""

from datetime import date
from typing import Any

import pytest

from models.embedded.fitting import pick
from models.embedded.selection import Look, picking

TODAY = date(2026, 6, 30)
INVOICES: list[dict[str, Any]] = [
    {"id": "INV-1060", "issued_on": "2026-06-30", "status": "open", "amount": 2580.0, "paid": 0.0},
    {"id": "INV-1024", "issued_on": "2026-03-12", "status": "paid", "amount": 480.0, "paid": 480.0},
    {"id": "INV-1007", "issued_on": "2026-03-02", "status": "open", "amount": 900.0, "paid": 300.0},
]
LIST = {"count": 3, "invoices": INVOICES}


def chosen(text: str) -> list[str]:
    return pick([LIST], Look(("art_1",), picking(text), "INV"), TODAY)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("what's in the June one", ["INV-1060"]),
        ("show me the older of the two", ["INV-1007"]),
        ("the first one of those, from March", ["INV-1024"]),
        ("and the newest", ["INV-1060"]),
        ("void the open one from March please", ["INV-1007"]),
        ("the partly paid one", ["INV-1007"]),
        ("I mean the 480 one", ["INV-1024"]),
        ("the march one too", ["INV-1024", "INV-1007"]),
        ("open the January one", []),
        ("what's in the middle one?", ["INV-1024"]),
        ("I mean the one from last week", []),
        ("the top one, show me the details", ["INV-1060"]),
        ("the first one they ever got, what was in it", ["INV-1007"]),
        ("void the smaller one, that workshop never took place", ["INV-1024"]),
        ("send the one that's still open from June to 9 Lake Road", ["INV-1060"]),
    ],
)
def test_all_that_is_said_of_a_record_must_hold(text: str, ids: list[str]) -> None:
    assert chosen(text) == ids


@pytest.mark.parametrize(
    "text",
    [
        "just the open ones",
        "last month please",
        "the bill for it",
        "refund half of it",
        "cancel it",
    ],
)
def test_what_narrows_or_points_picks_none(text: str) -> None:
    assert picking(text) == ""


def test_the_other_one_is_none_that_was_talked_about() -> None:
    look = Look(("art_1",), picking("and the other one?"), "INV", ("INV-1060", "INV-1024"))
    assert pick([LIST], look, TODAY) == ["INV-1007"]


def test_records_that_were_shown_one_by_one_are_picked_by_name() -> None:
    shown = [
        {"invoice_id": "INV-1054", "customer": "Blue Harbor Foods Ltd"},
        {"invoice_id": "INV-1060", "customer": "Helix & Thorne LLP"},
    ]
    look = Look(("a", "b"), picking("the Helix one was right after all, reopen it"), "INV")
    assert pick(shown, look, TODAY) == ["INV-1060"]


def test_a_table_of_a_query_is_a_list_too() -> None:
    table = {"columns": ["id", "amount_cents"], "rows": [["INV-1033", 72000], ["INV-1041", 5000]]}
    look = Look(("a",), picking("let me have a look at the first"), "INV")
    assert pick([table], look, TODAY) == ["INV-1033"]
