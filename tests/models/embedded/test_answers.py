"""Answers for people: sentences and small tables, never JSON."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.embedded.answers import MOST_CHARS, MOST_ROWS, answer, declined, failure

KEYS = st.sampled_from(
    ["id", "name", "title", "status", "count", "rows", "columns", "text", "amount", "currency"]
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=20,
)
RECORDS = st.lists(
    st.dictionaries(
        KEYS.filter(lambda key: key not in ("rows", "columns", "text", "count")),
        st.text("abc ", min_size=1, max_size=8) | st.integers() | st.booleans() | st.none(),
        min_size=1,
    ),
    min_size=1,
    max_size=25,
)
CRATE = {
    "id": "CRT-0001", "owner": "Ada Holm", "status": "in_transit", "price": 1240.5,
    "currency": "EUR", "fragile": True, "stops": [{"place": "Oslo"}, {"place": "Bergen"}],
}  # fmt: skip


def say(value: object, question: str = "show me", **more: Any) -> str:  # noqa: ANN401 - as given
    return answer(json.dumps(value), question, **more)


def table_of(text: str) -> list[list[str]]:
    return [line.split(" | ") for line in text.splitlines() if " | " in line]


def crates(count: int) -> list[dict[str, Any]]:
    return [{"id": f"CRT-{n:04d}", "weight": n, "owner": f"Ada {n}"} for n in range(1, count + 1)]


def test_a_record_is_a_sentence_with_its_units() -> None:
    said = say(CRATE)
    assert said.startswith("CRT-0001: ")
    assert "price 1,240.50 EUR" in said
    assert "status in transit" in said
    assert "{" not in said
    assert "Bergen" in said


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("Is it fragile?", "Yes, CRT-0001 is fragile"),
        ("is CRT-0001 in transit?", "Yes, CRT-0001 is in transit"),
        ("show CRT-0001", "CRT-0001: "),
    ],
)
def test_a_question_that_the_record_settles_is_answered_first(question: str, begins: str) -> None:
    assert say(CRATE, question).startswith(begins)
    assert say({**CRATE, "fragile": False}, "Is it fragile?").startswith("No, CRT-0001 is not")


def test_what_the_question_names_comes_first() -> None:
    assert say(CRATE, "what is the price of CRT-0001?").startswith("CRT-0001: price 1,240.50 EUR")


def test_a_list_is_a_sentence_and_a_table() -> None:
    said = say({"count": 3, "crates": crates(3)}, "list the crates", tool="list_crates")
    assert said.splitlines()[0] == "3 crates."
    assert [len(line) for line in table_of(said)] == [3] * 5


def test_a_long_list_says_how_many_more_there_are() -> None:
    said = say({"count": 40, "crates": crates(25)}, tool="list_crates")
    assert len(table_of(said)) == MOST_ROWS + 2
    assert "30 more" in said.splitlines()[-1]
    assert "15 more" in say(crates(25)).splitlines()[-1]


@pytest.mark.parametrize("nothing", [[], {"count": 0, "crates": []}, {"crates": []}])
def test_nothing_found_is_said(nothing: object) -> None:
    said = say(nothing, "list the crates", tool="list_crates")
    assert said == "I find none: crates."


def test_rows_of_a_query_and_sections_of_a_text_are_readable() -> None:
    said = say({"columns": ["town", "crates"], "rows": [["Oslo", 2], ["Bergen", 5]]})
    assert table_of(said)[-1] == ["Bergen", "5"]
    sections = {"count": 1, "sections": [{"title": "Storage", "heading": "Fees", "text": "Free."}]}
    assert say(sections) == "Storage, Fees: Free."
    assert answer("just words", "") == "just words"


def test_an_effect_is_told_as_done() -> None:
    said = say({"crate_id": "CRT-0001", "status": "sent_back"}, tool="send_back", effect=True)
    assert said == "Done: send back. CRT-0001: status sent back."
    assert say({}, tool="send_back", effect=True) == "Done: send back."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Error. timeout: 30 s", "Send back: timeout: 30 s."),
        ('{"error": {"message": "it is away"}}', "Send back did not work: it is away."),
        (
            '{"error": {"kind": "conflict", "message": "it is gone", "hint": "ask the yard"}}',
            "Send back did not work: it is gone. Ask the yard.",
        ),
        (
            "Not run. Do not repeat this call: ask Ada first",
            "Send back was not run: ask Ada first.",
        ),
        ("Not run. Do not repeat this call.", "Send back was not run."),
    ],
)  # fmt: skip
def test_errors_and_rejections_read_as_prose(text: str, said: str) -> None:
    assert failure("send_back", text) == said
    assert declined(text) is text.startswith("Not run")


@given(RECORDS)
def test_a_table_has_as_many_cells_in_each_row_as_titles(items: list[dict[str, object]]) -> None:
    lines = table_of(say({"count": len(items), "items": items}))
    assert len({len(line) for line in lines}) <= 1


@given(JSON, st.sampled_from(["is it open?", "list them", ""]), st.booleans())
def test_no_result_breaks_it_and_no_answer_is_long(
    value: object, question: str, effect: bool
) -> None:
    assert len(say(value, question, tool="list_crates", effect=effect)) <= 4 * MOST_CHARS
    assert failure("list_crates", json.dumps(value))


@given(st.text(max_size=80))
def test_no_text_breaks_it(text: str) -> None:
    answer(text, "is it open?")
    assert failure("list_crates", text)
