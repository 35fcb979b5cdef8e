"""What every test stands on: no network, no tracing, nothing of the machine's own environment."""

import os
import socket
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import settings

# Read by langgraph and langsmith when they are imported.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["LANGCHAIN_TRACING_V2"] = "false"
for _name in [name for name in os.environ if name.startswith(("HIPPOGRAPH_", "OPENAI_"))]:
    del os.environ[_name]

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
