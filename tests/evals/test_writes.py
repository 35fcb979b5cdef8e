"""The arithmetic of `evals writes`, and the shape of its labelled set."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from evals.writes import outcome_of, rate
from evals.writes_data import CLASSES, Pair, load_pairs, read_pair
from evals.writes_scoring import judge
from memory.fact_history import Fact, Mention
from memory.slots import Slot

AT = datetime(2026, 1, 1, tzinfo=UTC)
TOWN = Slot(name="town", type="place", cardinality="single", description="where")
SLOTS = {"town": TOWN}
NONE_LEFT = {"current": [], "retired": ["Lyon"], "count": 0}


def pair(kind: str, current: list[str], retired: list[str], **more: Any) -> Pair:  # noqa: ANN401
    said = {"text": "I live in Lyon", "at": AT.isoformat()}
    expect = {"current": current, "retired": retired, "count": len(current)}
    line = {"id": "p", "half": "blind", "class": kind, "slot": "town", "expect": expect}
    return read_pair(line | {"first": said, "second": said} | more)


def fact(value: str, *turns: str, current: bool = True) -> Fact:
    mentions = tuple(
        Mention(turn, "town", value, value, "holds", "t", turn, value, AT, AT) for turn in turns
    )
    return Fact(value, "town", value, AT, None if current else AT, None, mentions)


@pytest.mark.parametrize(
    ("one", "facts", "wanted"),
    [
        (pair("duplicate", ["Lyon"], []), [fact("Lyon", "0", "1")], (True, None, False, False)),
        (pair("duplicate", ["Lyon"], []), [fact("Lyon", "0")], (True, None, True, False)),
        (pair("paraphrase", ["Lyon"], []), [], (False, None, True, True)),
        (
            pair("contradiction", ["Oslo"], ["Lyon"]),
            [fact("Lyon", "0", current=False), fact("Oslo", "1")],
            (True, False, None, None),
        ),
        (pair("contradiction", ["Oslo"], ["Lyon"]), [fact("Lyon", "0")], (False, True, None, None)),
        (
            pair("other_subject", ["Lyon"], []),
            [fact("Lyon", "0", current=False), fact("Oslo", "1")],
            (False, True, None, True),
        ),
        (
            pair("other_subject", ["Oslo"], []),
            [fact("Oslo", "1")],
            (True, False, None, None),
        ),
        (
            pair("additive", ["Lyon", "Oslo"], []),
            [fact("Lyon", "0"), fact("Oslo", "1")],
            (True, False, None, False),
        ),
    ],
)
def test_a_pair_is_judged_by_what_is_current_and_what_it_rests_on(
    one: Pair, facts: list[Fact], wanted: tuple[bool | None, ...]
) -> None:
    found = judge(one, facts, SLOTS)
    assert (found.right, found.merged, found.missed, found.retired) == wanted


def test_of_several_fair_readings_the_one_counts_that_fits_best() -> None:
    either = pair("contradiction", ["Oslo"], ["Lyon"], **{"or": [{"expect": NONE_LEFT}]})
    left = [fact("Lyon", "0", current=False)]
    assert judge(either, left, SLOTS).right
    assert judge(either, [*left, fact("Oslo", "1")], SLOTS).right
    assert judge(either, [fact("Lyon", "0")], SLOTS).merged


def test_rates_count_only_what_they_apply_to() -> None:
    assert rate([True, None, False, None]) == 0.5
    assert rate([None]) == 0.0


def test_the_figures_are_those_of_the_blind_half() -> None:
    missed = pair("duplicate", ["Lyon"], [])
    tuned = pair("duplicate", ["Lyon"], [], half="tune")
    judged = [
        (missed, judge(missed, [], SLOTS)),
        (tuned, judge(tuned, [fact("Lyon", "0", "1")], SLOTS)),
    ]
    figures = outcome_of(judged, []).figures
    assert (figures["pairs"], figures["missed_duplicate"]) == (2, 1.0)


def test_the_set_is_large_and_a_part_of_it_is_blind() -> None:
    pairs = load_pairs()
    halves = Counter(one.half for one in pairs)
    assert len(pairs) >= 600
    assert set(halves) == {"tune", "blind"}
    assert halves["blind"] >= 300
    assert {one.kind for one in pairs if one.half == "blind"} == set(CLASSES)
    assert len({one.id for one in pairs}) == len(pairs)
