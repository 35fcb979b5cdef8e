"""Sums, shares, times, parts and counts as people write them."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.embedded.mentions import mentions, number, with_digits

WRITTEN = (
    "€ $ eur 1 12 1.250,00 1,250.00 3k 5 % percent half a quarter past to 12 midnight noon at 7pm"
    " 19:30 25 the rest in full dozen couple of one two no. 12.5 - , 24:00 f\u0131ve \u017fix 1'000"
    " am p.m. o'clock twenty"
)
PIECES = st.sampled_from(WRITTEN.split())


def found(text: str) -> list[tuple[str, str]]:
    return [
        (one.measure, one.clock if one.measure == "time" else f"{one.value.normalize():f}")
        for one in mentions(with_digits(text))
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("€40", "40"),
        ("40 euros", "40"),
        ("EUR 75.50", "75.5"),
        ("75,5 €", "75.5"),
        ("1.250,00 EUR", "1250"),
        ("1,250.00 dollars", "1250"),
        ("1 250 eur", "1250"),
        ("1'000 CHF", "1000"),
        ("3k pounds", "3000"),
        ("four hundred euros", "400"),
    ],
)
def test_sums_are_read_in_every_common_spelling(text: str, value: str) -> None:
    assert found(f"please take {text} off") == [("money", value)]


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("at 7pm", "19:00"),
        ("19:30", "19:30"),
        ("at 7", "07:00"),
        ("7 o'clock", "07:00"),
        ("12am", "00:00"),
        ("12 p.m.", "12:00"),
        ("noon", "12:00"),
        ("half past 10", "10:30"),
        ("quarter to 9", "08:45"),
    ],
)
def test_times_of_day_are_read(text: str, clock: str) -> None:
    assert found(f"come {text}") == [("time", clock)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("20 % off", [("share", "20")]),
        ("7.5 percent", [("share", "7.5")]),
        ("half of it", [("part", "0.5")]),
        ("in full", [("part", "1")]),
        ("three boxes", [("number", "3")]),
        ("twenty-five boxes", [("number", "25")]),
        ("a dozen eggs", [("number", "12")]),
        ("two dozen eggs", [("number", "24")]),
        ("at 20 people", [("number", "20")]),
    ],
)
def test_shares_parts_and_counts_are_told_apart(text: str, wanted: list[tuple[str, str]]) -> None:
    assert found(text) == wanted


@pytest.mark.parametrize(
    "text", ["the first one", "no one", "INV-12", "12/05/2026", "half an hour"]
)
def test_what_is_no_measure_is_none(text: str) -> None:
    assert found(text) == []


def test_the_rest_is_of_what_is_left() -> None:
    (one,) = mentions("the rest")
    assert (one.measure, one.left) == ("part", True)


def test_what_is_taken_by_an_id_or_a_day_is_no_measure() -> None:
    assert mentions("box 12 and 40 euros", [(4, 6)])[0].value == 40


@given(st.decimals(min_value="0.01", max_value=9_999_999, places=2))
def test_a_number_is_read_in_both_groupings(value: Decimal) -> None:
    english = f"{value:,.2f}"
    continental = english.translate(str.maketrans(",.", ".,"))
    assert number(english) == number(continental) == value
    assert found(f"{english} EUR") == found(f"{continental} EUR") == found(f"{value} EUR")


@given(st.integers(0, 23), st.integers(0, 59))
def test_a_clock_time_comes_back_as_it_was_written(hour: int, minute: int) -> None:
    assert found(f"on the {hour:02d}:{minute:02d} train") == [("time", f"{hour:02d}:{minute:02d}")]


@given(st.text(max_size=60) | st.lists(PIECES, max_size=10).map(" ".join))
def test_no_text_breaks_it_and_no_mention_overlaps_another(text: str) -> None:
    plain, stop = with_digits(text), 0
    for one in mentions(plain):
        assert stop <= one.start < one.stop <= len(plain)
        assert one.measure != "time" or 0 <= one.value <= 24 * 60
        stop = one.stop
