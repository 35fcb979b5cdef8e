"""One planner for all tests: the real models over the shipped experts."""

import pytest

from configs.settings import load_settings
from models.embedded import open_planner
from models.embedded.expert import EmbeddedExpert
from models.embedded.planner import Planner
from models.embedded.router import EmbeddedRouter


@pytest.fixture(scope="session")
def planner(tmp_path_factory: pytest.TempPathFactory) -> Planner:
    return open_planner(load_settings(data_dir=tmp_path_factory.mktemp("planner")))


@pytest.fixture(scope="session")
def router(planner: Planner) -> EmbeddedRouter:
    return EmbeddedRouter(planner=planner)


@pytest.fixture(scope="session")
def expert(planner: Planner) -> EmbeddedExpert:
    return EmbeddedExpert(planner=planner)
