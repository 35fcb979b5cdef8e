"""The background worker: handles outbox rows one after the other, beside the user's turns."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from memory.outbox import Job, Outbox

log = logging.getLogger(__name__)

IDLE_S = 5.0
UPKEEP_S = 600.0
PAUSE_S = 0.1  # the turn that woke it ends first


class Background:
    """One owned task; `wake` it when there is work, `drain` it before the process ends."""

    def __init__(
        self,
        outbox: Outbox,
        handle: Callable[[Job], Awaitable[tuple[str, str]]],
        upkeep: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        """Bind the queue and what to do with a row.

        Args:
            outbox: the durable queue.
            handle: does one row's work and returns its end state with a note.
            upkeep: looks whether the stores need care, and gives it.
        """
        self._upkeep = upkeep
        self._kept_at = -UPKEEP_S
        self._outbox = outbox
        self._handle = handle
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """There is work; the task is started at the first call."""
        self._wake.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="hippocampus-worker")

    async def _run(self) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), IDLE_S)
            await asyncio.sleep(PAUSE_S)
            self._wake.clear()
            await self.sweep()
            await self.keep_up()

    async def sweep(self) -> int:
        """Handle every pending row once; returns how many."""
        jobs = await self._outbox.pending()
        for job in jobs:
            await self._one(job)
        return len(jobs)

    async def keep_up(self) -> None:
        """Look after the stores, at most every ten minutes; a fault is logged and tried again."""
        if self._upkeep is None or time.monotonic() - self._kept_at < UPKEEP_S:
            return
        self._kept_at = time.monotonic()
        try:
            await self._upkeep()
        except Exception as error:  # noqa: BLE001 - nobody waits for it, and it is tried again
            log.warning("upkeep failed: %s", error)

    async def _one(self, job: Job) -> None:
        try:
            state, note = await self._handle(job)
        except Exception as error:  # noqa: BLE001 - a job's fault is kept with the job and retried
            log.warning("background job %s failed: %s", job.id, error)
            state, note = "failed", f"{type(error).__name__}: {error}"[:300]
        await self._outbox.settle(job, state, note)

    async def drain(self, deadline_s: float) -> bool:
        """Finish what is pending within the deadline; what is left stays in the outbox.

        Returns:
            Whether everything was handled.
        """
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        try:
            await asyncio.wait_for(self.sweep(), deadline_s)
        except TimeoutError:
            log.warning("background work is left for the next start")
            return False
        return True
