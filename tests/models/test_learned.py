"""What a file of a learned model holds: numbers in half precision, or in eight bits with scales."""

import numpy as np

from models.learned import unscaled


def test_numbers_in_eight_bits_come_back_near_what_they_were() -> None:
    values = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    scale = np.abs(values).max(axis=0, keepdims=True) / 127
    kept = np.round(values / scale).astype(np.int8)
    found = unscaled({"weight": kept, "weight.scale": scale, "offset": values[0]})
    assert set(found) == {"weight", "offset"}
    assert np.abs(found["weight"] - values).max() <= scale.max() / 2 + 1e-6
    assert np.array_equal(found["offset"], values[0])
    assert all(one.dtype == np.float32 for one in found.values())
