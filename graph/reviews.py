"""Decisions for a door of many reviewers: on threads of this desk, and on the server's own."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from graph.admission import Admission
from graph.approval_links import Link, Links
from graph.errors import DecisionRefused, UserError
from graph.replies import PendingAction, pending_action
from graph.server_threads import decide_on_server, is_of_server
from graph.session import Desk
from tools.decisions import MESSAGE_CHARS
from tools.effects import EffectRow
from tools.errors import EffectUnknown, InvalidDecision

BY_LINK: Final = ("approve", "reject")


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Who decides, as a token or a link says."""

    user: str
    tenant: str


@dataclass(frozen=True, slots=True)
class Linked:
    """An action behind a link that holds."""

    link: Link
    row: EffectRow
    action: PendingAction


class Reviews:
    """What reviewers may see and decide; rights are asked anew each time."""

    def __init__(self, desk: Desk) -> None:
        """Work on an open desk."""
        self._desk = desk
        self._services = desk.services
        self._admission = Admission(desk.services.settings, desk.services.transcript)
        self._links = Links(desk.services.settings.http)

    async def pending(self, reviewer: Reviewer, thread: str | None = None) -> list[dict[str, Any]]:
        """Actions that the reviewer asked for or may decide.

        Raises:
            UnknownThread: the named thread does not exist, or does not concern the reviewer.
        """
        user, tenant = reviewer.user, reviewer.tenant
        if thread is None or await is_of_server(self._services, thread, tenant):
            found = await self._desk.pending(user=user, tenant=tenant)
            return [asdict(action) for action in found if thread in (None, action.thread)]
        return [asdict(one) for one in await self._desk.pending(thread, user=user, tenant=tenant)]

    async def decide(self, reviewer: Reviewer, thread: str, decisions: object) -> dict[str, Any]:
        """Take decisions and let the thread go on.

        Raises:
            UserError: why they cannot be taken; nothing has changed.
        """
        if not isinstance(decisions, list) or not all(isinstance(d, Mapping) for d in decisions):
            wrong = InvalidDecision("a list of objects in 'decisions'", decisions)
            raise DecisionRefused(str(wrong)) from wrong
        if await is_of_server(self._services, thread, reviewer.tenant):
            scope = self._admission.context(reviewer.user, reviewer.tenant).scope
            return await decide_on_server(self._services, thread, decisions, scope)
        reply = await self._desk.decide(
            thread, decisions, user=reviewer.user, tenant=reviewer.tenant
        )
        return reply.as_json()

    async def resume(self, reviewer: Reviewer, thread: str) -> dict[str, Any]:
        """Go on with the reviewer's own thread."""
        reply = await self._desk.resume(thread, user=reviewer.user, tenant=reviewer.tenant)
        return reply.as_json()

    async def linked(self, token: str) -> Linked | None:
        """The action behind a link, in whatever state; None for a link that does not hold."""
        link = self._links.read(token, self._services.clock())
        if link is None:
            return None
        try:
            row = await self._services.ledger.get(link.effect)
        except EffectUnknown:
            return None
        if (row.digest, row.tenant) != (link.digest, link.tenant):
            return None
        return Linked(link, row, pending_action(row, self._services.registry))

    async def decide_linked(self, linked: Linked, form: Mapping[str, str]) -> str:
        """Take the decision of a link's form, once; what came of it, for the reviewer.

        Raises:
            UserError: why it cannot be taken; nothing has changed.
        """
        kind = form.get("decision", "")
        if kind not in BY_LINK:
            raise UserError(f"wanted approve or reject, came {kind!r}")
        reviewer = Reviewer(linked.link.reviewer, linked.link.tenant)
        message = form.get("message", "")[:MESSAGE_CHARS]
        decision = {"id": linked.row.id, "type": kind, "message": message}
        ended = await self.decide(reviewer, linked.action.thread, [decision])
        done = "approved" if kind == "approve" else "rejected"
        more = len(ended.get("pending") or ())
        return f"{linked.action.title} is {done}." + (f" {more} more to decide." if more else "")
