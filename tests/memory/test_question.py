"""Whom a question names, and what is left of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.question import proper_names, read_question

ACTORS = ["Ana Silva", "Bob", "Zoë"]


@pytest.mark.parametrize(
    ("text", "bare", "about"),
    [
        ("What did Bob's sister say?", "What did sister say?", {"Bob"}),
        ("what did bob say", "what did say", {"Bob"}),
        ("When did Ana move?", "When did move?", {"Ana Silva"}),
        ("Does Ana Silva know Bob\N{RIGHT SINGLE QUOTATION MARK}s dog?", "Does know dog?",
         {"Ana Silva", "Bob"}),
        ("Where does Zoë live?", "Where does live?", {"Zoë"}),
        ("Who made the bobsleigh?", "Who made the bobsleigh?", set()),
    ],
)  # fmt: skip
def test_known_speakers_leave_the_text(text: str, bare: str, about: set[str]) -> None:
    question = read_question(text, ACTORS, "Ana Silva")
    assert (question.text, set(question.actors)) == (bare, about)
    assert question.named == bool(about)


def test_i_means_the_asker_but_is_no_name() -> None:
    question = read_question("When is my flight?", ACTORS, "Bob")
    assert question.actors == {"Bob"}
    assert question.text == "When is my flight?"
    assert not question.named


def test_a_name_that_is_all_there_is_stays() -> None:
    question = read_question("Who is Bob?", ACTORS, "x")
    assert (question.text, question.named) == ("Who is Bob?", True)


def test_in_a_memory_of_one_speaker_a_name_selects_nothing() -> None:
    question = read_question("Is there a local dealer?", ["local"], "local")
    assert (question.text, question.actors, question.named) == (
        "Is there a local dealer?",
        frozenset(),
        False,
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Did Northwind pay in May?", [{"northwind"}]),
        ("what became of INV-7 and order 12?", [{"inv7", "inv", "7"}]),
        ('Where was it? Nobody knows. "Ask" I said', []),
        ("the invoice of Ironwood's", [{"ironwood"}]),
    ],
)
def test_names_and_ids_are_read_from_the_writing(text: str, names: list[set[str]]) -> None:
    assert [set(name) for name in proper_names(text)] == names


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=12), max_size=4))
def test_no_text_and_no_name_stops_it(text: str, actors: list[str]) -> None:
    question = read_question(text, actors, "x")
    assert question.actors <= {*actors, "x"}
