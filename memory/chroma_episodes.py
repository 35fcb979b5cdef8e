"""The vector index over episodic items, in Chroma's persistent client; its only importer.

Exactly one process opens the folder, guarded by a lock file. The folder carries a stamp (its
generation, the embedder, the dimension): rows of the database name the generation that holds
them, so a lost, damaged or foreign folder is replaced by an empty one with a new generation, and
the sweep fills it again.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from memory.errors import IndexDamaged, IndexNotOwned, IndexUnavailable
from memory.index_folder import IndexFolder
from memory.ownership import OwnerLock
from memory.threaded_index import ThreadedIndex
from memory.vector_collections import Collections, Opener, VectorCollection

if TYPE_CHECKING:
    import httpx
    from chromadb.api import ClientAPI
    from chromadb.api.client import Client

SPACE: Final = "cosine"
EF_SEARCH: Final = 400

logger = logging.getLogger(__name__)


class ChromaEpisodes(ThreadedIndex):
    """A `VectorIndex` in a folder; chromadb is imported when it is first opened."""

    def __init__(self, folder: Path, *, embedder: str, dimension: int) -> None:
        """Name the folder and what its vectors are made with; nothing is opened yet."""
        super().__init__()
        self._folder = IndexFolder(folder, embedder=embedder, dimension=dimension, space=SPACE)
        self._lock = OwnerLock(folder / "owner.lock")
        self._client: Client | None = None
        self._damage = ""

    def _is_open(self) -> bool:
        return self._collections is not None and not self._damage

    def _open(self) -> None:
        if not self._lock.acquire():
            raise IndexNotOwned(str(self._folder.path), self._lock.owner())
        try:
            self._open_owned()
        except (IndexUnavailable, OSError) as error:
            self._stop()
            self._lock.release()
            raise IndexUnavailable(f"the vector index did not open: {error}") from error

    def _open_owned(self) -> None:
        self._folder.tidy()
        reason = self._damage or self._folder.reason_to_replace() or self._connect()
        if reason:
            logger.warning("vector index in %s is made anew: %s", self._folder.path, reason)
            self._stop()
            self._folder.replace()
            if fault := self._connect():
                raise IndexUnavailable(fault)
        self._damage = ""
        self._generation = self._folder.generation()

    def _look(self) -> str:
        folder = self._folder
        if self._lock.held:
            return f"the index in {folder.path} is open here"
        if not folder.index.exists():
            return f"no index in {folder.path} yet"
        if not self._lock.acquire():
            return f"process {self._lock.owner()} uses the index in {folder.path}, it was not read"
        try:
            if fault := folder.fault():
                raise IndexDamaged(str(folder.path), fault)
        finally:
            self._lock.release()
        return f"the index in {folder.path} can be read"

    def _connect(self) -> str:
        """Open what is in the folder; return why it could not be, empty if it could."""
        try:
            self._client = connect(self._folder.index)
            self._collections = Collections(opener(self._client))
        except BaseException as error:  # noqa: BLE001 - a panic in Chroma's Rust part is no Exception
            return f"it did not open ({error!r})"
        return ""

    def _failed(self, error: BaseException) -> IndexUnavailable:
        self._damage = repr(error)[:300]
        return IndexDamaged(str(self._folder.path), self._damage)

    def _note_removal(self) -> None:
        self._folder.mark_removed()

    def _erase(self) -> bool:
        if not self._folder.holds_removed:
            return False
        self._guarded(self._copy)
        with self._one_at_a_time:
            self._stop()
            self._folder.take_copy()
            self._open_owned()
        return True

    def _copy(self, held: Collections) -> None:
        """Write what the index holds into a new folder: Chroma does not erase what it deletes."""
        client = connect(self._folder.copy())
        copied = Collections(opener(client))
        for entries, vectors in held.contents():
            copied.add(entries, vectors)
        client.close()

    def _clear(self) -> None:
        with self._one_at_a_time:
            self._stop()
            if not self._lock.acquire():
                raise IndexNotOwned(str(self._folder.path), self._lock.owner())
            self._folder.replace()
            self._damage = ""

    def _close(self) -> None:
        with self._one_at_a_time:
            clean = self._is_open()
            self._stop()
            if clean:
                self._folder.mark_closed()
            self._lock.release()

    def _stop(self) -> None:
        self._collections = None
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


def connect_server(
    host: str, port: int, *, ssl: bool, key: str | None, timeout_s: float
) -> "ClientAPI":
    """Reach a Chroma server, without telemetry; no call waits longer than the time-out."""
    import chromadb  # noqa: PLC0415 - takes a second; most turns have nothing to search
    from chromadb.config import Settings  # noqa: PLC0415 - the same

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    settings = Settings(anonymized_telemetry=False)
    client = chromadb.HttpClient(host=host, port=port, ssl=ssl, headers=headers, settings=settings)
    for session in _sessions_of(client):
        session.timeout = timeout_s
    return client


def disconnect(client: "ClientAPI") -> None:
    """Close a server's client and its connections."""
    sessions = _sessions_of(client)
    cast("Client", client).close()
    for session in sessions:
        session.close()


def _sessions_of(client: "ClientAPI") -> "list[httpx.Client]":
    """Chroma's own sessions wait for ever and are never closed, and no setting changes that."""
    parts = (client, getattr(client, "_admin_client", None))
    servers = [getattr(part, "_server", None) for part in parts]
    found = [getattr(server, "_session", None) for server in servers]
    return [session for session in found if session is not None]


def opener(client: "ClientAPI", prefix: str = "items-") -> Opener:
    """How a client's collections are reached; vectors always come from us."""

    def open_one(name: str) -> VectorCollection:
        return cast(
            "VectorCollection",
            client.get_or_create_collection(
                f"{prefix}{name}",
                embedding_function=None,
                configuration={"hnsw": {"space": SPACE, "ef_search": EF_SEARCH}},
            ),
        )

    def names() -> list[str]:
        found = [collection.name for collection in client.list_collections()]
        return sorted(name.removeprefix(prefix) for name in found if name.startswith(prefix))

    return Opener(_remembered(open_one), names, client.get_max_batch_size())


def _remembered(open_one: Callable[[str], VectorCollection]) -> Callable[[str], VectorCollection]:
    known: dict[str, VectorCollection] = {}

    def opened(name: str) -> VectorCollection:
        if name not in known:
            known[name] = open_one(name)
        return known[name]

    return opened


def probe(index: str) -> None:
    """Ask every collection one question, so that broken files show themselves here."""
    client = connect(Path(index))
    for collection in client.list_collections():
        first = np.asarray(collection.get(limit=1, include=["embeddings"])["embeddings"])
        if len(first):
            collection.query(query_embeddings=first, n_results=1)
    client.close()
