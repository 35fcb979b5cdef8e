"""Which of the two embedded designs an app's settings choose."""

from pathlib import Path
from typing import Any

import pytest

from configs.settings import load_settings
from models.embedded import build_embedded
from models.embedded.composer import EmbeddedComposer
from models.embedded.expert import EmbeddedExpert
from models.embedded.expert import EmbeddedExpert as WholeExpert
from models.embedded.router import EmbeddedRouter


@pytest.mark.parametrize("profile", [{"model": "small"}, {}], ids=["small", "default"])
def test_the_small_design_is_chosen_by_its_name_alone(
    profile: dict[str, Any], tmp_path: Path
) -> None:
    models = {"default": {"provider": "embedded", **profile}}
    settings = load_settings(data_dir=str(tmp_path), models=models)
    built = build_embedded(settings, ("router", "expert", "synthesizer"))
    assert isinstance(built["router"], EmbeddedRouter) == bool(profile)
    assert isinstance(built["expert"], EmbeddedExpert if profile else WholeExpert)
    assert isinstance(built["synthesizer"], EmbeddedComposer)
