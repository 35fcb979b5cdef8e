"""How audiences are laid out over the collections of a vector index.

A metadata filter is what costs in Chroma, so small audiences share a few collections and are
filtered, and one that grows past `OWN_AT` items gets a collection of its own and is searched
without a filter. Whatever comes back is checked against the audience once more. Only scalars are
stored beside a vector, no text.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from memory.vector_index import IndexEntry, VectorMatch, Vectors

SHARDS: Final = 16
OWN_AT: Final = 2_000
PAGE: Final = 1_000
SHARD: Final = "shard-"
OWN: Final = "own-"


class VectorCollection(Protocol):
    """What is used of a Chroma collection."""

    def upsert(self, *, ids: Any, embeddings: Any, metadatas: Any) -> Any:  # noqa: ANN401
        """Add or replace."""

    def query(self, **asked: Any) -> Any:  # noqa: ANN401
        """The nearest."""

    def get(self, **asked: Any) -> Any:  # noqa: ANN401
        """By id or filter."""

    def delete(self, *, ids: Any) -> Any:  # noqa: ANN401
        """Take out."""


@dataclass(frozen=True, slots=True)
class Opener:
    """How a client's collections are reached: by name, created when missing, and listed."""

    open: Callable[[str], VectorCollection]
    names: Callable[[], Sequence[str]]
    batch: int


class Collections:
    """The collections of one open index; calls come one at a time."""

    def __init__(self, opener: Opener, *, shared: bool = False) -> None:
        """Look at what there is.

        Args:
            opener: The client.
            shared: Other processes write too, so that nothing may be remembered of its contents.
        """
        self._opener = opener
        self._shared = shared
        self._own = self._owners()
        # Audiences whose items are known to lie in one place only; see `_move`.
        self._settled: set[str] = set()
        self._sizes: dict[str, int] = {}

    def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Add or replace entries."""
        if self._shared:
            self._own = self._owners()
        homes: dict[str, list[int]] = {}
        for audience, places in _by_audience(entries).items():
            homes.setdefault(self._home(audience, len(places)), []).extend(places)
            self._sizes[audience] = self._size(audience) + len(places)
        for name, places in homes.items():
            for at in range(0, len(places), self._opener.batch):
                chosen = places[at : at + self._opener.batch]
                self._opener.open(name).upsert(
                    ids=[entries[place].id for place in chosen],
                    embeddings=vectors[chosen],
                    metadatas=[_scalars(entries[place]) for place in chosen],
                )

    def search(self, audiences: Sequence[str], vector: Vectors, limit: int) -> list[VectorMatch]:
        """The nearest items of the audiences, nearest first."""
        found: list[VectorMatch] = []
        for audience in dict.fromkeys(audiences):
            asked: dict[str, Any] = {} if self._settle(audience) else {"where": _only(audience)}
            if not self._holds_any(audience):
                continue
            result = self._collection(audience).query(
                query_embeddings=vector.reshape(1, -1),
                n_results=max(limit, 1),
                include=["distances", "metadatas"],
                **asked,
            )
            rows = zip(
                result["ids"][0], result["distances"][0], result["metadatas"][0], strict=True
            )
            found.extend(
                VectorMatch(key, 1.0 - float(distance))
                for key, distance, scalars in rows
                if scalars["audience"] == audience
            )
        return sorted(found, key=lambda match: (-match.cosine, match.id))[:limit]

    def cosines(
        self, audiences: Sequence[str], ids: Sequence[str], vector: Vectors
    ) -> dict[str, float]:
        """The similarity of given items of the audiences, for those the index holds."""
        found: dict[str, float] = {}
        homes = {self._name(audience) for audience in audiences if self._holds_any(audience)}
        for name in sorted(homes) if ids else ():
            # By id alone: with a filter beside the ids Chroma reads all that the filter matches.
            result = self._opener.open(name).get(
                ids=list(dict.fromkeys(ids)), include=["embeddings", "metadatas"]
            )
            if not result["ids"]:
                continue
            stored = np.asarray(result["embeddings"], dtype=np.float32)
            lengths = np.linalg.norm(stored, axis=1)
            near = (stored @ vector.reshape(-1)) / np.where(lengths > 0.0, lengths, 1.0)
            rows = zip(result["ids"], near.tolist(), result["metadatas"], strict=True)
            found |= {key: one for key, one, held in rows if held["audience"] in audiences}
        return found

    def remove(self, entries: Sequence[IndexEntry]) -> None:
        """Take entries out; unknown ones are no error."""
        for audience, places in _by_audience(entries).items():
            ids = [entries[place].id for place in places]
            for name in {self._name(audience), _shard_name(audience)}:
                for at in range(0, len(ids), self._opener.batch):
                    self._opener.open(name).delete(ids=ids[at : at + self._opener.batch])
            self._sizes.pop(audience, None)

    def contents(self) -> Iterator[tuple[list[IndexEntry], Vectors]]:
        """Everything, page by page."""
        for name in self._opener.names():
            collection = self._opener.open(name)
            yield from _pages(collection, {})

    def _owners(self) -> set[str]:
        names = self._opener.names()
        return {name.removeprefix(OWN) for name in names if name.startswith(OWN)}

    def _name(self, audience: str) -> str:
        return f"{OWN}{audience}" if audience in self._own else _shard_name(audience)

    def _collection(self, audience: str) -> VectorCollection:
        return self._opener.open(self._name(audience))

    def _holds_any(self, audience: str) -> bool:
        """Whether it is worth asking: an empty shard is not, if nobody else writes to it."""
        return self._shared or audience in self._own or self._size(audience) > 0

    def _size(self, audience: str) -> int:
        """About how many items an audience has in its shard; exact when first asked."""
        if audience not in self._sizes:
            shard = self._opener.open(_shard_name(audience))
            self._sizes[audience] = len(shard.get(where=_only(audience), include=[])["ids"])
        return self._sizes[audience]

    def _home(self, audience: str, more: int) -> str:
        """Which collection items go to; the audience moves first when they make it a big one."""
        if not self._settle(audience) and self._size(audience) + more > OWN_AT:
            self._move(audience)
        return self._name(audience)

    def _settle(self, audience: str) -> bool:
        """Whether the audience has its own collection; a move that was cut short is finished."""
        if audience in self._own and audience not in self._settled:
            self._move(audience)
        return audience in self._own

    def _move(self, audience: str) -> None:
        """Copy what the shard has of the audience into its own collection, then delete it there.

        Killed in between, the next process finds both and does it again.
        """
        own, shard = self._opener.open(f"{OWN}{audience}"), self._opener.open(_shard_name(audience))
        moved: list[str] = []
        for entries, vectors in _pages(shard, _only(audience)):
            ids = [entry.id for entry in entries]
            own.upsert(ids=ids, embeddings=vectors, metadatas=[_scalars(one) for one in entries])
            moved += ids
        for at in range(0, len(moved), self._opener.batch):
            shard.delete(ids=moved[at : at + self._opener.batch])
        self._own.add(audience)
        self._settled.add(audience)


def shard_of(audience: str) -> int:
    """The shared collection of an audience while it is small; the same in every process."""
    return int(audience.rpartition("_")[2], 16) % SHARDS


def _shard_name(audience: str) -> str:
    return f"{SHARD}{shard_of(audience):02d}"


def _pages(
    collection: VectorCollection, where: Mapping[str, str]
) -> Iterator[tuple[list[IndexEntry], Vectors]]:
    asked = {"where": dict(where)} if where else {}
    at = 0
    while True:
        page = collection.get(limit=PAGE, offset=at, include=["embeddings", "metadatas"], **asked)
        if not page["ids"]:
            return
        rows = zip(page["ids"], page["metadatas"], strict=True)
        entries = [IndexEntry(key, one["audience"], one["kind"]) for key, one in rows]
        yield entries, np.asarray(page["embeddings"], dtype=np.float32)
        at += PAGE


def _by_audience(entries: Sequence[IndexEntry]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, entry in enumerate(entries):
        places.setdefault(entry.audience, []).append(place)
    return places


def _only(audience: str) -> dict[str, str]:
    return {"audience": audience}


def _scalars(entry: IndexEntry) -> dict[str, str]:
    return {"audience": entry.audience, "kind": entry.kind}
