"""Approvals over HTTP, beside the graphs' server (`http.app` in langgraph.json) or on their own.

    uvicorn graph.http:app

Every route but the health check knows its reviewer by a bearer token, or by a signed link that was
sent to one person; rights, state and time are checked by the ledger when the decision is taken.
"""

import hmac
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Final, TypeAlias

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from configs.environment import read_secret
from configs.notify import HttpSettings
from graph.approval_links import LINK_PATH
from graph.approval_page import answer_page, decision_page, refusal_page
from graph.checkpoints import open_checkpointer
from graph.errors import DeskError
from graph.http_exchange import NoReviewer, asked_thread, read_form, read_json, refused
from graph.notify import DECIDE_PATH
from graph.reviews import Reviewer, Reviews
from graph.session import Desk
from graph.studio import shared_services

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]

PAGE_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
}


class Door:
    """The routes, over services that are opened with the server and shared with its graphs."""

    def __init__(self) -> None:
        """Nothing is open yet."""
        self._reviews: Reviews | None = None
        self._tokens: list[tuple[bytes, Reviewer]] = []

    @property
    def routes(self) -> list[Route]:
        """Where what is answered."""
        return [
            Route("/approvals/health", self.health, methods=["GET"]),
            Route("/approvals", _guarded(self.pending), methods=["GET"]),
            Route(DECIDE_PATH, _guarded(self.decide), methods=["POST"]),
            Route("/approvals/resume", _guarded(self.resume), methods=["POST"]),
            Route(LINK_PATH, self.link, methods=["GET", "POST"]),
        ]

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """Open everything before the first request; on its own, send what an earlier one left."""
        services = await shared_services()
        async with open_checkpointer(services.settings) as saver:
            self._reviews = Reviews(Desk(services, saver))
            self._tokens = _tokens(services.settings.http)
            if not _beside_graphs():
                services.mcp.start()
                services.background.start()
            try:
                yield
            finally:
                self._reviews = None

    @property
    def reviews(self) -> Reviews:
        """What the routes work on.

        Raises:
            RuntimeError: the server has not run the lifespan.
        """
        if self._reviews is None:
            message = "the routes are used before the server has started them"
            raise RuntimeError(message)
        return self._reviews

    async def health(self, _request: Request) -> Response:
        """Whether the services are open."""
        return JSONResponse({"ok": self._reviews is not None})

    async def pending(self, request: Request) -> Response:
        """What the reviewer may decide, of one thread or of all."""
        reviewer, thread = self._reviewer(request), request.query_params.get("thread")
        return JSONResponse({"pending": await self.reviews.pending(reviewer, thread)})

    async def decide(self, request: Request) -> Response:
        """Take decisions, `{"thread": …, "decisions": [{"id": …, "type": …}]}`, and go on."""
        reviewer, given = self._reviewer(request), await read_json(request)
        thread, decisions = asked_thread(given), given.get("decisions")
        return JSONResponse(await self.reviews.decide(reviewer, thread, decisions))

    async def resume(self, request: Request) -> Response:
        """Go on with the reviewer's own thread, `{"thread": …}`, after a crash."""
        reviewer, given = self._reviewer(request), await read_json(request)
        return JSONResponse(await self.reviews.resume(reviewer, asked_thread(given)))

    async def link(self, request: Request) -> Response:
        """Show one action, and take its decision by the form; looking at it decides nothing."""
        token = request.query_params.get("token", "")
        found = await self.reviews.linked(token)
        if found is None:
            return _page(refusal_page(), 403)
        if request.method == "GET":
            return _page(decision_page(asdict(found.action), found.link.reviewer), 200)
        try:
            said = await self.reviews.decide_linked(found, await read_form(request))
        except (DeskError, ValueError) as error:
            return _page(answer_page(str(error)), 409)
        return _page(answer_page(said), 200)

    def _reviewer(self, request: Request) -> Reviewer:
        """Who asks, by the bearer token; every token is compared, whichever one fits."""
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        token = given.strip().encode() if scheme.lower() == "bearer" else b""
        fits = [who for known, who in self._tokens if hmac.compare_digest(known, token)]
        if not token or not fits:
            raise NoReviewer
        return fits[0]


def _beside_graphs() -> bool:
    """Whether the graphs' server runs here.

    Its runs have a loop and services of their own, which own the background and the index.
    """
    return "langgraph_api" in sys.modules


def _guarded(handler: Handler) -> Handler:
    """The handler with its errors as answers."""

    async def guarded(request: Request) -> Response:
        try:
            return await handler(request)
        except (DeskError, NoReviewer, ValueError) as error:
            return refused(error)

    return guarded


def _tokens(settings: HttpSettings) -> list[tuple[bytes, Reviewer]]:
    found = []
    for reviewer in settings.reviewers:
        secret = read_secret(reviewer.token_env)
        if secret is not None:
            who = Reviewer(reviewer.user, reviewer.tenant)
            found.append((secret.get_secret_value().encode(), who))
    return found


def _page(html: str, status: int) -> HTMLResponse:
    return HTMLResponse(html, status, headers=PAGE_HEADERS)


door = Door()
app = Starlette(routes=door.routes, lifespan=door.lifespan)
