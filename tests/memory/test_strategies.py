"""Strategies: what holds for all of them, and what sets each apart."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from configs.sections import FoldStrategy
from memory.strategies import STRATEGIES, WITHOUT_LINES, Level, Piece, Room

NAMES = sorted(STRATEGIES)


def piece(turn: int, verbatim: int | None = 100, said: int = 20, **more: float | bool) -> Piece:
    sizes: dict[Level, int] = {"paragraph": 2 * said, "said": said, "mention": said // 2}
    if verbatim is not None:
        sizes["verbatim"] = verbatim
    return Piece(turn, sizes, **more)  # type: ignore[arg-type]


def tokens(pieces: list[Piece], levels: list[Level]) -> int:
    pairs = zip(pieces, levels, strict=True)
    return sum(one.sizes[level] for one, level in pairs if level != "gone")


@st.composite
def threads(draw: st.DrawFn) -> list[Piece]:
    """Folded turns, then turns of the history, as a fold meets them."""
    folded = draw(st.integers(0, 12))
    count = folded + draw(st.integers(1, 12))
    pieces = []
    for turn in range(count):
        said = draw(st.integers(0, 40))
        sizes: dict[Level, int] = {}
        if said:
            sizes |= {"paragraph": said + draw(st.integers(0, 40)), "said": said}
            sizes["mention"] = draw(st.integers(1, said))
        if turn >= folded:
            sizes["verbatim"] = draw(st.integers(1, 300))
        weight, near = draw(st.floats(0, 50)), draw(st.floats(-1, 1))
        pieces.append(Piece(turn, sizes, weight, draw(st.booleans()), near))
    return pieces


rooms = st.builds(Room, verbatim=st.integers(0, 600), folded=st.integers(0, 600))


@pytest.mark.parametrize("name", NAMES)
@given(pieces=threads(), room=rooms)
def test_the_newest_turn_stays_and_all_others_fit_the_room(
    name: FoldStrategy, pieces: list[Piece], room: Room
) -> None:
    levels = STRATEGIES[name](pieces, room)
    newest = pieces[-1].sizes["verbatim"]
    assert levels[-1] == "verbatim"
    assert tokens(pieces, levels) <= max(room.total, newest)


@pytest.mark.parametrize("name", NAMES)
@given(pieces=threads(), room=rooms)
def test_a_turn_only_gets_a_level_that_it_has_and_the_same_input_the_same_answer(
    name: FoldStrategy, pieces: list[Piece], room: Room
) -> None:
    levels = STRATEGIES[name](pieces, room)
    assert levels == STRATEGIES[name](list(pieces), room)
    for one, level in zip(pieces, levels, strict=True):
        assert level == "gone" or level in one.sizes


@pytest.mark.parametrize("name", NAMES)
def test_with_room_for_everything_nothing_that_was_verbatim_is_lost(name: FoldStrategy) -> None:
    pieces = [piece(turn) for turn in range(5)]
    assert "gone" not in STRATEGIES[name](pieces, Room(1000, 1000))


def test_fifo_keeps_an_unbroken_run_of_the_newest_turns_in_the_whole_room() -> None:
    levels = STRATEGIES["fifo"]([piece(turn) for turn in range(6)], Room(100, 250))
    assert levels == ["gone"] * 3 + ["verbatim"] * 3


def test_selective_retention_prefers_what_is_near_the_question_over_what_is_recent() -> None:
    pieces = [piece(turn, similarity=0.9 if turn == 1 else 0.1) for turn in range(6)]
    levels = STRATEGIES["selective"](pieces, Room(100, 200))
    assert [turn for turn, level in enumerate(levels) if level == "verbatim"] == [1, 4, 5]


def test_without_vectors_selective_retention_keeps_the_newest() -> None:
    levels = STRATEGIES["selective"]([piece(turn) for turn in range(4)], Room(100, 100))
    assert levels == ["gone", "gone", "verbatim", "verbatim"]


def test_ranked_retention_keeps_pins_first_then_weight_and_recency_together() -> None:
    pieces = [piece(turn, weight=9.0 if turn == 2 else 1.0, pinned=turn == 0) for turn in range(6)]
    levels = STRATEGIES["ranked"](pieces, Room(100, 200))
    assert [turn for turn, level in enumerate(levels) if level == "verbatim"] == [0, 4, 5]
    levels = STRATEGIES["ranked"](pieces, Room(100, 300))
    assert levels[2] == "verbatim"


def test_importance_keeps_what_says_most_per_token_however_old_it_is() -> None:
    pieces = [piece(turn, said=20, weight=30.0 if turn in (1, 3) else 2.0) for turn in range(8)]
    levels = STRATEGIES["importance"](pieces, Room(100, 40))
    assert [turn for turn, level in enumerate(levels) if level == "said"] == [1, 3]
    assert [turn for turn, level in enumerate(levels) if level == "verbatim"] == [7]


def test_importance_keeps_the_first_user_message_when_it_says_little() -> None:
    pieces = [piece(turn, weight=float(turn), pinned=turn == 0) for turn in range(8)]
    levels = STRATEGIES["importance"](pieces, Room(100, 40))
    assert levels[0] == "said"


def test_summaries_reach_back_as_far_as_there_is_room() -> None:
    levels = STRATEGIES["summarise"]([piece(turn) for turn in range(6)], Room(100, 80))
    assert levels == ["gone", "gone", "gone", "paragraph", "paragraph", "verbatim"]


def test_a_pyramid_is_verbatim_at_its_foot_then_paragraphs_then_one_abstract() -> None:
    levels = STRATEGIES["pyramid"]([piece(turn) for turn in range(12)], Room(200, 160))
    assert levels == ["mention"] * 8 + ["paragraph"] * 2 + ["verbatim"] * 2


@pytest.mark.parametrize("name", sorted(WITHOUT_LINES))
def test_a_line_of_a_folded_turn_is_no_turn_as_it_was(name: FoldStrategy) -> None:
    pieces = [piece(0, verbatim=None), piece(1)]
    assert STRATEGIES[name](pieces, Room(100, 500)) == ["gone", "verbatim"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sizes", [{}, {"verbatim": 5000}])
def test_one_turn_larger_than_the_room_is_kept(
    name: FoldStrategy, sizes: Mapping[Level, int]
) -> None:
    pieces = [Piece(0, sizes), Piece(1, {"verbatim": 5000})]
    assert STRATEGIES[name](pieces, Room(10, 10)) == ["gone", "verbatim"]
