"""Values of parameters from words, by their schemas alone; the test tells what words say."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.embedded.slots import Filling, segments
from tests.models.embedded.readings import TODAY, filled, parameters

CRATE = {"type": "string", "pattern": r"^CRT-\d{4}$", "description": "One crate"}
CRATES = {"type": "array", "items": CRATE}
BAY = {"type": "string", "pattern": r"^BAY-\d{2}$", "description": "One bay"}
DAY = {"type": "string", "format": "date"}
MONTH = {"type": "string", "description": "Month as YYYY-MM"}
TIME = {"type": "string", "description": "Time as HH:MM"}
PRICE = {"type": "number", "exclusiveMinimum": 0}
COUNT = {"type": "integer", "minimum": 1, "maximum": 50}
SHADE = {"enum": ["light", "dark"], "type": "string"}
NAME = {"type": "string"}
FLAG = {"type": "boolean"}


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("open CRT-0001", {"crate": "CRT-0001"}),
        ("open crt 0001 please", {"crate": "CRT-0001"}),
        ("crate 0001 to BAY-07", {"crate": "CRT-0001", "bay": "BAY-07"}),
        ("what is in BAY-07", {"bay": "BAY-07"}),
        ("refund 0001 EUR", {}),
        ("CRT-00012", {}),
    ],
)
def test_ids_are_taken_by_the_parameter_of_their_kind(text: str, args: dict[str, str]) -> None:
    assert filled(text, parameters(crate=CRATE, bay=BAY)).args == args


def test_several_ids_are_a_list_or_a_call_each() -> None:
    text = "open CRT-0001 and CRT-0002"
    assert filled(text, parameters(crates=CRATES)).args == {"crates": ["CRT-0001", "CRT-0002"]}
    one = filled(text, parameters(crate=CRATE))
    assert (one.args, one.also) == ({"crate": "CRT-0001"}, {"crate": ("CRT-0002",)})


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("from 3 to 9 July", {"start": "2026-07-03", "end": "2026-07-09"}),
        ("tomorrow", {"start": "2026-07-01", "end": "2026-07-01"}),
        ("next week", {"start": "2026-07-06", "end": "2026-07-12"}),
        ("from 3 July", {"start": "2026-07-03"}),
        ("whenever", {}),
    ],
)
def test_a_span_fills_both_of_its_ends(text: str, args: dict[str, str]) -> None:
    assert filled(text, parameters(start=DAY, end=DAY)).args == args


def test_single_days_months_and_times_are_written_as_the_tool_wants_them() -> None:
    own = parameters(on=DAY, at=TIME)
    assert filled("on 3 July at 7pm", own).args == {"on": "2026-07-03", "at": "19:00"}
    assert filled("turnover of May", parameters(month=MONTH), ahead=False).args == {
        "month": "2026-05"
    }
    both = filled("May and June", parameters(month=MONTH), ahead=False)
    assert (both.args, both.also) == ({"month": "2026-05"}, {"month": ("2026-06",)})


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("pay back 40 euros", {"price": 40.0}),
        ("pay back 40", {"price": 40.0}),
        ("pay back 1.250,00 EUR for 3 boxes", {"price": 1250.0, "boxes": 3}),
        ("3 boxes", {"boxes": 3}),
        ("pay back 40 % of it", {}),
    ],
)
def test_sums_and_counts_are_told_apart(text: str, args: dict[str, float]) -> None:
    own = parameters("price" if "pay" in text else "", price=PRICE, boxes=COUNT)
    assert filled(text, own).args == args


def test_a_count_out_of_bounds_is_none() -> None:
    assert filled("99 boxes", parameters(boxes=COUNT)).args == {}


def test_a_part_of_a_sum_is_left_to_the_record() -> None:
    found = filled("pay back half of it", parameters("price", price=PRICE))
    assert found.args == {}
    assert found.missing == ()
    assert found.part is not None
    assert (found.part[0].name, float(found.part[1].value)) == ("price", 0.5)


def test_names_options_flags_and_words_are_what_the_reader_says() -> None:
    own = parameters(owner=NAME, shade=SHADE, fragile=FLAG, reason=NAME)
    said = {
        "owner": "Ada Holm", "shade=dark": "gloomy", "fragile": "breaks",
        "reason": "as it leaks",
    }  # fmt: skip
    found = filled("the gloomy one of Ada Holm, it breaks, as it leaks", own, said)
    assert found.args == {
        "owner": "Ada Holm", "shade": "dark", "fragile": True, "reason": "as it leaks",
    }  # fmt: skip
    assert set(found.origins.values()) == {"said"}


def test_a_flag_is_denied_by_a_word_before_it() -> None:
    own, said = parameters(fragile=FLAG), {"fragile": "fragile"}
    assert filled("they are not fragile", own, said).args == {"fragile": False}


def test_nothing_said_is_nothing_filled_and_what_is_required_is_missing() -> None:
    own = parameters("crate price", crate=CRATE, price=PRICE, owner=NAME, shade=SHADE, fragile=FLAG)
    found = filled("please do it", own)
    assert found.args == {}
    assert [one.name for one in found.missing] == ["crate", "price"]


def test_what_is_said_later_wins_and_what_it_leaves_out_stays() -> None:
    own = parameters("crate price", crate=CRATE, price=PRICE)
    parts = segments("pay back 40 euros on CRT-0001, no wait, 50 euros")
    found = Filling()
    for part in parts:
        found = filled(part, own).over(found)
    assert found.args == {"crate": "CRT-0001", "price": 50.0}
    assert found.missing == ()


@given(st.dates(date(2026, 7, 1), date(2027, 12, 1)), st.integers(0, 60))
def test_two_days_come_back_as_they_were_written(first: date, length: int) -> None:
    last = first + timedelta(days=length)
    found = filled(f"free from {first} to {last}?", parameters(start=DAY, end=DAY))
    assert found.args == {"start": first.isoformat(), "end": last.isoformat()}


@given(st.integers(0, 9999), st.decimals(min_value="0.01", max_value=99_999, places=2))
def test_an_id_and_a_sum_come_back_as_they_were_written(number: int, price: object) -> None:
    found = filled(
        f"pay back {price} EUR on CRT-{number:04d}", parameters(crate=CRATE, price=PRICE)
    )
    assert found.args == {"crate": f"CRT-{number:04d}", "price": float(str(price))}


@given(st.text(alphabet="pay back CRT-0123456789 .,€%half of June at two", max_size=50))
def test_no_text_breaks_it_and_every_id_and_day_is_well_formed(text: str) -> None:
    own = parameters(
        "crate", crate=CRATE, bay=BAY, start=DAY, end=DAY, month=MONTH, at=TIME, price=PRICE,
        boxes=COUNT,
    )  # fmt: skip
    found = filled(text, own)
    digits = "".join(char for char in text if char.isdigit())
    assert str(found.args.get("crate", "CRT-"))[4:] in digits
    if {"start", "end"} <= set(found.args):
        assert date.fromisoformat(found.args["start"]) <= date.fromisoformat(found.args["end"])
    assert 0 < found.args.get("boxes", 1) <= 50
    assert found.args.get("month", TODAY.isoformat()[:7]).count("-") == 1
