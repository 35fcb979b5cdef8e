"""A desk that answers from a list, for tests of the command line alone."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

from graph.cli_options import Door
from graph.errors import UnknownThread
from graph.replies import Event, PendingAction, Reply, RollbackReport, Standing, ThreadInfo
from state import TurnRecord
from tools.registry import Registry


def action(name: str = "issue_refund", **changes: object) -> PendingAction:
    """An action that waits for approval, with changes."""
    values: dict[str, Any] = {
        "id": f"eff_{name}_0001",
        "thread": "main",
        "tool": name,
        "args": {"invoice_id": "INV-1", "amount": "20.00"},
        "description": "Refunds an invoice.",
        "reasons": ["irreversible"],
        "expires_at": "2030-01-01T00:00:00+00:00",
        "tool_call_id": f"call_{name}",
        "kind": "approval",
        "allowed": ["approve", "edit", "reject", "respond"],
    }
    values.update(changes)
    return PendingAction(**values)


def record(text: str = "where is my order") -> TurnRecord:
    """One closed turn with one call."""
    return {
        "id": "turn_1",
        "index": 1,
        "at": "2030-01-01T00:00:00+00:00",
        "user": text,
        "route": ["orders"],
        "modules": [
            {
                "expert": "orders",
                "question": text,
                "calls": [
                    {
                        "id": "call_1",
                        "name": "get_order",
                        "args": {"order_id": "ORD-1"},
                        "effect": "read_only",
                        "status": "ok",
                        "artifact": "art_1",
                        "note": "",
                    }
                ],
                "output": "It is on its way.",
            }
        ],
        "answer": "It is on its way.",
        "status": "done",
    }


class FakeDesk:
    """Gives the next of `replies`; remembers calls. What a reply leaves pending is pending."""

    def __init__(self) -> None:
        self.replies: list[Reply | BaseException] = []
        self.events: list[Event] = []
        self.waiting: list[PendingAction] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.report = RollbackReport("main", ["refund it"], [], [])
        self.infos: list[ThreadInfo] = []
        self.standings: list[Standing] = []
        self.jobs = [3, 0]
        self.opened: list[Door] = []
        self.closed = 0
        self.services = SimpleNamespace(
            registry=Registry([]),
            background=SimpleNamespace(
                sweep=self._sweep,
                keep_up=self._nothing,
                is_host=self._yes,
                launch=self._nothing,
                start=lambda: None,
                handled=3,
            ),
        )

    @asynccontextmanager
    async def open(self, door: Door) -> AsyncIterator["FakeDesk"]:
        self.opened.append(door)
        yield self
        self.closed += 1

    async def ask(self, **given: object) -> Reply:
        self.calls.append(("ask", given))
        return self._next()

    async def stream(self, **given: object) -> AsyncIterator[Event]:
        self.calls.append(("stream", given))
        for event in self.events:
            yield event
        reply = self._next()
        yield Event("answer", {"reply": reply})

    async def pending(self, thread: str | None = None, **given: object) -> list[PendingAction]:
        self.calls.append(("pending", {"thread": thread} | given))
        return list(self.waiting)

    async def decide(self, thread: str, decisions: Sequence[Any], **given: object) -> Reply:
        self.calls.append(("decide", {"thread": thread, "decisions": list(decisions)} | given))
        return self._next()

    async def resume(self, thread: str, **given: object) -> Reply:
        self.calls.append(("resume", {"thread": thread} | given))
        return self._next()

    async def cancel(self, thread: str, **given: object) -> Reply:
        self.calls.append(("cancel", {"thread": thread} | given))
        return self._next()

    async def rollback(self, thread: str, turns: int, **given: object) -> RollbackReport:
        self.calls.append(("rollback", {"thread": thread, "turns": turns} | given))
        return self.report

    async def threads(self, user: str, tenant: str) -> list[ThreadInfo]:
        self.calls.append(("threads", {"user": user, "tenant": tenant}))
        return self.infos

    async def standing(self, thread: str, **given: object) -> Standing:
        self.calls.append(("standing", {"thread": thread} | given))
        if not self.standings:
            raise UnknownThread(thread)
        return self.standings.pop(0)

    async def show(self, thread: str, user: str, tenant: str) -> list[TurnRecord]:
        self.calls.append(("show", {"thread": thread, "user": user, "tenant": tenant}))
        return [record()]

    def called(self, name: str) -> list[dict[str, Any]]:
        """What was given to a method, call by call."""
        return [given for called, given in self.calls if called == name]

    def _next(self) -> Reply:
        reply = self.replies.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        self.waiting = list(reply.pending)
        return reply

    async def _sweep(self) -> int:
        return self.jobs.pop(0) if self.jobs else 0

    async def _nothing(self) -> None:
        """Nothing needs care."""

    async def _yes(self) -> bool:
        return True
