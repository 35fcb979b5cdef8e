"""Running jobs of the outbox: each once at a time, a thread's one after the other, users first."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Final
from weakref import WeakValueDictionary

from memory.hosting import Seat
from memory.outbox import Job, Outbox
from models.errors import OUTAGES
from tools.errors import NoticeNotSent, ThreadBusy
from tools.lease import Leases

log = logging.getLogger(__name__)

GATE_POLL_S: Final = 0.05
LEASE_S: Final = 30.0
LEASE: Final = "job/"  # no thread's key has a slash
NOTE_CHARS: Final = 300

Handle = Callable[[Job], Awaitable[tuple[str, str]]]


class JobRuns:
    """The runs of this process; `hurrying` is set while somebody waits for their end."""

    def __init__(
        self, outbox: Outbox, handle: Handle, *, seat: Seat, leases: Leases, give_way_s: float
    ) -> None:
        """Bind the queue and what to do with a row; see `Background`."""
        self._outbox, self._handle, self._seat = outbox, handle, seat
        self._leases, self._give_way_s = leases, give_way_s
        self._running: dict[str, asyncio.Task[str]] = {}
        self._threads: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.hurrying = False
        self.handled = 0

    async def run(self, job_id: str) -> str:
        """Run a row by its id unless it runs already; returns the state it is in then."""
        running = self._running.get(job_id)
        if running is None:
            running = asyncio.create_task(
                self._fresh(job_id), name=f"job {job_id}", context=Context()
            )
            self._running[job_id] = running
            running.add_done_callback(lambda _: self._running.pop(job_id, None))
        return await asyncio.shield(running)

    async def _fresh(self, job_id: str) -> str:
        job = await self._outbox.job(job_id)
        if job is None:
            return "gone"
        async with self._threads.setdefault(job.thread, asyncio.Lock()):
            if self._seat.exclusive:
                return await self._one(job_id)
            try:
                async with self._leases.hold(f"{LEASE}{job_id}", "background", LEASE_S):
                    return await self._one(job_id)
            except ThreadBusy:
                return "elsewhere"

    async def _one(self, job_id: str) -> str:
        job = await self._outbox.job(job_id)  # another run may have ended it before this one could
        if job is None or job.state != "pending":
            return "gone" if job is None else job.state
        await self.give_way()
        try:
            state, note = await self._handle(job)
        except (*OUTAGES, NoticeNotSent) as error:
            state, note = "waits", _said(error)
        except Exception as error:  # noqa: BLE001 - a job's fault is kept with the job and retried
            log.warning("background job %s failed: %s", job.id, error)
            state, note = "failed", _said(error)
        self.handled += 1
        waits = state == "waits"  # ends without our doing, and is tried until it does
        return await self._outbox.settle(job, "failed" if waits else state, note, lasting=not waits)

    async def give_way(self) -> None:
        """Wait while a user's turn runs, but not for ever: a busy desk learns too."""
        ends = time.monotonic() + self._give_way_s
        while not self.hurrying and time.monotonic() < ends:
            if not await self._leases.any_held(apart_from=LEASE):
                return
            await asyncio.sleep(GATE_POLL_S)

    async def wait(self, timeout_s: float) -> None:
        """Wait for what runs now."""
        if self._running:
            await asyncio.wait(set(self._running.values()), timeout=timeout_s)

    async def cancel(self) -> None:
        """Stop what runs now; the rows stay pending."""
        left = set(self._running.values())
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:NOTE_CHARS]
