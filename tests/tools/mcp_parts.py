"""Real MCP servers for tests: processes of `mcp_shop.py` over stdio, HTTP and SSE."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SHOP = Path(__file__).with_name("mcp_shop.py")
PATHS = {"streamable-http": "mcp", "sse": "sse", "websocket": "ws"}
START_S = 20.0
TRUSTED: dict[str, Any] = {"experts": ["eyes", "hands"], "trust_annotations": True}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def stdio_shop(journal: Path, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any setting
    """The configuration of a shop that is started."""
    args = [str(SHOP), "stdio", "0", str(journal)]
    return {"transport": "stdio", "command": sys.executable, "args": args, **TRUSTED, **more}


def web_shop(port: int, kind: str = "streamable-http", **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """The configuration of a shop at a port."""
    scheme = "ws" if kind == "websocket" else "http"
    url = f"{scheme}://127.0.0.1:{port}/{PATHS[kind]}"
    return {"transport": kind.replace("-", "_"), "url": url, **TRUSTED, **more}


@contextmanager
def running_shop(port: int, journal: Path, kind: str = "streamable-http") -> Iterator[int]:
    """A shop process that serves; its process id."""
    command = [sys.executable, str(SHOP), kind, str(port), str(journal)]
    with journal.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait_for(port, process)
        yield process.pid
    finally:
        process.kill()
        process.wait(10)


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + START_S
    while time.monotonic() < ends and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    message = "the shop did not start"
    raise AssertionError(message)


def kill(process: int) -> None:
    """End a process at once, and wait until it is gone or nobody's child."""
    os.kill(process, signal.SIGKILL)
    ends = time.monotonic() + 5
    while time.monotonic() < ends and is_alive(process):
        time.sleep(0.02)


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return False
    return state[0] != "Z"


def lines(journal: Path) -> list[str]:
    """What has happened in the shop, without the keys."""
    if not journal.exists():
        return []
    return [line.rsplit(" ", 1)[0] for line in journal.read_text(encoding="utf-8").splitlines()]


def key_of_last(journal: Path) -> str:
    """The idempotency key that came with the last thing that happened."""
    return journal.read_text(encoding="utf-8").splitlines()[-1].rsplit(" ", 1)[1]


def files_with(text: bytes, folder: Path) -> list[Path]:
    """Files below a folder that hold the text."""
    return [file for file in folder.rglob("*") if file.is_file() and text in file.read_bytes()]
