"""A desk over the workshop app, in a temporary folder, opened as often as a test wants."""

import shutil
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from graph.session import Desk, open_desk
from tests.graph.plays import Play
from tests.graph.workshop import workshop
from tests.tools.parts import SetClock

OpenDesk: TypeAlias = Callable[..., AbstractAsyncContextManager[Desk]]


@pytest.fixture(autouse=True)
def _no_engine_of_its_own_accord(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run without the durable engine unless a test launches it, however slow the machine."""
    monkeypatch.setattr("graph.background.ENGINE_AFTER_S", 3600.0)


@pytest.fixture
def data_dir(tmp_path: Path, founded: Path) -> Path:
    """A folder with a database that has no rows yet."""
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(founded, folder)
    return folder


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def open_workshop(data_dir: Path, clock: SetClock) -> OpenDesk:
    """Open the workshop with a play; settings may be overridden. Each call is a new Desk."""

    def opened(play: Play, **overrides: Any) -> AbstractAsyncContextManager[Desk]:  # noqa: ANN401
        return open_desk(workshop(data_dir, **overrides), models=play.models, clock=clock)

    return opened
