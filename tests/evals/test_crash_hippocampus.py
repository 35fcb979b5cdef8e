"""The arithmetic of the evaluation that kills the background."""

from collections import Counter

import pytest

from evals.crash_hippocampus import figures, judge

EXPECTED = Counter({"refunded": 1, "refused": 1})


@pytest.mark.parametrize(
    ("found", "lost", "doubled"),
    [
        (Counter({"refunded": 1, "refused": 1}), 0, 0),
        (Counter({"refunded": 2, "refused": 1}), 0, 1),
        (Counter({"refused": 1}), 1, 0),
        (Counter({"refunded": 1, "refused": 1, "invented": 1}), 0, 1),
        (Counter[str](), 2, 0),
    ],
)
def test_an_episode_is_lost_or_doubled_by_what_it_says(
    found: Counter[str], lost: int, doubled: int
) -> None:
    verdict = judge("7 after commit", EXPECTED, found, 0)
    assert (verdict.lost, verdict.doubled) == (lost, doubled)


def test_figures_are_sums_over_the_points() -> None:
    verdicts = [
        judge("1 before commit", EXPECTED, EXPECTED, 0),
        judge("2 after commit", EXPECTED, Counter({"refused": 3}), 4),
    ]
    assert figures(verdicts, EXPECTED) == {
        "points": 2,
        "episodes_expected": 4,
        "episodes_lost": 1,
        "episodes_doubled": 2,
        "messages_lost": 4,
    }
