"""The vector index over episodic items, in Chroma's persistent client; its only importer.

Exactly one process opens the folder, guarded by a lock file. The folder carries a stamp (its
generation, the embedder, the dimension): rows of the database name the generation that holds
them, so a lost, damaged or foreign folder is replaced by an empty one with a new generation, and
the sweep fills it again. Audiences are hashed into a few collections; only scalars are stored.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import numpy as np

from memory.episodes import IndexEntry, VectorMatch, Vectors
from memory.errors import IndexDamaged, IndexNotOwned, IndexUnavailable
from memory.index_folder import IndexFolder
from memory.ownership import OwnerLock

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

T = TypeVar("T")

SPACE: Final = "cosine"
SHARDS: Final = 8
EF_SEARCH: Final = 400

logger = logging.getLogger(__name__)


class ChromaEpisodes:
    """A `VectorIndex` in a folder; chromadb is imported when it is first opened."""

    def __init__(self, folder: Path, *, embedder: str, dimension: int) -> None:
        """Name the folder and what its vectors are made with; nothing is opened yet."""
        self._folder = IndexFolder(folder, embedder=embedder, dimension=dimension, space=SPACE)
        self._lock = OwnerLock(folder / "owner.lock")
        self._client: Client | None = None
        self._generation = ""
        self._damage = ""
        self._one_at_a_time = threading.Lock()
        self._opening: asyncio.Task[str] | None = None

    async def open(self) -> str:
        """Open it, once; return its generation. Opening goes on if the caller stops waiting.

        Raises:
            IndexNotOwned: another process has it open.
            IndexUnavailable: it could not be opened.
        """
        if self._opening is None or (self._opening.done() and not self._is_open()):
            opening = asyncio.create_task(asyncio.to_thread(self._open), name="open vector index")
            opening.add_done_callback(_look_at_result)
            self._opening = opening
        return await asyncio.shield(self._opening)

    async def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Add or replace entries, in batches of the client's limit."""
        await asyncio.to_thread(self._guarded, lambda client: self._add(client, entries, vectors))

    async def search(
        self, audiences: Sequence[str], vector: Vectors, limit: int
    ) -> list[VectorMatch]:
        """The nearest items of the audiences, nearest first."""
        return await asyncio.to_thread(
            self._guarded, lambda client: self._search(client, audiences, vector, limit)
        )

    async def cosines(
        self, audiences: Sequence[str], ids: Sequence[str], vector: Vectors
    ) -> dict[str, float]:
        """The similarity of given items of the audiences, for those the index holds."""
        return await asyncio.to_thread(
            self._guarded, lambda client: self._cosines(client, audiences, ids, vector)
        )

    async def remove(self, ids: Sequence[str]) -> None:
        """Take entries out; unknown ids are no error."""
        await asyncio.to_thread(self._guarded, lambda client: self._remove(client, ids))

    async def close(self) -> None:
        """Close it and give up its ownership; later calls open it again."""
        if self._opening is not None:
            await asyncio.wait([self._opening])
            self._opening = None
        await asyncio.to_thread(self._close)

    def _is_open(self) -> bool:
        return self._client is not None and not self._damage

    def _open(self) -> str:
        with self._one_at_a_time:
            if self._is_open():
                return self._generation
            if not self._lock.acquire():
                raise IndexNotOwned(str(self._folder.path), self._lock.owner())
            try:
                return self._open_owned()
            except (IndexUnavailable, OSError) as error:
                self._stop()
                self._lock.release()
                raise IndexUnavailable(f"the vector index did not open: {error}") from error

    def _open_owned(self) -> str:
        reason = self._damage or self._folder.reason_to_replace() or self._connect()
        if reason:
            logger.warning("vector index in %s is made anew: %s", self._folder.path, reason)
            self._stop()
            self._folder.replace()
            if fault := self._connect():
                raise IndexUnavailable(fault)
        self._damage = ""
        self._generation = self._folder.generation()
        return self._generation

    def _connect(self) -> str:
        """Open what is in the folder; return why it could not be, empty if it could."""
        try:
            self._client = connect(self._folder.index)
            self._client.list_collections()
        except BaseException as error:  # noqa: BLE001 - a panic in Chroma's Rust part is no Exception
            return f"it did not open ({error!r})"
        return ""

    def _guarded(self, work: Callable[["Client"], T]) -> T:
        with self._one_at_a_time:
            if self._client is None:
                raise IndexUnavailable("the index is not open")
            try:
                return work(self._client)
            except BaseException as error:
                self._damage = repr(error)[:300]
                raise IndexDamaged(str(self._folder.path), self._damage) from error

    def _add(self, client: "Client", entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        batch = client.get_max_batch_size()
        for shard, places in _by_shard([entry.audience for entry in entries]).items():
            collection = open_collection(client, shard)
            for at in range(0, len(places), batch):
                chosen = places[at : at + batch]
                collection.upsert(
                    ids=[entries[place].id for place in chosen],
                    embeddings=vectors[chosen],
                    metadatas=[_scalars(entries[place]) for place in chosen],
                )

    def _search(
        self, client: "Client", audiences: Sequence[str], vector: Vectors, limit: int
    ) -> list[VectorMatch]:
        found: list[VectorMatch] = []
        for audience in audiences:
            result = open_collection(client, shard_of(audience)).query(
                query_embeddings=vector.reshape(1, -1),
                n_results=max(limit, 1),
                where={"audience": audience},
                include=["distances"],
            )
            distances = (result["distances"] or [[]])[0]
            pairs = zip(result["ids"][0], distances, strict=True)
            found.extend(VectorMatch(key, 1.0 - float(distance)) for key, distance in pairs)
        return sorted(found, key=lambda match: (-match.cosine, match.id))[:limit]

    def _cosines(
        self,
        client: "Client",
        audiences: Sequence[str],
        ids: Sequence[str],
        vector: Vectors,
    ) -> dict[str, float]:
        found: dict[str, float] = {}
        if not ids:
            return found
        for audience in audiences:
            result = open_collection(client, shard_of(audience)).get(
                ids=list(ids), where={"audience": audience}, include=["embeddings"]
            )
            stored = np.asarray(result["embeddings"], dtype=np.float32)
            for key, other in zip(result["ids"], stored, strict=True):
                length = float(np.linalg.norm(other)) or 1.0
                found[key] = float(other @ vector.reshape(-1)) / length
        return found

    def _remove(self, client: "Client", ids: Sequence[str]) -> None:
        batch = client.get_max_batch_size()
        for collection in client.list_collections():
            for at in range(0, len(ids), batch):
                collection.delete(ids=list(ids[at : at + batch]))

    def _close(self) -> None:
        with self._one_at_a_time:
            clean = self._is_open()
            self._stop()
            if clean:
                self._folder.mark_closed()
            self._lock.release()

    def _stop(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None


def connect(index: Path) -> "Client":
    """Open the folder with Chroma, without its telemetry."""
    import chromadb  # noqa: PLC0415 - takes a second; most turns have nothing to search
    from chromadb.config import Settings  # noqa: PLC0415 - the same

    index.mkdir(parents=True, exist_ok=True)
    settings = Settings(anonymized_telemetry=False)
    return cast("Client", chromadb.PersistentClient(path=str(index), settings=settings))


def open_collection(client: "Client", shard: int) -> "Collection":
    """The collection of a shard, created when missing; vectors always come from us."""
    return client.get_or_create_collection(
        f"items_{shard:02d}",
        embedding_function=None,
        configuration={"hnsw": {"space": SPACE, "ef_search": EF_SEARCH}},
    )


def probe(index: str) -> None:
    """Ask every collection one question, so that broken files show themselves here."""
    client = connect(Path(index))
    for collection in client.list_collections():
        first = np.asarray(collection.get(limit=1, include=["embeddings"])["embeddings"])
        if len(first):
            collection.query(query_embeddings=first, n_results=1)
    client.close()


def shard_of(audience: str) -> int:
    """The collection an audience's items lie in; the same in every process."""
    return int(audience.rpartition("_")[2], 16) % SHARDS


def _by_shard(audiences: Sequence[str]) -> dict[int, list[int]]:
    places: dict[int, list[int]] = {}
    for place, audience in enumerate(audiences):
        places.setdefault(shard_of(audience), []).append(place)
    return places


def _scalars(entry: IndexEntry) -> Mapping[str, Any]:
    return {"audience": entry.audience, "kind": entry.kind}


def _look_at_result(task: "asyncio.Task[str]") -> None:
    if not task.cancelled():
        task.exception()
