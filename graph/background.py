"""The background of a process: jobs of the outbox, run beside the users' turns.

Rows of the outbox are the truth. The process that holds the database's seat runs them: by itself
while it may be gone in a moment, through the durable engine once it has lived on after an answer.
Other processes only write rows.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from contextvars import Context
from typing import TYPE_CHECKING, Final

from configs.hippocampus import HippocampusSettings
from graph.job_runs import Handle, JobRuns
from memory.hosting import Seat
from memory.indexing import Indexer
from memory.outbox import Outbox
from tools.lease import Leases

if TYPE_CHECKING:
    from graph.durable import Engine

log = logging.getLogger(__name__)

IDLE_S: Final = 2.0
UPKEEP_S: Final = 600.0
PAUSE_S: Final = 0.1  # the turn that woke it ends first
ENGINE_AFTER_S: Final = 1.0  # a command that answers once is gone by then
PAGE: Final = 100
INDEX_ROWS: Final = 4
HORIZON_S: Final = 120.0  # what is due later may be put off, or tried by hand, until then
RESCUE_S: Final = 60.0
_LOADING: Final = threading.Lock()


class Background:
    """`wake` it when there is work, `drain` what is due, `close` it before the process ends."""

    def __init__(
        self,
        outbox: Outbox,
        handle: Handle,
        *,
        seat: Seat,
        url: str,
        settings: HippocampusSettings,
        leases: Leases,
        indexer: Indexer | None = None,
        upkeep: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        """Bind the queue and what to do with a row.

        Args:
            outbox: the durable queue.
            handle: does one row's work and returns its end state with a note.
            seat: the right to run jobs.
            url: the database, for the engine.
            settings: times and limits.
            leases: tells whether a user's turn runs somewhere; where hosts share a database they
                also keep a job to one of them.
            indexer: what puts rows into the vector index, which one process owns.
            upkeep: looks whether the stores need care, and gives it.
        """
        self._outbox, self._seat, self._url = outbox, seat, url
        self._settings, self._indexer, self._upkeep = settings, indexer, upkeep
        self._runs = JobRuns(
            outbox, handle, seat=seat, leases=leases, give_way_s=settings.give_way_s
        )
        self._kept_at = self._rescued_at = -UPKEEP_S
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._launching: asyncio.Task[Engine | None] | None = None
        self._touched: set[str] = set()
        self._handed: dict[str, str] = {}
        self._closed = False
        self._began = 0.0

    def wake(self, thread: str = "") -> None:
        """There is work, of this thread; the task is started at the first call."""
        if thread:
            self._touched.add(thread)
        self._wake.set()
        self.start()

    def start(self) -> None:
        """Look for work from now on."""
        if self._task is None or self._task.done():
            self._began = time.monotonic()
            # Not in the context of the node that wakes it: its graphs are nobody's subgraphs.
            self._task = asyncio.create_task(
                self._run(), name="hippocampus-worker", context=Context()
            )

    async def _run(self) -> None:
        while True:
            with suppress(TimeoutError):
                # Not wait_for, which on 3.11 may swallow a cancellation that comes with the event.
                async with asyncio.timeout(IDLE_S):
                    await self._wake.wait()
            await asyncio.sleep(PAUSE_S)
            self._wake.clear()
            try:
                await self._look()
            except Exception as error:  # noqa: BLE001 - the rows are still there for the next look
                log.warning("looking for background work failed: %s", error)

    async def _look(self) -> None:
        await self._index()
        if not await self.is_host():
            return
        engine = await self._engine()
        if engine is None:
            await self.sweep()
        else:
            await self._hand_over(engine)
            await self._rescue(engine)
        await self.keep_up()

    async def _index(self) -> None:
        """Index what other processes have written, a few rows at a time, between users' turns."""
        while self._indexer is not None and self._indexer.started:
            await self.give_way()
            if not await self._indexer.sweep(INDEX_ROWS, batch=INDEX_ROWS):
                return

    async def _rescue(self, engine: "Engine") -> None:
        """Take over, now and then, what hosts of a shared database left that are gone."""
        if self._seat.exclusive or time.monotonic() - self._rescued_at < RESCUE_S:
            return
        self._rescued_at = time.monotonic()
        await engine.rescue(await asyncio.to_thread(self._seat.vacant))

    @property
    def handled(self) -> int:
        """How many jobs this process has run."""
        return self._runs.handled

    async def is_host(self) -> bool:
        """Whether this process runs the jobs; it does when nobody else has the seat."""
        return await asyncio.to_thread(self._seat.acquire)

    async def host(self) -> str:
        """The process that runs the jobs, as far as it is known."""
        return await asyncio.to_thread(self._seat.owner)

    async def launch(self) -> None:
        """Start the engine without waiting for an answer to be given first."""
        if await self.is_host():
            await self._launch()

    async def _engine(self) -> "Engine | None":
        if self._launching is None:
            if time.monotonic() - self._began < ENGINE_AFTER_S:
                return None
            await self.give_way()
        return await self._launch()

    async def _launch(self) -> "Engine | None":
        if self._launching is None:
            self._launching = asyncio.create_task(self._launched(), name="launch engine")
        return await asyncio.shield(self._launching)

    async def _launched(self) -> "Engine | None":
        if not self._seat.lasting:
            return None
        kind = await asyncio.to_thread(_load_engine)
        engine = kind(
            self._url,
            self._runs.run,
            seat=self._seat.number,
            concurrency=self._settings.concurrency,
            ceiling_s=self._settings.pause_ceiling_s,
        )
        try:
            return engine if await engine.launch() else None
        except Exception as error:  # noqa: BLE001 - jobs can be run without it, and must be
            log.warning("the durable engine did not start, jobs run without it: %s", error)
            return None

    async def _hand_over(self, engine: "Engine") -> None:
        jobs = await self._outbox.pending(PAGE)
        jobs = [job for job in jobs if self._outbox.seconds_to(job) < HORIZON_S]
        known = self._handed
        self._handed = {job.id: f"{job.attempts} {job.updated_at}" for job in jobs}
        fresh = [job for job in jobs if known.get(job.id) != self._handed[job.id]]
        await engine.hand_over([(job, self._outbox.seconds_to(job)) for job in fresh])

    async def give_way(self) -> None:
        """Wait while a user's turn runs, but not for ever: a busy desk learns too."""
        await self._runs.give_way()

    async def sweep(self, early: Collection[str] = ()) -> int:
        """Handle every row that is due, if this process is the host; returns how many.

        Args:
            early: threads whose rows are handled whether due or not.
        """
        handled = 0
        while await self.is_host() and (jobs := await self._outbox.due(PAGE, early)):
            for job in jobs:
                await self._runs.run(job.id)
            handled += len(jobs)
        return handled

    async def keep_up(self) -> None:
        """Look after the stores, at most every ten minutes; a fault is logged and tried again."""
        if self._upkeep is None or time.monotonic() - self._kept_at < UPKEEP_S:
            return
        self._kept_at = time.monotonic()
        try:
            await self._upkeep()
            if self._launching is not None and (engine := await self._launch()) is not None:
                await engine.tidy()
        except Exception as error:  # noqa: BLE001 - nobody waits for it, and it is tried again
            log.warning("upkeep failed: %s", error)

    async def drain(self, deadline_s: float, early: Collection[str] = ()) -> bool:
        """Finish what is due within the deadline; what is left stays in the outbox.

        Args:
            deadline_s: seconds.
            early: threads whose rows are handled whether due or not.

        Returns:
            Whether everything was handled.
        """
        hurrying, self._runs.hurrying = self._runs.hurrying, True
        try:
            if deadline_s > 0:
                async with asyncio.timeout(deadline_s):
                    await self.sweep(early)
        except TimeoutError:
            log.warning("background work is left for the next start")
            await self._runs.cancel()
            return False
        finally:
            self._runs.hurrying = hurrying
        return not await self._outbox.due(1, early)

    async def close(self, deadline_s: float) -> bool:
        """End the background: what this desk's threads have left is done within the deadline.

        Returns:
            Whether everything was handled.
        """
        if self._closed:
            return True
        self._runs.hurrying = self._closed = True
        ends = time.monotonic() + deadline_s
        try:
            if self._task is not None:
                self._task.cancel()
                await asyncio.wait({self._task})
                self._task = None
            await self._runs.wait(deadline_s)
            await self._stop_engine()
            threads, self._touched = self._touched, set()
            return await self.drain(max(0.0, ends - time.monotonic()), threads)
        finally:
            await self._runs.cancel()
            await asyncio.to_thread(self._seat.release)

    async def _stop_engine(self) -> None:
        launching, self._launching, self._handed = self._launching, None, {}
        engine = await launching if launching is not None else None
        if engine is not None:
            stopping = asyncio.create_task(engine.stop(), name="stop engine")
            await self._runs.cancel()
            await asyncio.shield(stopping)


def _load_engine() -> "type[Engine]":
    with _LOADING:  # packages that import in a circle are no good to two threads at once
        from graph.durable import Engine  # noqa: PLC0415 - DBOS takes half a second to import

    return Engine
