"""A desk that lives in a loop of its own, so that a person can type in the main thread.

`input()` in a worker thread cannot be interrupted by Ctrl-C, and in the loop's own thread it would
stop the desk's background work. So the main thread types, and the loop has the other one.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from graph import cli_run
from graph.cli_options import Door
from graph.cli_screen import Screen

if TYPE_CHECKING:
    from graph.session import Desk

Result = TypeVar("Result")
CANCEL_SECONDS = 10.0


class DeskThread:
    """Opens a desk in a thread; `call` runs work on it and waits."""

    def __init__(self, door: Door, screen: Screen) -> None:
        """Open nothing yet; entering does."""
        self._door = door
        self._screen = screen
        self._opened: Future[Desk] = Future()
        self._closed: Future[None] = Future()
        self._thread = threading.Thread(target=self._live, name="desk", daemon=True)

    def __enter__(self) -> Self:
        """Open the desk; raises what opening raises."""
        with self._screen.progress("Opening the desk"):
            self._thread.start()
            self._desk = self._opened.result()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the desk, which drains its background work; raises what closing raises."""
        with self._screen.progress("Finishing background work"):
            self._loop.call_soon_threadsafe(self._leave.set)
            self._closed.result()

    def call(self, work: "Callable[[Desk], Coroutine[Any, Any, Result]]") -> Result:
        """Run work in the loop and wait for it; Ctrl-C cancels it, lets it end, and is raised."""
        started: Future[asyncio.Task[Result]] = Future()
        ended = threading.Event()

        def start() -> None:
            task = self._loop.create_task(work(self._desk))
            task.add_done_callback(lambda _: ended.set())
            started.set_result(task)

        def stop() -> None:
            if started.done():
                started.result().cancel()
            else:  # stopped before the loop was told to start
                ended.set()

        try:
            self._loop.call_soon_threadsafe(start)
            ended.wait()
        except KeyboardInterrupt:
            self._loop.call_soon_threadsafe(stop)
            ended.wait(CANCEL_SECONDS)
            raise
        return started.result().result()

    def _live(self) -> None:
        try:
            asyncio.run(self._hold())
        except BaseException as error:  # noqa: BLE001  handed to the thread that waits for it
            (self._closed if self._opened.done() else self._opened).set_exception(error)
        else:
            self._closed.set_result(None)

    async def _hold(self) -> None:
        """Open and close the desk in one task, as cancel scopes want it."""
        self._loop = asyncio.get_running_loop()
        self._leave = asyncio.Event()
        async with cli_run.open_app_desk(self._door) as desk:
            self._opened.set_result(desk)
            await self._leave.wait()
