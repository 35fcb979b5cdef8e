"""Digests: extracts by rule, within their budget, with the words that turn a meaning round."""

from hypothesis import given
from hypothesis import strategies as st

from memory.digest import bare, sentences, statements, telling, weigh
from models.tokens import count


def test_telling_sentences_are_those_with_figures_and_names_and_keep_their_order() -> None:
    text = (
        "Hi there. The API now takes 250 ms after caching. Could you maybe help me a bit with it?"
    )
    assert telling(text, 14) == "The API now takes 250 ms after caching."


def test_a_text_within_the_budget_is_kept_whole() -> None:
    assert telling("One. Two.", 20) == "One. Two."


def test_the_opening_is_kept_when_not_even_one_sentence_fits() -> None:
    assert telling("alpha beta gamma delta epsilon zeta", 3).startswith("alpha")


def test_bare_words_keep_what_turns_a_statement_round() -> None:
    assert (
        bare("I do not want it. Ship the order before May!") == "not want. Ship order before May."
    )


def test_code_is_left_out_unless_there_is_nothing_else() -> None:
    assert sentences("Look:\n```\nx = 1\n```\nIt fails.") == ["Look:", "It fails."]
    assert sentences("```\nx = 1\n```") == ["```", "x = 1", "```"]


def test_statements_are_what_users_tell_about_themselves() -> None:
    assert statements("Show INV-7. We moved to Porto. Is my plan active?") == "We moved to Porto."


def test_corrections_results_and_figures_weigh_more() -> None:
    assert weigh("the colour is green") < weigh("no, actually the colour is green")
    assert weigh("ship the parcel") < weigh("shipped the parcel")
    assert weigh("hall forty") < weigh("hall 40")
    assert weigh("ok, thanks") <= 2.0


@given(st.text(max_size=400), st.integers(0, 60))
def test_a_digest_never_exceeds_its_budget(text: str, budget: int) -> None:
    assert count(telling(text, budget)) <= budget


def test_a_megabyte_is_digested_by_its_opening() -> None:
    assert count(telling("word 7 and more. " * 60_000, 50)) <= 50
