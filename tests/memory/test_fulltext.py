"""What full text finds, and what cannot break it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.fulltext import coverage, excerpt, query_terms, stem, terms
from memory.sql_episodes import SqlEpisodes
from state import Scope
from tests.memory.samples import item


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("refund of invoice INV-1042", "inv-1042"),
        ("refund of invoice INV-1042", "INV1042"),
        ("refund of invoice INV-1042", "1042?"),
        ("it failed with E_CONN_42", "what was e_conn_42"),
        ("see src/billing/refunds.py for it", "refunds.py"),
        ("我住在上海", "上海"),
        ("東京に引っ越しました", "東京"),
        ("Die Zürcher Straße", "zurcher strasse"),
        ("three invoices were refunded", "invoice refund"),
        ("ΑΘΗΝΑ", "αθηνα"),
    ],
)
async def test_it_is_found(store: SqlEpisodes, ana: Scope, text: str, query: str) -> None:
    await store.scoped(ana).add([item(ana, "1", text), item(ana, "2", "something else")])
    found = await store.scoped(ana).search_text(query, 5)
    assert [match.id for match in found][:1] == [item(ana, "1", text).id]


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        '"',
        "'; DROP TABLE episodes; --",
        "a AND OR NOT (",
        "NEAR(",
        "* ^ :",
        "audience : x",
    ],
)
async def test_no_query_is_taken_for_syntax(store: SqlEpisodes, ana: Scope, query: str) -> None:
    await store.scoped(ana).add([item(ana, "1", "plain words")])
    await store.scoped(ana).search_text(query, 5)
    assert await store.scoped(ana).count() == 1


async def test_a_query_for_another_audience_key_finds_nothing(
    store: SqlEpisodes, ana: Scope, bob: Scope
) -> None:
    await store.scoped(ana).add([item(ana, "1", "plain words")])
    assert await store.scoped(bob).search_text('words" OR audience : "aud', 5) == []


@given(st.text(max_size=200))
def test_a_text_covers_itself(text: str) -> None:
    wanted = query_terms(text)
    assert coverage(wanted, set(terms(text))) == (1.0 if wanted else 0.0)


@given(st.text(max_size=300))
def test_terms_are_made_of_letters_and_digits(text: str) -> None:
    assert all(term and not set(term) & set(" \"'()*:^-_") for term in terms(text))


@given(st.from_regex(r"[a-z]{1,14}", fullmatch=True))
def test_a_stem_begins_like_its_word(word: str) -> None:
    assert word.startswith(stem(word)[:-1])


@pytest.mark.parametrize(
    ("left", "right"),
    [("invoice", "invoices"), ("refund", "refunded"), ("running", "runs"), ("city", "cities")],
)
def test_forms_of_a_word_meet(left: str, right: str) -> None:
    assert stem(left) == stem(right)


@pytest.mark.parametrize(
    ("left", "right"), [("address", "add"), ("status", "state"), ("bus", "bu")]
)
def test_different_words_do_not_meet(left: str, right: str) -> None:
    assert stem(left) != stem(right)


def test_function_words_count_only_when_there_is_nothing_else() -> None:
    assert query_terms("what is the refund") == ["refund"]
    assert query_terms("what is this") == ["what", "is", "this"]


@given(st.text(max_size=500), st.integers(1, 60))
def test_an_excerpt_is_no_longer_than_asked_but_for_its_marks(text: str, limit_chars: int) -> None:
    assert len(excerpt(text, "x", limit_chars)) <= limit_chars + 2


def test_an_excerpt_shows_the_passage_that_fits() -> None:
    text = "hay " * 500 + "the needle lies here " + "hay " * 500
    assert "needle" in excerpt(text, "needle", 80)
