"""One slip of the pen, and hours in any spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.spelling import one_slip
from text.words import with_hours


@pytest.mark.parametrize(
    ("wrong", "right", "slip"),
    [
        ("cancle", "cancel", True),
        ("refnd", "refund", True),
        ("adress", "address", True),
        ("invoise", "invoice", True),
        ("later", "late", False),
        ("past", "cost", False),
        ("cast", "cost", False),
    ],
)
def test_one_slip_lies_between_two_words(wrong: str, right: str, slip: bool) -> None:
    assert one_slip(wrong, right) is slip


@given(st.text(max_size=12), st.text(max_size=12))
def test_two_words_with_a_slip_differ_in_a_letter_of_length_at_most(one: str, other: str) -> None:
    assert not one_slip(one, other) or abs(len(one) - len(other)) <= 1


def test_an_hour_is_one_in_any_spelling() -> None:
    assert with_hours("call after 6 pm") == with_hours("call after 18:00") == "call after 18"
