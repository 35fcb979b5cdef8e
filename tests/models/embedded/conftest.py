"""One planner for all tests: the real embedder over the shipped experts, no argument model."""

import pytest

from models.embedded.acts import act_reader
from models.embedded.arguments import ArgumentReader
from models.embedded.chooser import Chooser
from models.embedded.expert import EmbeddedExpert
from models.embedded.planning import Planner
from models.embedded.router import EmbeddedRouter
from models.embedding import shared_embedder
from tests.models.embedded.rooms import EXPERTS


@pytest.fixture(scope="session")
def planner() -> Planner:
    embedder = shared_embedder()
    return Planner(
        EXPERTS, Chooser(EXPERTS, embedder, acts=act_reader(embedder.name)), ArgumentReader()
    )


@pytest.fixture(scope="session")
def router(planner: Planner) -> EmbeddedRouter:
    return EmbeddedRouter(planner=planner)


@pytest.fixture(scope="session")
def expert(planner: Planner) -> EmbeddedExpert:
    return EmbeddedExpert(planner=planner)
