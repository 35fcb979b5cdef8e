"""The arithmetic of the injection figures, and where an attack is put."""

import pytest

from evals.bipia import Counts, count, poison
from tools.injection import Suspicion


def test_precision_is_that_of_a_mix_of_half_and_half() -> None:
    counts = Counts(poisoned=1000, found=800, clean=100, alarms=20)
    assert (counts.recall, counts.false_alarms) == (0.8, 0.2)
    assert counts.precision == pytest.approx(0.8)


def test_nothing_flagged_is_no_precision() -> None:
    assert Counts(10, 0, 10, 0).precision == 0


@pytest.mark.parametrize(
    ("place", "text"),
    [("start", "X\nOne. Two."), ("end", "One. Two.\nX"), ("middle", "One.\nX\nTwo.")],
)
def test_an_attack_is_a_line_of_its_own(place: str, text: str) -> None:
    assert poison("One. Two.", "X", place, 0) == text


def test_a_context_is_scanned_alone_and_with_each_attack_in_each_place() -> None:
    missed: dict[str, int] = {}

    def scan(text: str) -> Suspicion:
        return Suspicion(0.9 if "bad" in text else 0.1)

    counts = count("One. Two.", [("a", "bad"), ("b", "sly")], 0, scan, 0.5, missed)
    assert counts == Counts(poisoned=6, found=3, clean=1, alarms=0)
    assert missed == {"b": 3}
