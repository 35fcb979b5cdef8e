"""Real stores in a temporary folder, and an embedder that is fast instead of good."""

import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.chroma_episodes import ChromaEpisodes
from memory.database import Database
from memory.indexing import Indexer
from memory.segments import Segments
from memory.sql_episodes import SqlEpisodes
from state import Scope
from tests.memory.hashing import HashingEmbedder

ANA = Scope(user="ana")
BOB = Scope(user="bob")


@pytest.fixture
def ana() -> Scope:
    return ANA


@pytest.fixture
def bob() -> Scope:
    return BOB


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/hippograph.db"


@pytest.fixture
async def database(url: str, tmp_path: Path, founded: Path) -> AsyncIterator[Database]:
    shutil.copy(founded, tmp_path)
    opened = await Database.open(url)
    yield opened
    await opened.close()


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
async def index(tmp_path: Path, embedder: HashingEmbedder) -> AsyncIterator[ChromaEpisodes]:
    made = ChromaEpisodes(tmp_path / "chroma", embedder=embedder.name, dimension=embedder.dimension)
    yield made
    await made.close()


@pytest.fixture
def store(database: Database) -> SqlEpisodes:
    return SqlEpisodes(database)


@pytest.fixture
def segments(database: Database) -> Segments:
    return Segments(database, lambda: datetime.now(UTC))


@pytest.fixture
async def indexer(
    database: Database, index: ChromaEpisodes, embedder: HashingEmbedder
) -> AsyncIterator[Indexer]:
    made = Indexer(database, index, embedder)
    yield made
    await made.close()
