"""The Python door to background jobs: look at them, try them again, consolidate a thread now."""

import asyncio
from dataclasses import dataclass
from typing import Final

from graph.admission import Admission, check, is_number
from graph.errors import UnknownJob
from graph.services import Services
from memory.outbox import Job
from state import thread_name

WAIT_S: Final = 120.0
POLL_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class JobInfo:
    """One background job as its user sees it.

    Attributes:
        id: what `retry_jobs` takes.
        kind: turn_closed, consolidate or summarize.
        thread: the thread's name.
        state: pending, done, empty or failed.
        cause: turn, pause, compaction or hand.
        tries: how often it was run.
        note: what came of it, or why not.
        due_at: not before, while it is pending.
        created_at: when it was first wished for.
        updated_at: when it was last run.
    """

    id: str
    kind: str
    thread: str
    state: str
    cause: str
    tries: int
    note: str
    due_at: str
    created_at: str
    updated_at: str


class BackgroundDoor:
    """What a desk offers about its background; needs the desk's services and admission."""

    services: Services
    _admission: Admission

    async def jobs(self, *, user: str, tenant: str = "default", limit: int = 50) -> list[JobInfo]:
        """A user's background jobs: those that wait or failed first, then the newest."""
        fits = is_number(limit) and limit > 0
        check(fits, "how many jobs to list, at least 1", limit, "Leave it out for 50.")
        scope = self._admission.context(user, tenant).scope
        return [_info(job) for job in await self.services.outbox.of_user(scope, limit)]

    async def retry_jobs(
        self, job_id: str | None = None, *, user: str, tenant: str = "default"
    ) -> int:
        """Try failed jobs anew, one or all, now and not after their pause; return how many.

        Raises:
            UnknownJob: the user has no such job that has failed.
        """
        fits = job_id is None or isinstance(job_id, str)
        check(fits, "a job's id as text, or None for all", job_id, "`jobs` lists them.")
        scope = self._admission.context(user, tenant).scope
        opened = await self.services.outbox.retry(scope, job_id)
        if job_id is not None and not opened:
            raise UnknownJob(job_id)
        if opened:
            self.services.background.wake()
        return opened

    async def consolidate(self, thread: str, *, user: str, tenant: str = "default") -> JobInfo:
        """Turn a thread's conversation so far into memory, without waiting for a pause.

        When another process does the background work, its result is waited for a while; the job
        is `pending` if none came.

        Raises:
            UnknownThread: there is none.
            NotYourThread: it is somebody else's.
        """
        key, owner = await self._admission.owner(thread, tenant, user)
        services = self.services
        records = await services.transcript.records(key)
        if not records:
            return JobInfo("", "consolidate", thread, "empty", "hand", 0, "no turn is closed yet",
                           "", "", "")  # fmt: skip
        last = records[-1]["id"]
        job_id = await services.outbox.request("consolidate", owner.scope, key, last)
        if await services.background.is_host():
            await services.background.drain(WAIT_S)
        return _info(await self._settled(job_id))

    async def _settled(self, job_id: str) -> Job:
        """The job once it was tried, or as it is when nobody tries it."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + WAIT_S
        while True:
            job = await self.services.outbox.job(job_id)
            if job is None:
                raise UnknownJob(job_id)
            tried = job.state != "pending" or job.attempts > 0
            if tried or loop.time() > ends or await self.services.background.is_host():
                return job
            await asyncio.sleep(POLL_S)


def _info(job: Job) -> JobInfo:
    return JobInfo(
        job.id,
        job.kind,
        thread_name(job.thread),
        job.state,
        job.cause,
        job.attempts,
        job.note,
        job.due_at if job.state == "pending" else "",
        job.created_at,
        job.updated_at,
    )
