"""The arithmetic of segmentation scores, and what counts as a boundary."""

import pytest

from evals.segment_scores import Cut, pk, scores, starts, window_diff, window_of
from evals.segmentation_data import service_thread
from evals.segmentation_services import spread
from evals.sgd_dialogues import Exchange, ServiceDialogue, active_services


def cut(length: int, found: set[int], gold: set[int]) -> Cut:
    return Cut(length, frozenset(found), frozenset(gold))


def exchange(user: str, last: str, opened: str = "", active: tuple[str, ...] = ()) -> Exchange:
    return Exchange(user, "ok", last, active, ((opened, "Do"),) if opened else (), ())


def test_lengths_give_the_places_where_segments_begin() -> None:
    assert starts([4, 2, 2, 8]) == {4, 6, 8}
    assert starts([3]) == frozenset()


def test_the_window_is_half_the_mean_true_segment_and_at_least_two() -> None:
    assert window_of(16, {8}) == 4
    assert window_of(6, {2, 4}) == 2


def test_a_perfect_cut_scores_nothing_wrong() -> None:
    found = cut(16, {4, 8}, {4, 8})
    assert (pk(found), window_diff(found)) == (0.0, 0.0)
    assert scores([found]).f1 == 1.0


def test_drawing_no_boundary_is_wrong_in_every_window_that_has_one() -> None:
    assert pk(cut(8, set(), {4})) == pytest.approx(2 / 6)


def test_window_diff_counts_a_boundary_too_many_where_pk_does_not() -> None:
    found = cut(8, {4, 5}, {4})
    assert window_diff(found) > pk(found)


def test_f1_is_pooled_and_counts_exact_places() -> None:
    found = scores([cut(8, {4}, {4}), cut(8, {3}, {4})])
    assert (found.precision, found.recall, found.f1) == (0.5, 0.5, 0.5)


def test_a_dialogue_shorter_than_its_window_has_no_windows() -> None:
    assert pk(cut(1, set(), set())) == 0.0


def test_the_active_service_changes_with_the_message_that_comes_up_with_another() -> None:
    dialogue = ServiceDialogue(
        "d",
        (
            exchange("a bus please", "Buses", "Buses", ("Buses",)),
            exchange("thanks, and a car", "Buses", "Cars", ("Cars", "Buses")),
            exchange("on Friday", "Cars", "", ("Cars",)),
            exchange("bye", "Cars"),
        ),
    )
    services = active_services(dialogue)
    assert services == ["Buses", "Cars", "Cars", "Cars"]
    thread = service_thread(dialogue, [("buses",), ("cars",), (), ()], services)
    assert thread.gold == {2}
    assert [one["agent"] for one in thread.messages[:3]] == [["buses"], ["buses"], ["cars"]]


def test_a_limit_takes_dialogues_from_all_over_the_file() -> None:
    assert spread(10, None) == list(range(10))
    assert spread(10, 3) == [0, 3, 6]
    assert spread(2, 5) == [0, 1]
