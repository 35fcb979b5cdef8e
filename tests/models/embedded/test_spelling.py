"""Slips of the pen."""

import pytest

from models.embedded.planning import Planner


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("cancle ordr ORD-2086", "cancel order ORD-2086"),
        ("wich invoise is it", "which invoice is it"),
        ("gimme the adress", "give me the address"),
        ("shiped orders", "shipped orders"),
        ("refnd 20 euros", "refund 20 euros"),
        ("Which invoices are past due as of today?", "Which invoices are overdue as of today?"),
        ("everything past its due date", "everything overdue"),
    ],
)
def test_key_words_are_mended(planner: Planner, wrong: str, right: str) -> None:
    assert planner.lexicon.speller.mended(wrong) == right


@pytest.mark.parametrize(
    "text",
    [
        "orders of otava and kestrel",
        "SELECT staus FROM ordr",
        "send it to 3 Ordr Road",
        "mail jo@refnd.example",
        "the border is where the range ends",
        "how busy was the lot at Otava, and what did they spend",
    ],
)
def test_names_code_and_other_words_stay(planner: Planner, text: str) -> None:
    assert planner.lexicon.speller.mended(text) == text
