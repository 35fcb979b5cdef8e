"""What stands around an item counts for it."""

from hypothesis import given
from hypothesis import strategies as st

from memory.candidates import Place
from memory.nearby import REACH, in_context

values_with_places = st.lists(
    st.tuples(
        st.floats(0, 1, allow_nan=False),
        st.builds(Place, st.sampled_from(["", "t", "u"]), st.integers(0, 30)),
    ),
    max_size=15,
)


@given(values_with_places)
def test_blended_values_lie_within_the_given_ones(found: list[tuple[float, Place]]) -> None:
    values = [value for value, _ in found]
    for blended in in_context(values, [place for _, place in found]):
        assert min(values) - 1e-9 <= blended <= max(values) + 1e-9


@given(values_with_places)
def test_no_share_changes_nothing(found: list[tuple[float, Place]]) -> None:
    values = [value for value, _ in found]
    assert in_context(values, [place for _, place in found], share=0.0) == values


def test_a_neighbour_of_a_high_value_rises_and_another_thread_s_does_not() -> None:
    places = [Place("t", 1), Place("t", 2), Place("u", 2)]
    high, beside, elsewhere = in_context([1.0, 0.0, 0.0], places)
    assert high == 0.75
    assert beside == 0.25
    assert elsewhere == 0.0


def test_reach_ends() -> None:
    _, far = in_context([1.0, 0.0], [Place("t", 0), Place("t", REACH + 1)])
    assert far == 0.0


def test_items_at_one_place_are_not_each_other_s_context() -> None:
    turn, episode = in_context([0.8, 0.8], [Place("t", 1), Place("t", 1)])
    assert turn == episode == 0.8


def test_what_has_no_thread_is_left_as_it_is() -> None:
    assert in_context([1.0, 0.4], [Place(), Place()]) == [1.0, 0.4]
