"""When the answer to one query holds the answer to another."""

import pytest

from evals.query_answers import Rows, holds


@pytest.mark.parametrize(
    ("wanted", "came"),
    [
        ([("a", 1), ("b", 2)], [("b", 2), ("a", 1)]),  # another order of rows
        ([("a", 1), ("b", 2)], [(1, "a"), (2, "b")]),  # and of columns
        ([(198.5,)], [(19850,)]),  # cents for euros
        ([("a",), ("b",)], [("a", 7), ("b", 9)]),  # a column beside
        ([(33.333333,)], [(33.33,)]),
        ([(1, 1), (2, 1)], [(1, 1), (1, 2)]),
        ([], []),
    ],
)
def test_the_same_answer_said_otherwise(wanted: Rows, came: Rows) -> None:
    assert holds(wanted, came)


@pytest.mark.parametrize(
    ("wanted", "came"),
    [
        ([("a", 1)], [("a",)]),  # a column is missing
        ([("a",)], [("a",), ("b",)]),  # a row too many
        ([("a", 1), ("b", 2)], [("a", 2), ("b", 1)]),  # the right columns, wrongly paired
        ([(100,)], [(101,)]),
        ([("a",)], []),
        ([], [("a",)]),
    ],
)
def test_another_answer(wanted: Rows, came: Rows) -> None:
    assert not holds(wanted, came)
