"""A model's summary is used only if it is shorter, whole, and names nothing of its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.verification import objection, unknown_figures

SOURCES = (
    "#3 user: refund INV-1042 to Ana\nissue_refund {\"amount\":1200.5} -> ok #3.1\n"
    "answer: refunded 1,200.50 on March 29, 2026; the order A-17 ships on 2026-04-02"
)  # fmt: skip


def judged(text: str, limit_tokens: int = 200) -> str:
    return objection(text, SOURCES, original_tokens=80, limit_tokens=limit_tokens)


def test_a_short_summary_of_what_was_said_is_used() -> None:
    assert judged("Ana's invoice INV-1042 was refunded, 1200.50, on 29 March 2026.") == ""


@pytest.mark.parametrize("text", ["", "   ", "…", "ok", "Summary:", "\n\n\n", "none none"])
def test_an_empty_or_degenerate_summary_is_refused(text: str) -> None:
    assert judged(text).startswith("empty or degenerate")


@pytest.mark.parametrize("text", ["the the the the the the", "refund Ana " * 30])
def test_a_summary_that_repeats_itself_is_refused(text: str) -> None:
    assert judged(text).startswith("degenerate")


def test_a_summary_that_is_not_shorter_is_refused() -> None:
    long = " ".join(f"word{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(60))
    assert judged(long).startswith("not shorter")
    assert judged("Ana was refunded in full today.", limit_tokens=3).startswith("too long")


@pytest.mark.parametrize(
    ("text", "invented"),
    [
        ("The refund of 1300 for Ana is through.", ["1300"]),
        ("Invoice INV-1043 for Ana was refunded.", ["INV-1043"]),
        ("It ships on 2026-04-03 to Ana.", ["2026-04-03"]),
        ("The refund was sent to Ana twice, with ref RF9.", ["RF9"]),
    ],
)
def test_a_figure_or_id_that_the_sources_do_not_hold_is_refused(
    text: str, invented: list[str]
) -> None:
    assert unknown_figures(text, SOURCES) == invented
    assert judged(text) == f"not in its sources: {', '.join(invented)}"


@pytest.mark.parametrize(
    "text",
    [
        "1,200.5",
        "1200.50",
        "inv-1042",
        "#3",
        "29th",
        "02-04-2026",
        "A-17",
        "2026",
        "mid-2026",
        "17-day",
    ],
)
def test_another_way_of_writing_a_known_figure_is_none_of_its_own(text: str) -> None:
    assert unknown_figures(text, SOURCES) == []


def test_an_id_cannot_be_put_together_from_parts() -> None:
    assert unknown_figures("INV-17", SOURCES) == ["INV-17"]


@given(st.text(max_size=200))
def test_a_text_holds_no_figure_that_it_does_not_hold(text: str) -> None:
    assert unknown_figures(text, text) == []
