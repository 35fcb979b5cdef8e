"""The vector index on a Chroma server that several processes share.

Only a loopback or private address is spoken to, and a private one only if it refuses those without
a key: Chroma's own server has had faults that let a caller run code before any check. What it
holds is vectors and hashed keys, no text; names begin with the embedder's own prefix.
"""

import ipaddress
import socket
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from uuid import uuid4

import httpx

from memory.chroma_episodes import SPACE, connect_server, disconnect, opener
from memory.errors import IndexMismatch, IndexUnavailable, UnsafeServer
from memory.threaded_index import ThreadedIndex
from memory.vector_collections import Collections

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import SecretStr

TIMEOUT_S: Final = 5.0
PREFIX: Final = "hippograph-"
STAMP: Final = "hippograph-stamp"
REFUSED: Final = (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN)


class ChromaServer(ThreadedIndex):
    """A `VectorIndex` behind an address; several processes may write to it."""

    def __init__(
        self, url: str, *, embedder: str, dimension: int, key: "SecretStr | None" = None
    ) -> None:
        """Name the server and what its vectors are made with; nothing is opened yet."""
        super().__init__()
        self._client: Any = None
        self._url = url.rstrip("/")
        self._key = None if key is None else key.get_secret_value()
        self._wanted = {"embedder": embedder, "dimension": dimension, "space": SPACE}

    def _open(self) -> None:
        check_address(self._url, key=self._key)
        try:
            self._attach()
        except IndexMismatch:
            self._stop()
            raise
        except Exception as error:  # Chroma lets its HTTP client's errors through
            self._stop()
            raise IndexUnavailable(f"the vector index at {self._url}: {error}") from error

    def _look(self) -> str:
        check_address(self._url, key=self._key)
        try:
            self._client = self._connected()
            stamps = [one for one in self._client.list_collections() if one.name == STAMP]
            for one in stamps:
                self._generation_of(one.metadata)
        except IndexMismatch:
            raise
        except Exception as error:  # Chroma lets its HTTP client's errors through
            raise IndexUnavailable(f"the vector index at {self._url}: {error}") from error
        finally:
            self._stop()
        return f"the index at {self._url} answers" + ("" if stamps else ", nothing is in it yet")

    def _attach(self) -> None:
        self._client = self._connected()
        self._generation = self._stamped()
        self._collections = Collections(opener(self._client, PREFIX), shared=True)

    def _connected(self) -> Any:  # noqa: ANN401 - a type of Chroma, which only its own file imports
        place = urlsplit(self._url)
        ssl = place.scheme == "https"
        return connect_server(
            place.hostname or "",
            place.port or (443 if ssl else 8000),
            ssl=ssl,
            key=self._key,
            timeout_s=TIMEOUT_S,
        )

    def _stamped(self) -> str:
        """The generation of what the server holds; a new one for an empty server.

        Raises:
            IndexMismatch: it was made with another embedder; somebody else may be using it.
        """
        new = {**self._wanted, "generation": uuid4().hex}
        stamp = self._client.get_or_create_collection(
            STAMP, metadata=new, embedding_function=None
        ).metadata
        return self._generation_of(stamp)

    def _generation_of(self, stamp: "Mapping[str, Any]") -> str:
        found = {name: stamp.get(name) for name in self._wanted}
        if found != self._wanted:
            raise IndexMismatch(self._url, _shown(self._wanted), _shown(found))
        return str(stamp["generation"])

    def _stop(self) -> None:
        self._collections = None
        if self._client is not None:
            disconnect(self._client)
            self._client = None

    def _failed(self, error: BaseException) -> IndexUnavailable:
        self._stop()
        return IndexUnavailable(f"the vector index at {self._url}: {error!r}")

    def _note_removal(self) -> None:
        """Nothing waits: see `_erase`."""

    def _erase(self) -> bool:
        """The server's files are not ours: what was deleted leaves them when it cleans up."""
        return False

    def _clear(self) -> None:
        with self._one_at_a_time:
            try:
                check_address(self._url, key=self._key)
                self._delete_all()
            except (OSError, ValueError, httpx.HTTPError) as error:
                raise IndexUnavailable(f"the vector index at {self._url}: {error!r}") from error
            finally:
                self._stop()

    def _delete_all(self) -> None:
        self._stop()
        self._client = self._connected()
        names = [collection.name for collection in self._client.list_collections()]
        # The stamp first: without it the next opening has another generation, whatever follows.
        ours = sorted((n for n in names if n.startswith(PREFIX)), key=lambda n: n != STAMP)
        for name in ours:
            self._client.delete_collection(name)

    def _close(self) -> None:
        with self._one_at_a_time:
            self._stop()


def check_address(url: str, *, key: str | None) -> None:
    """Refuse a server that others could reach, or that does not ask for a key.

    Raises:
        UnsafeServer: the address is public, or private and open to anybody.
        IndexUnavailable: the name cannot be resolved, or nobody answers.
    """
    place = urlsplit(url)
    host = place.hostname or ""
    try:
        found = socket.getaddrinfo(host, place.port or 8000, type=socket.SOCK_STREAM)
    except OSError as error:
        raise IndexUnavailable(f"the vector index at {url}: {error}") from error
    addresses = [ipaddress.ip_address(str(entry[4][0])) for entry in found]
    if not all(_is_near(address) for address in addresses):
        raise UnsafeServer(url, "it is not a loopback or private address")
    if all(address.is_loopback for address in addresses):
        return
    if key is None:
        raise UnsafeServer(url, "no key is set; index.key_env names the variable that holds it")
    if _answers_anybody(url):
        raise UnsafeServer(url, "it answers without a key; put authentication in front of it")


def _is_near(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    private = address.is_private and not address.is_link_local and not address.is_unspecified
    return address.is_loopback or private


def _answers_anybody(url: str) -> bool:
    try:
        reply = httpx.get(f"{url}/api/v2/auth/identity", timeout=TIMEOUT_S)
    except httpx.HTTPError as error:
        raise IndexUnavailable(f"the vector index at {url}: {error!r}") from error
    return reply.status_code not in REFUSED


def _shown(stamp: dict[str, object]) -> str:
    return f"{stamp['embedder']}, {stamp['dimension']} dimensions, {stamp['space']}"
