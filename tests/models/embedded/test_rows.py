"""Records of tool results, and which of them words pick out."""

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.embedded.rows import Row, picked, rows_of
from models.parameters import IdShape
from text.dates import periods

CRATE = IdShape("CRT-", 4, 4)
TODAY = date(2026, 6, 30)
CRATES = [
    {"id": "CRT-0001", "name": "Ada Holm", "kind": "maple", "due": "2026-05-04", "weight": 12.5},
    {"id": "CRT-0002", "name": "Ben Okoye", "kind": "birch", "due": "2026-06-09", "weight": 40.0},
    {"id": "CRT-0003", "name": "Ada Lund", "kind": "birch", "due": "2026-06-21", "weight": 8.0},
]
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=15,
)


def pick(text: str, rows: list[Row] | None = None, *but: str) -> list[str]:
    return picked(rows or rows_of(json.dumps(CRATES)), CRATE, text, periods(text, TODAY), but=but)


@pytest.mark.parametrize(
    "result",
    [
        json.dumps(CRATES),
        json.dumps({"count": 3, "crates": CRATES}),
        json.dumps({"yard": {"north": CRATES[:1], "south": CRATES[1:]}}),
        "Quoted data:\n" + json.dumps(CRATES) + "\nend",
        json.dumps(CRATES)[:-9] + json.dumps(CRATES[2])[-9:] + ', {"id": "CRT-00',
    ],
    ids=["list", "named", "nested", "quoted", "cut"],
)
def test_records_are_found_in_order_wherever_they_stand(result: str) -> None:
    assert [key for row in rows_of(result) for key in row.ids(CRATE)] == [
        "CRT-0001", "CRT-0002", "CRT-0003",
    ]  # fmt: skip


@pytest.mark.parametrize("result", ["", "no such crate", "[]", "{}", "[1, 2]", "null", "{broken"])
def test_what_holds_no_record_gives_none(result: str) -> None:
    assert rows_of(result) == []


def test_a_record_knows_its_names_and_its_own_id_before_others() -> None:
    (row,) = rows_of('{"parent": "CRT-0009", "id": "CRT-0001", "name": "Ada Holm", "weight": 1.5}')
    assert row.ids(CRATE) == ["CRT-0001", "CRT-0009"]
    assert row.title() == "Ada Holm"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("send back the first one", ["CRT-0001"]),
        ("the second", ["CRT-0002"]),
        ("number third please", ["CRT-0003"]),
        ("open the last one", ["CRT-0003"]),
        ("the crate of Okoye", ["CRT-0002"]),
        ("the maple crate", ["CRT-0001"]),
        ("Ada's birch crate", ["CRT-0003"]),
        ("the lightest", ["CRT-0003"]),
        ("the heaviest", ["CRT-0002"]),
        ("the newest", ["CRT-0003"]),
        ("the oldest one", ["CRT-0001"]),
        ("the one of 9 June", ["CRT-0002"]),
        ("the second of those of birch", ["CRT-0003"]),
        ("Ada's", ["CRT-0001", "CRT-0003"]),
        ("send it back", ["CRT-0001", "CRT-0002", "CRT-0003"]),
    ],
)
def test_an_ordinal_a_name_a_day_or_an_extreme_picks_a_record(text: str, wanted: list[str]) -> None:
    assert pick(text) == wanted


def test_the_other_one_is_the_one_that_was_not_meant_before() -> None:
    two = rows_of(json.dumps(CRATES[:2]))
    assert pick("no, the other one", two, "CRT-0001") == ["CRT-0002"]


def test_an_ordinal_beyond_the_list_picks_none_alone() -> None:
    assert pick("the fifth") == ["CRT-0001", "CRT-0002", "CRT-0003"]
    assert pick("the first week of June") != ["CRT-0001"]


def test_a_record_that_is_shown_twice_is_one() -> None:
    assert pick("the second", rows_of(json.dumps([CRATES[0], *CRATES]))) == ["CRT-0002"]


@given(JSON, st.text(max_size=40))
def test_no_result_breaks_it_and_only_shown_ids_are_picked(value: object, text: str) -> None:
    result = json.dumps([value, CRATES[1]])
    assert set(pick(text, rows_of(result))) <= {"CRT-0002"}
    rows_of(result[: len(result) // 2])
    rows_of(text)
