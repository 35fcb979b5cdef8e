"""Real receivers on this machine: an HTTP server that keeps what is posted, and an SMTP server."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller


@dataclass(slots=True)
class Posted:
    """One request as it came."""

    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Receiver:
    """What has been posted; the next answers are `answers`, then 200."""

    url: str
    posted: list[Posted] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)


@contextmanager
def receiver() -> Iterator[Receiver]:
    """An HTTP server on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.posted.append(Posted(dict(self.headers.items()), body))
            self.send_response(found.answers.pop(0) if found.answers else 200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:  # noqa: ANN401 - the library's
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = Receiver(f"http://127.0.0.1:{server.server_port}/hook")
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield found
        server.shutdown()
        thread.join()


@dataclass(slots=True)
class Mailbox:
    """What has been mailed."""

    port: int = 0
    mails: list[Message] = field(default_factory=list)

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: ANN401, N802
        self.mails.append(message_from_bytes(envelope.content))
        return "250 OK"


@contextmanager
def mailbox(port: int) -> Iterator[Mailbox]:
    """An SMTP server on a port."""
    found = Mailbox(port)
    controller = Controller(found, hostname="127.0.0.1", port=port)
    controller.start()
    yield found
    controller.stop()
