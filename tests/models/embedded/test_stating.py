"""What is stated: clauses and their mood, times, values, and who is spoken of."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.embedded.facts import EmbeddedFacts, read_facts
from models.embedded.stating.clauses import clauses
from models.embedded.stating.times import stated_period, without_period
from models.embedding import shared_embedder

AT = datetime(2023, 5, 8, 12, tzinfo=UTC)  # a Monday


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("I passed it yesterday", "2023-05-07"),
        ("on 3 March 2021", "2021-03-03"),
        ("on March 3rd", "2023-03-03"),
        ("on 9 June", "2022-06-09"),
        ("am 4. Mai 2020", "2020-05-04"),
        ("on the twenty-first of March 2021", "2021-03-21"),
        ("12 marca 2021", "2021-03-12"),
        ("the second of two", None),
        ("in June 2020", "2020-06"),
        ("last month", "2023-04"),
        ("last year", "2022"),
        ("last Friday", "2023-05-05"),
        ("two years ago", "2021"),
        ("in 2019", "2019"),
        ("2020-02-30 is no day, 2020-02-28 is", "2020-02-28"),
        ("100,000 years ago", None),
        ("I may move", None),
        ("march on", None),
    ],
)
def test_times_are_counted_from_when_it_was_said(text: str, period: str | None) -> None:
    found = stated_period(text, AT)
    assert (found.name if found else None) == period


@given(st.text(max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    stated_period(text, AT)
    without_period(text)
    read_facts(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "I left Otava and joined Contoso.",
            [("employer", "Otava", True), ("employer", "Contoso", False)],
        ),
        ("still in Tampere, what is due?", [("location", "Tampere", False)]),
        ("I no longer look after Contoso", [("responsible_for", "Contoso", True)]),
        ("No more CSV, a spreadsheet please", [("report_format", "spreadsheet", False)]),
        ("Ich wohne in München.", [("location", "München", False)]),
        ("Je travaille chez Renault", [("employer", "Renault", False)]),
        ("Respóndeme en español", [("language", "español", False)]),
        ("我住在上海", [("location", "上海", False)]),
    ],
)
def test_a_statement_is_read_with_whether_it_holds(
    text: str, wanted: list[tuple[str, str, bool]]
) -> None:
    found = [(one.slot, one.value, one.ended) for one in read_facts(text)]
    assert [one for one in found if one[0] != "milestone"] == wanted


@pytest.mark.parametrize(
    "text",
    [
        "My brother lives in London.",
        "Dana says she joined Contoso",
        "I might move to Oslo",
        "if I moved to Oslo",
        "I'm in Vienna for a conference this week",
        "Where do I live?",
        "The customer wants answers in French",
        "Dana's email is dana@contoso.example",
        "show me everything we wrote on cancellations",
        "please cancel the order",
        "give me the newest 3 invoices of Solace, paid or not",
        "Translate the letter into Polish",
    ],
)
def test_others_possibilities_and_tasks_state_nothing_of_the_user(text: str) -> None:
    assert read_facts(text) == []


def test_a_question_is_left_out_and_what_stands_before_it_is_read() -> None:
    assert [clause.text for clause in clauses("I'm with support now, who is on call?")] == [
        "I'm with support now"
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I went back to Otava", ("employer", "Otava")),
        ("I returned to Lisbon", ("location", "Lisbon")),
        ("my life is in Parma now", ("location", "Parma")),
        ("I count myself to the fraud team", ("team", "fraud")),
    ],
)
def test_towns_are_told_from_companies_in_unusual_wordings(
    text: str, wanted: tuple[str, str]
) -> None:
    found = EmbeddedFacts(embedder=shared_embedder()).read(text)
    assert wanted in [(one.slot, one.value) for one in found]
