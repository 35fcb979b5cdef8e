"""The vector index follows the rows, whatever is killed when."""

import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory.chroma_episodes import ChromaEpisodes
from memory.database import Database
from memory.episodes import audience_of, readable_audiences
from memory.indexing import Indexer
from memory.sql_episodes import SqlEpisodes
from models.embedding import Vectors
from state import Scope
from tests.forks import Forked
from tests.memory.hashing import HashingEmbedder
from tests.memory.samples import item


class Killed(HashingEmbedder):
    """Ends its process where it should embed."""

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        os.kill(os.getpid(), signal.SIGKILL)
        return await super().embed_passages(texts)


async def index_and_die(folder: Path) -> None:
    database = await Database.open(f"sqlite:///{folder}/hippograph.db")
    ana = Scope(user="ana")
    await SqlEpisodes(database).scoped(ana).add([item(ana, "1", "refund invoice INV-1042")])
    killed = Killed()
    index = ChromaEpisodes(folder / "chroma", embedder=killed.name, dimension=killed.dimension)
    await Indexer(database, index, killed).sweep()


def run_index_and_die(folder: Path) -> None:
    asyncio.run(index_and_die(folder))


async def found_by_vector(indexer: Indexer, scope: Scope, query: str) -> list[str]:
    (vector,) = await indexer.embedder.embed_queries([query])
    return [match.id for match in await indexer.index.search([audience_of(scope)], vector, 10)]


async def test_a_sweep_puts_rows_into_the_index(
    store: SqlEpisodes, indexer: Indexer, ana: Scope
) -> None:
    added = [item(ana, str(at), f"note number {at} on topic{at}") for at in range(150)]
    await store.scoped(ana).add(added)
    assert await indexer.waiting() == 150
    assert await indexer.sweep() == 150
    assert await indexer.waiting() == 0
    assert (await found_by_vector(indexer, ana, "topic77"))[0] == added[77].id


async def test_a_second_sweep_has_nothing_to_do(
    store: SqlEpisodes, indexer: Indexer, embedder: HashingEmbedder, ana: Scope
) -> None:
    await store.scoped(ana).add([item(ana, "1", "one")])
    await indexer.sweep()
    calls = embedder.calls
    assert await indexer.sweep() == 0
    assert embedder.calls == calls


async def test_killed_between_commit_and_index_the_next_process_finishes(
    tmp_path: Path, ana: Scope, embedder: HashingEmbedder
) -> None:
    process = Forked(run_index_and_die, tmp_path)
    await asyncio.to_thread(process.communicate)
    assert process.returncode == -signal.SIGKILL
    database = await Database.open(f"sqlite:///{tmp_path}/hippograph.db")
    index = ChromaEpisodes(tmp_path / "chroma", embedder="hashing", dimension=64)
    indexer = Indexer(database, index, embedder)
    assert await indexer.sweep() == 1
    assert len(await found_by_vector(indexer, ana, "refund")) == 1
    await indexer.close()
    await database.close()


async def test_a_lost_folder_is_filled_again_from_the_rows(
    tmp_path: Path, database: Database, store: SqlEpisodes, embedder: HashingEmbedder, ana: Scope
) -> None:
    await store.scoped(ana).add([item(ana, str(at), f"topic{at}") for at in range(5)])
    first = ChromaEpisodes(tmp_path / "one", embedder="hashing", dimension=64)
    indexer = Indexer(database, first, embedder)
    await indexer.sweep()
    await indexer.close()
    second = Indexer(
        database, ChromaEpisodes(tmp_path / "two", embedder="hashing", dimension=64), embedder
    )
    assert await second.sweep() == 5
    assert len(await found_by_vector(second, ana, "topic3")) == 5
    await second.close()


async def test_a_folder_damaged_in_use_is_filled_again(
    store: SqlEpisodes, indexer: Indexer, index: ChromaEpisodes, ana: Scope
) -> None:
    await store.scoped(ana).add([item(ana, "1", "refund")])
    await indexer.sweep()
    index._damage = "as if a search had failed"
    assert await indexer.sweep() == 1
    assert len(await found_by_vector(indexer, ana, "refund")) == 1


async def test_a_forgotten_row_leaves_the_index(
    store: SqlEpisodes, indexer: Indexer, ana: Scope
) -> None:
    gone = item(ana, "1", "canary")
    await store.scoped(ana).add([gone, item(ana, "2", "other")])
    await indexer.sweep()
    await store.scoped(ana).forget([gone.id])
    assert await indexer.sweep() == 1
    assert gone.id not in await found_by_vector(indexer, ana, "canary")


async def test_texts_without_a_direction_do_not_break_the_sweep(
    store: SqlEpisodes, indexer: Indexer, ana: Scope
) -> None:
    texts = ["", "…", "\x00", "x " * 100_000, "refund"]
    await store.scoped(ana).add([item(ana, str(at), text) for at, text in enumerate(texts)])
    assert await indexer.sweep() == len(texts)
    assert await indexer.waiting() == 0


async def test_catching_up_does_not_wait_longer_than_told(
    store: SqlEpisodes, indexer: Indexer, ana: Scope
) -> None:
    await store.scoped(ana).add([item(ana, "1", "one")])
    assert await indexer.catch_up(wait_s=0.0) is False
    assert await indexer.catch_up(wait_s=30.0) is True


async def test_a_question_does_not_wait_for_rows_of_others_once_the_index_is_open(
    store: SqlEpisodes, indexer: Indexer, ana: Scope, bob: Scope
) -> None:
    mine = readable_audiences(ana)
    await store.scoped(bob).add([item(bob, "1", "one")])
    assert await indexer.catch_up(30.0, mine)
    assert await indexer.waiting() == 0
    await store.scoped(bob).add([item(bob, "2", "two")])
    assert await indexer.catch_up(30.0, mine)
    assert await indexer.waiting() == 1
    await store.scoped(ana).add([item(ana, "3", "three")])
    assert await indexer.catch_up(30.0, mine)
    assert await indexer.waiting() == 0


async def test_an_index_owned_elsewhere_leaves_the_rows_waiting(
    tmp_path: Path, store: SqlEpisodes, indexer: Indexer, ana: Scope
) -> None:
    owner = ChromaEpisodes(tmp_path / "chroma", embedder="hashing", dimension=64)
    await owner.open()
    await store.scoped(ana).add([item(ana, "1", "one")])
    with pytest.raises(Exception, match="owns the index"):
        await indexer.catch_up(wait_s=30.0)
    assert await indexer.waiting() == 1
    await owner.close()
    assert await indexer.sweep() == 1
