"""Small audiences share collections, big ones have their own, and no hit is of another audience."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memory import vector_collections
from memory.chroma_episodes import connect, opener
from memory.episodes import audience_of
from memory.vector_collections import Collections, VectorCollection, shard_of
from memory.vector_index import IndexEntry, Vectors
from state import Scope

DIMENSION = 16
ANA = audience_of(Scope(user="ana"))
# Somebody whose items lie in the same shared collection as Ana's.
NEXT = next(
    audience
    for number in range(1_000)
    if shard_of(audience := audience_of(Scope(user=f"user-{number}"))) == shard_of(ANA)
)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_collections, "OWN_AT", 20)


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[], Collections]:
    client = connect(tmp_path / "index")
    return lambda: Collections(opener(client))


def vectors(number: int, seed: int = 0) -> Vectors:
    made = np.random.default_rng(seed).normal(size=(number, DIMENSION)).astype(np.float32)
    unit: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def entries(number: int, audience: str = ANA, start: int = 0) -> list[IndexEntry]:
    return [
        IndexEntry(f"{audience[-4:]}-{at}", audience, "turn") for at in range(start, start + number)
    ]


def names(collections: Collections) -> list[str]:
    return list(collections._opener.names())


def ids(collections: Collections, audience: str, limit: int = 500) -> set[str]:
    return {match.id for match in collections.search([audience], vectors(1)[0], limit)}


def test_an_audience_that_grows_gets_a_collection_of_its_own(
    opened: Callable[[], Collections],
) -> None:
    held = opened()
    held.add(entries(15), vectors(15))
    held.add(entries(5, NEXT), vectors(5))
    assert names(held) == [f"shard-{shard_of(ANA):02d}"]
    held.add(entries(15, start=15), vectors(15))
    assert names(held) == [f"own-{ANA}", f"shard-{shard_of(ANA):02d}"]
    assert ids(held, ANA) == {entry.id for entry in entries(30)}
    assert ids(held, NEXT) == {entry.id for entry in entries(5, NEXT)}
    assert held._collection(NEXT).get(include=[])["ids"] == [one.id for one in entries(5, NEXT)]


def test_many_at_once_go_to_an_own_collection_directly(opened: Callable[[], Collections]) -> None:
    held = opened()
    held.add(entries(50), vectors(50))
    assert f"own-{ANA}" in names(held)
    assert len(ids(opened(), ANA)) == 50


def test_an_interrupted_move_is_finished_by_the_next_process(
    opened: Callable[[], Collections],
) -> None:
    held, known = opened(), vectors(15)
    held.add(entries(15), known)
    half = held._opener.open(f"own-{ANA}")
    half.upsert(
        ids=[entry.id for entry in entries(4)],
        embeddings=known[:4],
        metadatas=[{"audience": ANA, "kind": "turn"}] * 4,
    )
    later = opened()
    assert ids(later, ANA) == {entry.id for entry in entries(15)}
    assert later._opener.open(f"shard-{shard_of(ANA):02d}").get(include=[])["ids"] == []


def test_a_foreign_entry_in_an_own_collection_is_not_given_out(
    opened: Callable[[], Collections],
) -> None:
    held, known = opened(), vectors(30)
    held.add(entries(30), known)
    own: VectorCollection = held._opener.open(f"own-{ANA}")
    own.upsert(ids=["foreign"], embeddings=known[:1], metadatas=[{"audience": NEXT, "kind": "t"}])
    assert "foreign" not in ids(held, ANA)
    assert held.cosines([ANA], ["foreign"], known[0]) == {}


@pytest.mark.parametrize("number", [5, 30])
def test_removed_entries_are_gone_wherever_they_lie(
    opened: Callable[[], Collections], number: int
) -> None:
    held = opened()
    held.add(entries(number), vectors(number))
    held.remove([*entries(2), IndexEntry("unknown", ANA, "turn")])
    assert ids(held, ANA) == {entry.id for entry in entries(number)[2:]}


@pytest.mark.parametrize("number", [5, 30])
def test_cosines_are_those_of_the_audience(opened: Callable[[], Collections], number: int) -> None:
    held, known = opened(), vectors(number)
    held.add(entries(number), known)
    held.add(entries(2, NEXT), vectors(2, seed=1))
    wanted = [entry.id for entry in (*entries(3), *entries(2, NEXT))]
    found = held.cosines([ANA], wanted, known[0])
    assert set(found) == {entry.id for entry in entries(3)}
    assert found[wanted[1]] == pytest.approx(float(known[1] @ known[0]), abs=1e-4)


def test_all_contents_are_read_once(
    opened: Callable[[], Collections], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_collections, "PAGE", 7)
    held = opened()
    held.add(entries(30), vectors(30))
    held.add(entries(10, NEXT), vectors(10))
    read = [entry.id for page, _ in held.contents() for entry in page]
    assert len(read) == len(set(read)) == 40
