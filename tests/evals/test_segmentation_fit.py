"""The regression behind the weights finds what made the data."""

import numpy as np

from evals.segmentation_fit import fit


def test_a_sign_that_makes_boundaries_likelier_gets_a_positive_weight() -> None:
    chance = np.random.default_rng(1)
    rows = chance.normal(size=(4000, 2))
    odds = 2.0 * rows[:, 0] - 1.0
    gold = (chance.random(4000) < 1 / (1 + np.exp(-odds))).astype(float)
    for_it, unrelated, constant = fit(rows, gold, np.ones(4000))
    assert abs(for_it - 2.0) < 0.2
    assert abs(unrelated) < 0.15
    assert abs(constant + 1.0) < 0.15


def test_a_weight_counts_a_sample_so_many_times() -> None:
    rows = np.array([[0.0], [1.0], [1.0]])
    gold = np.array([0.0, 1.0, 0.0])
    twice = fit(np.vstack([rows, rows[1:2]]), np.append(gold, 1.0), np.ones(4))
    assert np.allclose(fit(rows, gold, np.array([1.0, 2.0, 1.0])), twice)
