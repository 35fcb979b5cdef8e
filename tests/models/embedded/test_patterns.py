"""What is read off a text without a model."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.embedded.masking import masked
from models.embedded.patterns import (
    amounts,
    dates,
    identifiers,
    months,
    number,
    shifted,
)
from models.embedded.sums import plain_numbers, with_digits

TODAY = date(2026, 6, 30)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,250.00", "1250.00"),
        ("1.250,00", "1250.00"),
        ("1 250", "1250"),
        ("75,5", "75.5"),
        ("1,200", "1200"),
        ("40", "40"),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, value: str) -> None:
    assert number(text) == Decimal(value)


@given(st.decimals(min_value=0, max_value=10**7, places=2, allow_nan=False))
def test_an_amount_survives_being_written_out(value: Decimal) -> None:
    found = amounts(f"refund ${value:,.2f} please")
    assert [one.value for one in found] == [value]


@given(st.text(max_size=200))
def test_no_text_breaks_a_reader(text: str) -> None:
    identifiers(text)
    amounts(text)
    months(text, TODAY)
    dates(text, TODAY)
    plain_numbers(text)
    masked(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("revenue in May", ["2026-05"]),
        ("you may cancel it", []),
        ("what may customers return", []),
        ("churn may + june", ["2026-05", "2026-06"]),
        ("march?", ["2026-03"]),
        ("sales of february, for the Q1 recap", ["2026-02"]),
        ("March 2025 and 2026-02", ["2025-03", "2026-02"]),
        ("January to March", ["2026-01", "2026-02", "2026-03"]),
        ("in Q2", ["2026-04", "2026-05", "2026-06"]),
        ("last month", ["2026-05"]),
        ("in November", ["2025-11"]),
    ],
)
def test_months_without_a_year_are_the_last_such_ones(text: str, found: list[str]) -> None:
    assert months(text, TODAY) == found


def test_a_share_is_kept_apart_from_a_sum() -> None:
    half, rest = amounts("refund half of INV-1001"), amounts("refund the rest")
    assert (half[0].share, half[0].remaining) == (Decimal("0.5"), False)
    assert (rest[0].share, rest[0].remaining) == (Decimal(1), True)


def test_ids_are_recognised_without_a_hyphen_only_when_their_kind_is_known() -> None:
    assert [one.text for one in identifiers("inv 1042", frozenset({"INV"}))] == ["INV-1042"]
    assert identifiers("room 1042") == []
    assert identifiers("data-retention") == []


def test_numbers_of_ids_and_dates_are_no_plain_numbers() -> None:
    assert [value for value, _ in plain_numbers("INV-1042 on 2026-05-01 for 40")] == [Decimal(40)]


def test_masking_hides_what_differs_between_two_equal_requests() -> None:
    first = masked("refund €40 on INV-1042 to a@b.example")
    assert first == masked("refund €99.50 on INV-1999 to someone@else.example")


@given(st.integers(2000, 2100), st.integers(1, 12), st.integers(-30, 30))
def test_a_month_shifted_there_and_back_is_the_same(year: int, month: int, by: int) -> None:
    text = f"{year}-{month:02d}"
    assert shifted(shifted(text, by), -by) == text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ninety euro on INV-1035", "90 euro on INV-1035"),
        ("a hundred and twenty days or more", "120 days or more"),
        ("thirty-five euros", "35 euros"),
        ("one of the two orders", "one of the two orders"),
    ],
)
def test_spelled_numbers_before_a_unit_are_digits(text: str, wanted: str) -> None:
    assert with_digits(text) == wanted
