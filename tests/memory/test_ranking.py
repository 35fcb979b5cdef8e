"""The laws of ranking."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.candidates import Candidate, Place
from memory.ranking import (
    Ranked,
    Weights,
    are_twins,
    collapse_twins,
    fill_budget,
    frequency,
    hybrid,
    normalised,
    rank,
    recency,
    relevance,
)
from tests.memory.samples import candidate

finite = st.floats(-1, 1, allow_nan=False)
words = st.frozensets(st.sampled_from("abcdefgh"), max_size=6)
candidates = st.builds(
    Candidate,
    id=st.uuids().map(str),
    kind=st.sampled_from(["turn", "episode", "document", "fact"]),
    cosine=st.none() | finite,
    lexical=st.floats(0, 30, allow_nan=False),
    coverage=st.floats(0, 1, allow_nan=False),
    age_days=st.floats(-1, 5_000, allow_nan=False),
    uses=st.integers(0, 1_000),
    terms=words,
    event=st.sampled_from(["", "one", "two", "three"]),
    place=st.builds(Place, st.sampled_from(["", "t", "u"]), st.integers(0, 20)),
    name_share=st.floats(0, 1, allow_nan=False),
    by_speaker=st.booleans(),
    on_topic=st.booleans(),
)
many = st.lists(candidates, max_size=12, unique_by=lambda candidate: candidate.id)


@given(st.floats(0, 10_000), st.floats(0.1, 1_000))
def test_recency_halves_with_every_half_life(age_days: float, half_life_days: float) -> None:
    later = recency(age_days + half_life_days, half_life_days)
    assert later == pytest.approx(recency(age_days, half_life_days) / 2)


def test_an_event_in_the_future_counts_as_new() -> None:
    assert recency(-5, 30) == 1.0


@given(st.integers(0, 10_000))
def test_frequency_grows_and_stays_below_one(uses: int) -> None:
    assert frequency(uses) < frequency(uses + 1) < 1.0


@given(st.lists(finite, max_size=20))
def test_normalised_values_keep_their_order_within_zero_and_one(values: list[float]) -> None:
    result = normalised(values)
    assert all(0.0 <= value <= 1.0 for value in result)
    for left in range(len(values)):
        for right in range(len(values)):
            if values[left] < values[right]:
                assert result[left] <= result[right]


@given(many)
def test_hybrid_relevance_lies_within_zero_and_one(found: list[Candidate]) -> None:
    assert all(-1e-9 <= value <= 1.0 + 1e-9 for value in hybrid(found, Weights()))


@given(many, st.randoms())
def test_ranking_does_not_depend_on_the_order_of_candidates(
    found: list[Candidate], random: st.DataObject
) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis hands in a Random
    assert rank(shuffled, Weights()) == rank(found, Weights())


@given(many)
def test_ranked_scores_fall(found: list[Candidate]) -> None:
    ranked = rank(found, Weights())
    assert all(left.score >= right.score for left, right in pairwise(ranked))


def test_a_hit_by_words_alone_is_a_full_candidate() -> None:
    by_words = candidate("words", 0.80, lexical=9.0)
    by_meaning = candidate("meaning", 0.81)
    neither = candidate("neither", 0.79)
    ranked = rank([by_meaning, neither, by_words], Weights(cosine=0.3, lexical=0.7))
    assert [entry.candidate.id for entry in ranked] == ["words", "meaning", "neither"]


def test_the_newer_of_two_equals_comes_first() -> None:
    ranked = rank([candidate("old", age_days=300.0), candidate("new")], Weights())
    assert [entry.candidate.id for entry in ranked] == ["new", "old"]


def test_a_kind_has_its_weight() -> None:
    weights = Weights(kinds={"document": 0.1})
    ranked = rank([candidate("a", kind="document"), candidate("b")], weights)
    assert [entry.candidate.id for entry in ranked] == ["b", "a"]


def test_what_stands_beside_a_good_answer_comes_before_what_stands_alone() -> None:
    beside = candidate("beside", 0.8, place=Place("t", 2))
    alone = candidate("alone", 0.8, place=Place("t", 40))
    best = candidate("best", 0.9, place=Place("t", 1))
    ranked = rank([alone, beside, best, candidate("low", 0.7)], Weights())
    assert [entry.candidate.id for entry in ranked] == ["best", "beside", "alone", "low"]


def test_what_the_named_speaker_said_comes_first() -> None:
    theirs, other = candidate("b", 0.9, by_speaker=True), candidate("a", 0.9)
    ranked = rank([theirs, other, candidate("c", 0.8)], Weights())
    assert [entry.candidate.id for entry in ranked] == ["b", "a", "c"]


def test_what_mentions_the_question_s_rare_name_comes_first() -> None:
    mentions = candidate("b", cosine=0.5, name_share=1.0)
    ranked = rank([candidate("a", cosine=0.5), mentions], Weights())
    assert [item.candidate.id for item in ranked] == ["b", "a"]


def test_texts_that_differ_in_a_number_are_no_twins() -> None:
    shared = frozenset(f"word{at}" for at in range(60))
    word = [candidate(key, terms=shared | {key}) for key in ("north", "south")]
    number = [candidate(key, terms=shared | {key}) for key in ("17", "18")]
    assert are_twins(*word)
    assert not are_twins(*number)


def test_the_open_topic_s_domain_is_preferred_among_equals() -> None:
    ranked = rank([candidate("a"), candidate("b", on_topic=True)], Weights())
    assert [entry.candidate.id for entry in ranked] == ["b", "a"]


@given(many)
def test_relevance_lies_within_zero_and_one(found: list[Candidate]) -> None:
    assert all(-1e-9 <= value <= 1.0 + 1e-9 for value in relevance(found, Weights()))


def test_an_episode_stands_for_its_turn_and_is_no_repetition() -> None:
    turn, episode = candidate("t", event="one"), candidate("e", 0.8, kind="episode", event="one")
    (kept,) = collapse_twins(rank([turn, episode], Weights()))
    assert (kept.candidate.id, kept.twins) == ("e", 0)


def test_near_copies_are_counted() -> None:
    text = frozenset("abcdefgh")
    copies = [candidate(str(at), event=str(at), terms=text) for at in range(4)]
    (kept,) = collapse_twins(rank(copies, Weights()))
    assert kept.twins == 3


@given(many)
def test_collapsing_leaves_no_twins_and_only_given_candidates(found: list[Candidate]) -> None:
    kept = collapse_twins(rank(found, Weights()))
    assert {entry.candidate for entry in kept} <= set(found)
    assert bool(kept) == bool(found)


@given(candidates, candidates)
def test_being_twins_is_mutual(left: Candidate, right: Candidate) -> None:
    assert are_twins(left, right) == are_twins(right, left)


@given(many, st.integers(0, 300), st.integers(0, 8), st.data())
def test_the_budget_and_the_limit_are_kept(
    found: list[Candidate], budget: int, limit: int, data: st.DataObject
) -> None:
    ranked = rank(found, Weights())
    sizes = {entry.candidate.id: data.draw(st.integers(1, 120)) for entry in ranked}
    chosen = fill_budget(ranked, sizes, budget, limit=limit)
    assert sum(sizes[entry.candidate.id] for entry in chosen) <= budget
    assert len(chosen) <= limit
    assert all(left.score >= right.score for left, right in pairwise(chosen))


def test_one_long_item_does_not_push_out_three_short_ones() -> None:
    entries = [
        Ranked(candidate(key), 1.0, score) for key, score in zip("abcd", (9, 8, 7, 6), strict=True)
    ]
    sizes = {"a": 10, "b": 90, "c": 30, "d": 30}
    chosen = fill_budget(entries, sizes, 100, limit=6)
    assert [entry.candidate.id for entry in chosen] == ["a", "c", "d"]


def test_with_room_for_all_the_best_are_shown_whatever_their_length() -> None:
    entries = [
        Ranked(candidate(key), 1.0, score) for key, score in zip("abcd", (9, 8, 7, 6), strict=True)
    ]
    sizes = {"a": 50, "b": 90, "c": 1, "d": 1}
    chosen = fill_budget(entries, sizes, 1_000, limit=2)
    assert [entry.candidate.id for entry in chosen] == ["a", "b"]
