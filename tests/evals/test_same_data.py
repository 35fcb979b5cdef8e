"""Pairs of values, labelled, and their variants."""

import random

from evals.same_data import Pair, drawn, load_pairs
from models.statements.comparing import RELATIONS

PAIRS = load_pairs()


def test_pairs_are_labelled_once_each() -> None:
    said = {(one.slot, *sorted((one.first.lower(), one.second.lower()))) for one in PAIRS}
    assert len(said) == len(PAIRS)
    assert {one.relation for one in PAIRS} == set(RELATIONS)
    assert not any("@" in one.first + one.second for one in PAIRS)


def test_who_takes_back_comes_second() -> None:
    pair = Pair("x", "preference", "keep answers short", "forget the short answers", "takes_back")
    for seed in range(20):
        (found, *_) = drawn([pair], random.Random(seed))
        assert found.first == pair.first


def test_names_keep_their_letters() -> None:
    pair = Pair("x", "employer", "Brightwater", "Brightwater Labs", "other")
    for seed in range(40):
        for found in drawn([pair, pair], random.Random(seed)):
            names = {found.first.lower(), found.second.lower()}
            assert names <= {"brightwater", "brightwater labs"}


def test_unrelated_values_of_a_slot_are_others() -> None:
    chance = random.Random(1)
    more = drawn(PAIRS[:200], chance)
    assert len(more) > 200
    assert sum(one.relation == "other" for one in more) > sum(
        one.relation == "other" for one in PAIRS[:200]
    )
