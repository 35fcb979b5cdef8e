"""A small app folder of one expert, in a temporary place."""

import os
from pathlib import Path

import pytest

from tests.configs.app_folder import AppFolder


@pytest.fixture(autouse=True)
def _no_own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("HIPPOGRAPH_"):
            monkeypatch.delenv(name)


@pytest.fixture
def app(tmp_path: Path) -> AppFolder:
    folder = AppFolder(tmp_path / "app")
    folder.write_app({})
    folder.write_expert("billing")
    return folder
