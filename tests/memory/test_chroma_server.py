"""The index on a server: the same index, shared by processes, and never on a public address."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest

from memory.chroma_server import ChromaServer, check_address
from memory.database import Database
from memory.episodes import audience_of
from memory.errors import IndexMismatch, IndexUnavailable, UnsafeServer
from memory.indexing import Indexer
from memory.sql_episodes import SqlEpisodes
from memory.vector_index import IndexEntry, Vectors
from state import Scope
from tests.memory.hashing import HashingEmbedder
from tests.memory.samples import item

DIMENSION = 16
ANA = audience_of(Scope(user="ana"))
START_S = 30.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("server")
    program = Path(sys.executable).with_name("chroma")
    command = [str(program), "run", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--path", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        url = f"http://127.0.0.1:{port}"
        wait_for(url)
        yield url
        process.terminate()


def wait_for(url: str) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"{url}/api/v2/heartbeat").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    pytest.fail("the Chroma server did not start")


def reached(url: str, embedder: str = "e", dimension: int = DIMENSION) -> ChromaServer:
    return ChromaServer(url, embedder=embedder, dimension=dimension)


def vectors(number: int) -> Vectors:
    made = np.random.default_rng(0).normal(size=(number, DIMENSION)).astype(np.float32)
    unit: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def entries(number: int) -> list[IndexEntry]:
    return [IndexEntry(f"id-{at}", ANA, "turn") for at in range(number)]


@pytest.fixture
async def empty(server: str) -> str:
    await reached(server).clear()
    return server


async def test_two_processes_share_what_one_has_added(empty: str) -> None:
    here, there, known = reached(empty), reached(empty), vectors(5)
    assert await here.open() == await there.open()
    await here.add(entries(5), known)
    found = await there.search([ANA], known[3], 3)
    assert found[0].id == "id-3"
    assert found[0].cosine == pytest.approx(1.0, abs=1e-4)
    await there.remove(entries(4)[3:])
    assert "id-3" not in await here.cosines([ANA], ["id-2", "id-3"], known[3])
    await here.close()
    await there.close()


async def test_another_embedder_is_an_error_with_the_way_out(empty: str) -> None:
    first = reached(empty)
    await first.open()
    await first.close()
    with pytest.raises(IndexMismatch, match="hippograph memory reindex"):
        await reached(empty, embedder="other").open()
    other = reached(empty, embedder="other")
    await other.clear()
    assert await other.open()
    await other.close()


async def test_the_rows_fill_a_cleared_server_again(
    empty: str, database: Database, ana: Scope
) -> None:
    embedder = HashingEmbedder(dimension=DIMENSION)
    indexer = Indexer(database, reached(empty, embedder.name), embedder)
    await SqlEpisodes(database).scoped(ana).add([item(ana, "1", "refund"), item(ana, "2", "order")])
    assert await indexer.sweep() == 2
    assert await indexer.reindex() == 2
    await indexer.close()


async def test_a_server_that_is_down_is_an_index_that_cannot_be_used_now(empty: str) -> None:
    with pytest.raises(IndexUnavailable):
        await reached("http://127.0.0.1:1").open()
    with pytest.raises(IndexUnavailable):
        await reached("http://no-such-host.invalid:8000").open()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://8.8.8.8:8000", "not a loopback or private"),
        ("http://169.254.169.254", "not a loopback or private"),
        ("http://0.0.0.0:8000", "not a loopback or private"),
        ("http://10.0.0.7:8000", "no key is set"),
    ],
)
def test_a_server_that_strangers_could_reach_is_refused(url: str, reason: str) -> None:
    with pytest.raises(UnsafeServer, match=reason):
        check_address(url, key=None)


def test_a_private_server_that_answers_anybody_is_refused(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ipaddress.IPv4Address.is_loopback", property(lambda _: False))
    with pytest.raises(UnsafeServer, match="answers without a key"):
        check_address(server, key="secret")


async def test_looking_at_a_server_makes_nothing_on_it_and_sees_another_embedder(
    server: str,
) -> None:
    await reached(server).clear()
    assert "nothing is in it yet" in await reached(server).look()
    assert "nothing is in it yet" in await reached(server, embedder="another").look()
    index = reached(server)
    await index.open()
    await index.close()
    assert (await reached(server).look()).endswith("answers")
    with pytest.raises(IndexMismatch):
        await reached(server, embedder="another").look()


async def test_looking_at_a_server_that_is_not_there_says_so() -> None:
    with pytest.raises(IndexUnavailable, match=r"127\.0\.0\.1:9"):
        await reached("http://127.0.0.1:9").look()
