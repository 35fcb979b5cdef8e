"""The summariser's input never overflows its window, and no turn is left out."""

from hypothesis import given
from hypothesis import strategies as st

from memory.chunking import CUT, chunks
from memory.history import render, render_turn
from models.tokens import count
from tests.memory.samples import turn


@given(st.lists(st.integers(1, 400), min_size=1, max_size=12), st.integers(150, 900))
def test_every_turn_is_in_exactly_one_group_and_every_group_fits(
    sizes: list[int], limit: int
) -> None:
    history = [turn(number, "word " * size) for number, size in enumerate(sizes)]
    groups = chunks(history, limit)
    assert [one["index"] for group in groups for one in group] == list(range(len(sizes)))
    assert all(count(render(group)) <= limit for group in groups)


def test_what_fits_is_not_touched() -> None:
    history = [turn(number, f"question {number}") for number in range(5)]
    assert chunks(history, 10_000) == [history]


def test_a_turn_larger_than_the_window_is_cut_and_says_so() -> None:
    (group,) = chunks([turn(0, "word " * 5000)], 300)
    assert group[0]["user"].endswith(CUT)
    assert count(render_turn(group[0])) <= 300
