"""One case: a fresh desk over HTTP, a provider with a fault, and what has to come of it."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from evals.faults_app import fault_settings
from evals.faults_provider import Play, Provider
from evals.openai_server import OpenAIServer, openai_server
from graph.replies import Reply
from graph.session import Desk, open_desk
from models.errors import ModelError
from models.replies import ModelReply

TENANT: Final = "default"
USER: Final = "local"
NEXT: Final = "And now?"
RECOVERY_S: Final = 0.25


class Wrong(Exception):
    """A case did not come out as it has to."""

    def __init__(self, what: str, wanted: object, came: object) -> None:
        """Say what was looked at."""
        super().__init__(f"{what}: wanted {wanted!r}, came {str(came)[:300]!r}")


@dataclass(slots=True)
class Bench:
    """What a case works with.

    Attributes:
        provider: what the models say, and what they were asked.
        replies: what came of each model call, in order.
        errors: the typed errors of model calls, in order.
    """

    server: OpenAIServer
    provider: Provider
    folder: Path
    overrides: Mapping[str, Any]
    stream: bool
    variant: Any
    desk: Desk = field(init=False)
    replies: list[ModelReply] = field(default_factory=list)
    errors: list[ModelError] = field(default_factory=list)

    def play(self, **parts: Any) -> None:  # noqa: ANN401 - fields of a Play
        """Let the provider misbehave like this."""
        self.provider.play = Play(**parts)

    async def ask(self, text: str = "What is the total of A?", thread: str = "t") -> Reply:
        """One turn, streamed if the case is."""
        if not self.stream:
            return await self.desk.ask(thread=thread, user=USER, text=text)
        events = self.desk.stream(thread=thread, user=USER, text=text)
        last = [event async for event in events][-1]
        reply: Reply = last.data["reply"]
        return reply

    def expect(self, what: str, came: object, wanted: object) -> None:
        """The two are equal."""
        if came != wanted:
            raise Wrong(what, wanted, came)

    def holds(self, what: str, came: object, part: str) -> None:
        """The text of the one holds the other."""
        if part not in str(came):
            raise Wrong(what, f"…{part}…", came)

    def lacks(self, what: str, came: object, part: str) -> None:
        """The text of the one does not hold the other."""
        if part in str(came):
            raise Wrong(what, f"no {part}", came)

    def at_most(self, what: str, came: float, most: float) -> None:
        """A number is not larger than allowed."""
        if came > most:
            raise Wrong(what, f"at most {most}", came)

    def typed(self, *kinds: type[ModelError]) -> None:
        """These errors came from model calls, in this order, and no others."""
        self.expect("typed errors", [type(error) for error in self.errors], list(kinds))

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Open the desk; a second opening is a second process on the same data."""
        settings = fault_settings(self.folder, self.server.base_url, **self.overrides)
        async with open_desk(settings) as desk:
            self.desk = desk
            self._listen()
            yield

    def _listen(self) -> None:
        gateway = self.desk.services.gateway
        call = gateway.call

        async def heard(*args: Any, **kwargs: Any) -> ModelReply:  # noqa: ANN401 - passed on
            try:
                reply = await call(*args, **kwargs)
            except ModelError as error:
                self.errors.append(error)
                raise
            self.replies.append(reply)
            return reply

        gateway.call = heard  # type: ignore[method-assign]  # to hear what the product hears


Body: TypeAlias = Callable[[Bench], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A fault, and what has to come of it.

    Attributes:
        fault: its id in FAILURES.
        title: what is played.
        body: plays it and checks what came.
        most_requests: how many requests it may cost.
        overrides: settings that differ.
        next_turn: whether the runner checks that the thread goes on; else the body does.
    """

    fault: str
    title: str
    body: Body
    most_requests: int
    overrides: Mapping[str, Any] = field(default_factory=dict)
    stream: bool = False
    variant: Any = None
    next_turn: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a case ended: `problem` is empty when it came out right."""

    case: Case
    problem: str
    requests: int
    seconds: float


class Catalogue:
    """The cases of one file, in order."""

    def __init__(self) -> None:
        """Start empty."""
        self.cases: list[Case] = []

    def add(
        self,
        fault: str,
        title: str,
        *,
        most: int,
        streams: Sequence[bool] = (False,),
        variants: Mapping[str, object] | None = None,
        next_turn: bool = True,
        **overrides: object,
    ) -> Callable[[Body], Body]:
        """A case for each way to ask and each variant."""

        def register(body: Body) -> Body:
            for stream in streams:
                for name, variant in (variants or {"": None}).items():
                    parts = [title, name, "streamed" if stream else ""]
                    self.cases.append(
                        Case(
                            fault=fault,
                            title=", ".join(part for part in parts if part),
                            body=body,
                            most_requests=most,
                            overrides=overrides,
                            stream=stream,
                            variant=variant,
                            next_turn=next_turn,
                        )
                    )
            return body

        return register


async def run_case(case: Case) -> Result:
    """Play a case, then a turn in which the provider is well again."""
    started, provider = time.monotonic(), Provider()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with openai_server(provider) as server:
            bench = Bench(
                server=server,
                provider=provider,
                folder=Path(folder) / "data",
                overrides=case.overrides,
                stream=case.stream,
                variant=case.variant,
            )
            problem, requests = await _played(case, bench)
    seconds = time.monotonic() - started
    return Result(case=case, problem=problem, requests=requests, seconds=seconds)


async def _played(case: Case, bench: Bench) -> tuple[str, int]:
    requests = 0
    try:
        async with bench.opened():
            await case.body(bench)
            requests = len(bench.server.requests)
            bench.at_most("requests", requests, case.most_requests)
            if case.next_turn:
                await goes_on(bench)
        bench.expect("broken histories", bench.provider.violations, [])
    except Wrong as wrong:
        return str(wrong), len(bench.server.requests)
    except Exception as error:  # noqa: BLE001 - whatever a case dies of is its outcome
        return f"{type(error).__name__}: {error}"[:400], len(bench.server.requests)
    return "", requests


async def goes_on(bench: Bench, thread: str = "t") -> None:
    """The provider is well again, and so is the thread."""
    bench.provider.refuses, bench.provider.most_chars = {}, None
    bench.play()
    await asyncio.sleep(RECOVERY_S)
    reply = await bench.desk.ask(thread=thread, user=USER, text=NEXT)
    bench.expect("next turn", (reply.status, reply.text), ("done", "All done."))
