"""What the approval routes read, and how they say that something cannot be done."""

import json
from typing import Any, Final
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse

from graph.errors import DecisionRefused, NotYourThread, ThreadIsBusy, UnknownThread, UserError
from tools.errors import (
    ExpiredDecision,
    InvalidDecision,
    NotAllowed,
    RepeatedDecision,
    UnknownDecision,
)

MOST_BYTES: Final = 200_000
STATUS: Final[dict[type[BaseException], int]] = {
    ExpiredDecision: 410,
    NotAllowed: 403,
    RepeatedDecision: 409,
    UnknownDecision: 404,
    InvalidDecision: 422,
    ThreadIsBusy: 409,
    UnknownThread: 404,
    NotYourThread: 403,
}


class NoReviewer(UserError):
    """The request carries no token that is known."""

    def __init__(self) -> None:
        """Say what was wanted."""
        super().__init__("wanted `Authorization: Bearer TOKEN` of a reviewer in http.reviewers")


def refused(error: Exception) -> JSONResponse:
    """The error as an answer: its status by its kind, its words as they are."""
    cause = error.__cause__ if isinstance(error, DecisionRefused) else None
    kind = error if cause is None else cause
    status = 401 if isinstance(error, NoReviewer) else STATUS.get(type(kind), 400)
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    if isinstance(error, ThreadIsBusy):
        headers["Retry-After"] = "2"
    body = {"error": str(error), "kind": type(kind).__name__}
    return JSONResponse(body, status, headers=headers)


async def read_json(request: Request) -> dict[str, Any]:
    """The request's JSON object.

    Raises:
        ValueError: it is none, or too large.
    """
    value = json.loads(await _read(request) or b"{}")
    if isinstance(value, dict):
        return value
    message = f"wanted a JSON object, came {type(value).__name__}"
    raise ValueError(message)


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a posted form.

    Raises:
        ValueError: it is too large, or no text.
    """
    return dict(parse_qsl((await _read(request)).decode(), max_num_fields=20))


def asked_thread(given: dict[str, Any]) -> str:
    """The thread that a request names.

    Raises:
        ValueError: it names none.
    """
    thread = given.get("thread")
    if isinstance(thread, str) and thread:
        return thread
    message = f"wanted the thread's name in 'thread', came {thread!r}"
    raise ValueError(message)


async def _read(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            message = f"wanted at most {MOST_BYTES} bytes"
            raise ValueError(message)
    return body
