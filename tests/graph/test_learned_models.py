"""A look at the embedded models: sound ones pass, each broken file is named."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph import learned_models as checking
from graph.learned_models import DamagedModel, try_learned_models
from models.embedded.acts import WEIGHTS, ActReader


def test_the_models_that_come_with_the_package_pass() -> None:
    try_learned_models()


@pytest.mark.parametrize("part", ["ActReader", "Reader", "Comparer"])
@pytest.mark.parametrize("content", [None, b"", b"junk"])
def test_a_file_of_weights_that_is_gone_or_junk_is_found(
    part: str, content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "weights.npz"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr(checking, part, partial(getattr(checking, part), file))
    with pytest.raises(DamagedModel, match=r"wanted the model of .+ Install the project again"):
        try_learned_models()


def test_weights_that_give_no_probabilities_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        shapes = {name: stored[name].shape for name in stored.files}
    broken: dict[str, Any] = {name: np.full(one, np.nan, "f2") for name, one in shapes.items()}
    np.savez(tmp_path / "weights.npz", **broken)
    broken_reader = partial(ActReader, tmp_path / "weights.npz")
    monkeypatch.setattr(checking, "ActReader", broken_reader)
    with pytest.raises(DamagedModel, match="probabilities from the model of requests"):
        try_learned_models()
