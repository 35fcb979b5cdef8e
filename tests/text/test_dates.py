"""Days and spans in English text: as somebody means them on a given day, and never upside down."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.dates import Period, periods

TODAY = date(2026, 6, 30)  # a Tuesday
DAYS = st.dates(date(1990, 1, 1), date(2090, 12, 31))
AHEAD = st.sampled_from([None, True, False])
WRITTEN = (
    "from to until since before after for in on the of next last this and - , first second 3 31st 0"
    " 29 february may march 2026 2026-06-30 2026-02-30 1/13 31/02/2026 monday sat weekend q1 week"
    " days two weeks months ago now end quarter christmas tomorrow couple \u017funday f\u0131ve"
)
PIECES = st.sampled_from(WRITTEN.split())


def spans(text: str, *, ahead: bool | None = None) -> list[tuple[str, str]]:
    """First and last day of each period, "" where it is open."""
    return [
        (str(one.first or ""), str(one.last or "")) for one in periods(text, TODAY, ahead=ahead)
    ]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("today", "2026-06-30", "2026-06-30"),
        ("tomorrow, please", "2026-07-01", "2026-07-01"),
        ("yesterday", "2026-06-29", "2026-06-29"),
        ("the day after tomorrow", "2026-07-02", "2026-07-02"),
        ("in three days", "2026-07-03", "2026-07-03"),
        ("two weeks ago", "2026-06-16", "2026-06-16"),
        ("on Friday", "2026-07-03", "2026-07-03"),
        ("next Tuesday", "2026-07-07", "2026-07-07"),
        ("last Friday", "2026-06-26", "2026-06-26"),
        ("next week", "2026-07-06", "2026-07-12"),
        ("the weekend", "2026-07-04", "2026-07-05"),
        ("last month", "2026-05-01", "2026-05-31"),
        ("this year", "2026-01-01", "2026-12-31"),
        ("last quarter", "2026-01-01", "2026-03-31"),
        ("Q2", "2026-04-01", "2026-06-30"),
        ("the end of the month", "2026-06-30", "2026-06-30"),
        ("the first week of July", "2026-07-01", "2026-07-07"),
        ("May 3rd", "2026-05-03", "2026-05-03"),
        ("3/5/2026", "2026-05-03", "2026-05-03"),
        ("in 2024", "2024-01-01", "2024-12-31"),
        ("from 3 to 9 May", "2026-05-03", "2026-05-09"),
        ("3 May to 9 May", "2026-05-03", "2026-05-09"),
        ("between 2 and 5 July", "2026-07-02", "2026-07-05"),
        ("for three days from Monday", "2026-07-06", "2026-07-08"),
        ("the last two weeks", "2026-06-16", "2026-06-30"),
        ("from Monday to Wednesday", "2026-07-06", "2026-07-08"),
        ("since March", "2026-03-01", ""),
        ("from Friday on", "2026-07-03", ""),
        ("until Friday", "", "2026-07-03"),
    ],
)
def test_words_are_counted_from_today(text: str, first: str, last: str) -> None:
    assert spans(text) == [(first, last)]


@pytest.mark.parametrize(
    "text",
    ["I may come", "may we cancel it?", "You may, or may not", "it sat there for ages, my friend",
     "12.50 EUR", "31 June", "2026-02-30", "room 2026", "the second one", ""],
)  # fmt: skip
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize("text", ["in May", "last May", "May 2026", "what you may do in May"])
def test_may_is_a_month_where_a_month_can_stand(text: str) -> None:
    assert spans(text) == [("2026-05-01", "2026-05-31")]


@pytest.mark.parametrize(
    ("ahead", "day"), [(True, "2027-05-03"), (False, "2026-05-03"), (None, "2026-05-03")]
)
def test_a_day_without_a_year_lies_where_the_request_looks(ahead: bool | None, day: str) -> None:
    assert spans("on 3 May", ahead=ahead) == [(day, day)]


@given(DAYS, DAYS, AHEAD)
def test_iso_days_come_back_as_they_were_written(
    day: date, today: date, ahead: bool | None
) -> None:
    text = f"what is due on {day}?"
    assert periods(text, today, ahead=ahead) == [Period(day, day, "day", 15, 25)]


@given(DAYS, st.integers(0, 400), DAYS)
def test_two_iso_days_are_one_span(first: date, length: int, today: date) -> None:
    last = first + timedelta(days=length)
    (found,) = periods(f"from {first} to {last}", today)
    assert (found.first, found.last, found.unit) == (first, last, "day")


@given(st.text(max_size=120) | st.lists(PIECES, max_size=10).map(" ".join), DAYS, AHEAD)
def test_no_text_breaks_it_and_no_period_is_upside_down(
    text: str, today: date, ahead: bool | None
) -> None:
    stop = 0
    for one in periods(text, today, ahead=ahead):
        assert one.first or one.last
        assert not (one.first and one.last) or one.first <= one.last
        assert stop <= one.start < one.stop <= len(text)
        stop = one.stop


@given(DAYS)
def test_weeks_months_and_years_meet_without_a_gap(today: date) -> None:
    for unit in ("week", "month", "quarter", "year"):
        (last,), (this,), (following,) = (
            periods(f"{word} {unit}", today) for word in ("last", "this", "next")
        )
        assert last.last and this.first and this.last and following.first
        assert this.first <= today <= this.last
        assert last.last + timedelta(days=1) == this.first
        assert this.last + timedelta(days=1) == following.first
