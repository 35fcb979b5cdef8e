"""The vector index on disk: one owner, bound to an embedder, replaced when it cannot be trusted."""

import asyncio
import os
from pathlib import Path

import numpy as np
import pytest

from memory.chroma_episodes import ChromaEpisodes
from memory.episodes import audience_of
from memory.errors import IndexDamaged, IndexNotOwned, IndexUnavailable
from memory.index_folder import HNSW_ELEMENT_BYTES, is_whole
from memory.vector_collections import SHARDS, shard_of
from memory.vector_index import IndexEntry, Vectors
from state import Scope
from tests.forks import Forked

DIMENSION = 16
ANA = audience_of(Scope(user="ana"))
BOB = audience_of(Scope(user="bob"))


def vectors(number: int, seed: int = 0) -> Vectors:
    made = np.random.default_rng(seed).normal(size=(number, DIMENSION)).astype(np.float32)
    unit: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def entries(number: int, audience: str = ANA) -> list[IndexEntry]:
    return [IndexEntry(f"{audience[-4:]}-{at}", audience, "turn") for at in range(number)]


def only(folder: Path, pattern: str) -> Path:
    (path,) = folder.glob(pattern)
    return path


def opened(folder: Path, embedder: str = "e", dimension: int = DIMENSION) -> ChromaEpisodes:
    return ChromaEpisodes(folder, embedder=embedder, dimension=dimension)


async def test_nothing_is_touched_before_opening(tmp_path: Path) -> None:
    opened(tmp_path / "chroma")
    assert not (tmp_path / "chroma").exists()


async def test_the_nearest_comes_first_with_its_cosine(tmp_path: Path) -> None:
    index, known = opened(tmp_path), vectors(20)
    await index.open()
    await index.add(entries(20), known)
    found = await index.search([ANA], known[7], 5)
    assert found[0].id == entries(20)[7].id
    assert found[0].cosine == pytest.approx(1.0, abs=1e-4)
    await index.close()


async def test_one_audience_never_sees_another_in_the_same_collection(tmp_path: Path) -> None:
    crowd = [audience_of(Scope(user=f"user-{at}")) for at in range(3 * SHARDS)]
    index, known = opened(tmp_path), vectors(1)
    await index.open()
    for audience in crowd:
        await index.add(entries(1, audience), known)
    for audience in crowd:
        found = await index.search([audience], known[0], 50)
        assert [match.id for match in found] == [entries(1, audience)[0].id]
    assert len({shard_of(audience) for audience in crowd}) > 1
    await index.close()


async def test_cosines_of_given_items_are_limited_to_the_audiences(tmp_path: Path) -> None:
    index, known = opened(tmp_path), vectors(2)
    await index.open()
    await index.add(entries(1, ANA), known[:1])
    await index.add(entries(1, BOB), known[1:])
    ids = [entries(1, ANA)[0].id, entries(1, BOB)[0].id, "unknown"]
    found = await index.cosines([ANA], ids, known[0])
    assert found == {ids[0]: pytest.approx(1.0, abs=1e-4)}
    await index.close()


async def test_more_entries_than_a_batch_holds_are_added(tmp_path: Path) -> None:
    index = opened(tmp_path)
    await index.open()
    await index.add(entries(6_000), vectors(6_000))
    found = await index.search([ANA], vectors(6_000)[5_999], 1)
    assert found[0].id == entries(6_000)[5_999].id
    await index.close()


async def test_the_ten_nearest_are_the_true_ten(tmp_path: Path) -> None:
    index, known, asked = opened(tmp_path), vectors(4_000), vectors(20, seed=1)
    await index.open()
    await index.add(entries(4_000), known)
    all_entries, hits = entries(4_000), 0
    for query in asked:
        true = {all_entries[at].id for at in np.argsort(-(known @ query))[:10]}
        hits += len(true & {match.id for match in await index.search([ANA], query, 10)})
    assert hits >= 198
    await index.close()


async def test_search_before_opening_is_an_error_that_can_be_named(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailable, match="not open"):
        await opened(tmp_path).search([ANA], vectors(1)[0], 1)


async def test_a_second_owner_is_refused_until_the_first_closes(tmp_path: Path) -> None:
    first, second = opened(tmp_path), opened(tmp_path)
    await first.open()
    with pytest.raises(IndexNotOwned, match=f"process {os.getpid()} owns"):
        await second.open()
    await first.close()
    assert await second.open()
    await second.close()


def open_in_a_process(folder: Path) -> None:
    asyncio.run(opened(folder).open())


async def test_another_process_is_refused(tmp_path: Path) -> None:
    index = opened(tmp_path)
    await index.open()
    process = Forked(open_in_a_process, tmp_path)
    _, failed = await asyncio.to_thread(process.communicate)
    assert "IndexNotOwned" in failed
    assert "chromadb" not in failed
    await index.close()


async def test_reopening_keeps_generation_and_entries(tmp_path: Path) -> None:
    first = opened(tmp_path)
    generation = await first.open()
    await first.add(entries(3), vectors(3))
    await first.close()
    second = opened(tmp_path)
    assert await second.open() == generation
    assert len(await second.search([ANA], vectors(3)[0], 10)) == 3
    await second.close()


@pytest.mark.parametrize(("embedder", "dimension"), [("other", DIMENSION), ("e", 2 * DIMENSION)])
async def test_another_embedder_gets_a_new_and_empty_index(
    tmp_path: Path, embedder: str, dimension: int
) -> None:
    first = opened(tmp_path)
    generation = await first.open()
    await first.add(entries(3), vectors(3))
    await first.close()
    second = opened(tmp_path, embedder, dimension)
    assert await second.open() != generation
    assert await second.search([ANA], np.ones(dimension, dtype=np.float32), 10) == []
    await second.close()


@pytest.mark.parametrize("broken", ["chroma.sqlite3", "stamp.json"])
async def test_a_damaged_folder_is_replaced(tmp_path: Path, broken: str) -> None:
    first = opened(tmp_path)
    generation = await first.open()
    await first.add(entries(3), vectors(3))
    await first.close()
    only(tmp_path, f"index-*/{broken}").write_bytes(b"\x00 no such thing" * 100)
    second = opened(tmp_path)
    assert await second.open() != generation
    await second.add(entries(1), vectors(1))
    assert len(await second.search([ANA], vectors(1)[0], 10)) == 1
    await second.close()


async def test_cut_off_vectors_are_noticed_and_replaced(tmp_path: Path) -> None:
    first = opened(tmp_path)
    generation = await first.open()
    await first.add(entries(1_500), vectors(1_500))
    await first.close()
    cut = only(tmp_path, "index-*/*/data_level0.bin")
    os.truncate(cut, cut.stat().st_size // 3)
    second = opened(tmp_path)
    assert await second.open() != generation
    await second.close()


async def test_an_index_left_open_is_read_in_a_child_first(tmp_path: Path) -> None:
    first = opened(tmp_path)
    generation = await first.open()
    await first.add(entries(1_500), vectors(1_500))
    await first.close()
    only(tmp_path, "index-*/closed").unlink()
    os.truncate(only(tmp_path, "index-*/*/index_metadata.pickle"), 10)
    second = opened(tmp_path)
    assert await second.open() != generation
    await second.close()


async def test_looking_at_an_index_changes_nothing(tmp_path: Path) -> None:
    assert "no index" in await opened(tmp_path / "none").look()
    assert not (tmp_path / "none").exists()
    first = opened(tmp_path)
    generation = await first.open()
    await first.add(entries(3), vectors(3))
    assert "is open here" in await first.look()
    assert "process" in await opened(tmp_path).look()
    assert len(await first.search([ANA], vectors(3)[0], 3)) == 3
    await first.close()
    assert "can be read" in await opened(tmp_path).look()
    second = opened(tmp_path)
    assert await second.open() == generation
    await second.close()


@pytest.mark.parametrize("left_open", [True, False])
async def test_looking_at_a_broken_index_names_the_damage_and_leaves_it(
    left_open: bool, tmp_path: Path
) -> None:
    first = opened(tmp_path)
    await first.open()
    await first.add(entries(3), vectors(3))
    await first.close()
    junk = only(tmp_path, "index-*/chroma.sqlite3")
    junk.write_bytes(b"junk" * 5_000)
    if left_open:
        only(tmp_path, "index-*/closed").unlink()
    with pytest.raises(IndexDamaged, match="reading it ended with code 1"):
        await opened(tmp_path).look()
    assert junk.read_bytes() == b"junk" * 5_000
    with pytest.raises(IndexDamaged, match=r"wanted .+ found"):
        await opened(tmp_path, embedder="another").look()


async def test_damage_found_while_searching_is_mended_at_the_next_opening(tmp_path: Path) -> None:
    index = opened(tmp_path)
    generation = await index.open()
    await index.add(entries(1), vectors(1))
    with pytest.raises(IndexDamaged):
        await index.search([ANA], np.ones(DIMENSION + 1, dtype=np.float32), 1)
    assert await index.open() != generation
    await index.close()


def test_a_whole_segment_is_recognised_by_its_sizes(tmp_path: Path) -> None:
    (tmp_path / "length.bin").write_bytes(b"\0" * 4 * 10)
    (tmp_path / "data_level0.bin").write_bytes(b"\0" * 10 * (4 * DIMENSION + HNSW_ELEMENT_BYTES))
    assert is_whole(tmp_path, DIMENSION)
    os.truncate(tmp_path / "data_level0.bin", 100)
    assert not is_whole(tmp_path, DIMENSION)


def holding(folder: Path, vector: Vectors) -> list[str]:
    """Files with the bytes of a vector, or of a part of it that lies on one page."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    parts = (vector[:8].tobytes(), vector[8:].tobytes())
    return [file.name for file in files if any(part in file.read_bytes() for part in parts)]


async def test_what_was_removed_is_erased_from_every_file(tmp_path: Path) -> None:
    index, known = opened(tmp_path), vectors(1_200)
    generation = await index.open()
    await index.add(entries(1_200), known)
    await index.remove(entries(1_200)[1_150:1_151])
    assert holding(tmp_path, known[1_150]) != []
    assert await index.erase()
    assert not await index.erase()
    assert await index.open() == generation
    found = await index.search([ANA], known[1_150], 1_000)
    await index.close()
    assert entries(1_200)[1_150].id not in {match.id for match in found}
    assert len(found) == 1_000
    assert holding(tmp_path, known[1_150]) == []
    assert holding(tmp_path, known[1_151]) != []


async def test_an_interrupted_erasure_loses_nothing(tmp_path: Path) -> None:
    first = opened(tmp_path)
    generation = await first.open()
    await first.add(entries(3), vectors(3))
    await first.close()
    (tmp_path / "copy-0123456789ab").mkdir()
    (tmp_path / "old-index-0123456789ab").mkdir()
    second = opened(tmp_path)
    assert await second.open() == generation
    assert len(await second.search([ANA], vectors(3)[0], 10)) == 3
    await second.close()
    assert sorted(path.name[:6] for path in tmp_path.iterdir()) == ["index-", "owner."]  # noqa: ASYNC240


async def test_a_cleared_index_is_empty_and_of_another_generation(tmp_path: Path) -> None:
    index = opened(tmp_path)
    generation = await index.open()
    await index.add(entries(3), vectors(3))
    await index.clear()
    assert await index.open() != generation
    assert await index.search([ANA], vectors(3)[0], 10) == []
    await index.close()
