"""The durable engine under the background: queue, timer, recovery and limits by DBOS.

The only importer of dbos, and itself imported only after a first answer was given. Rules, each
learned by trying:

- One process hosts it on SQLite; the seat of `memory.hosting` sees to that. A second one ran a live
  step again.
- Version and executor are constants. By default they follow the code, and after an edit a job
  stayed pending for ever.
- Workflows are sync functions and its API is called from threads only: its async API replaces the
  event loop's executor.
- Inputs and outputs are ids and states, as JSON. What a job is about is in the outbox.
- A step runs at least once. One that is stopped is left by an exception that DBOS does not record,
  so that the job stays pending and the next host recovers it.
"""

import asyncio
import json
import logging
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import CancelledError
from datetime import UTC, datetime, timedelta
from time import time
from typing import Any, Final

from dbos import DBOS, DBOSConfig, Debouncer, SetEnqueueOptions, SetWorkflowID
from dbos._serialization import Serializer  # the name is exported nowhere else
from sqlalchemy import make_url

from memory.outbox import Job
from state import derived_id

NAME: Final = "hippograph"
VERSION: Final = "1"
POLL_S: Final = 0.5
STEP_POLL_S: Final = 0.25
KEPT_S: Final = 3600.0
PAGE: Final = 500
QUEUES: Final = {"turn_closed": "refinement", "summarize": "refinement", "notify": "refinement"}
CONSOLIDATION: Final = "consolidation"


class OldSqlite(sqlite3.Connection):
    """Tells the time in parts of a second, as SQLite does since 3.42.

    DBOS asks for it from Python 3.12 on, and Debian 12 still has SQLite 3.40.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as sqlite3 is called
        """Open the file."""
        super().__init__(*args, **kwargs)
        self.create_function(
            "unixepoch", -1, lambda *asked: time() if asked == ("subsec",) else int(time())
        )


class Interrupted(BaseException):
    """A job is left undone because its process ends; not an Exception, so DBOS records nothing."""


class Ids(Serializer):
    """Writes JSON instead of pickles, and of an object that is none of it only the type's name."""

    def serialize(self, data: Any) -> str:  # noqa: ANN401 - whatever DBOS keeps
        """The text that is kept."""
        return json.dumps(data, default=lambda value: type(value).__name__)

    def deserialize(self, serialized_data: str) -> Any:  # noqa: ANN401 - whatever DBOS keeps
        """The value of a text."""
        return json.loads(serialized_data)

    def name(self) -> str:
        """What DBOS notes beside each value."""
        return "hippograph_json"


class Engine:
    """DBOS, running in this process for one database; there can be one."""

    _only = threading.Lock()
    _running: "Engine | None" = None

    def __init__(
        self,
        url: str,
        run: Callable[[str], Awaitable[str]],
        *,
        seat: int,
        concurrency: int,
        ceiling_s: float,
    ) -> None:
        """Bind it to the running loop; nothing is started yet.

        Args:
            url: the database that holds the outbox too.
            run: does a job by its id and returns the state it ended in.
            seat: which host this is.
            concurrency: how many jobs of a queue run at a time.
            ceiling_s: the longest a debounced job is put off.
        """
        self._url, self._run_job, self._seat = url, run, seat
        self._concurrency, self._ceiling_s = concurrency, ceiling_s
        self._loop = asyncio.get_running_loop()
        self._stopping = threading.Event()
        self._active = 0

    async def launch(self) -> bool:
        """Start it; False when this process runs one for another desk already."""
        return await asyncio.to_thread(self._launch)

    def _launch(self) -> bool:
        if not Engine._only.acquire(blocking=False):
            return False
        try:
            Engine._running = self
            _start(self._url, self._seat, self._concurrency)
        except BaseException:
            DBOS.destroy()
            self._end()
            raise
        return True

    async def hand_over(self, jobs: Sequence[tuple[Job, float]]) -> None:
        """Queue jobs, each to run in so many seconds; one that is queued stays queued once."""
        await asyncio.to_thread(self._hand_over, jobs)

    def _hand_over(self, jobs: Sequence[tuple[Job, float]]) -> None:
        for job, wait_s in jobs:
            queue = QUEUES.get(job.kind, CONSOLIDATION)
            with SetWorkflowID(run_id(job)):
                if job.cause == "pause" and job.attempts == 0 and wait_s > 0:
                    resting = Debouncer.create(
                        _job, debounce_timeout_sec=self._ceiling_s, queue=queue
                    )
                    resting.debounce(derived_id("rest", job.thread), wait_s, job.id)
                    continue
                with SetEnqueueOptions(delay_seconds=wait_s or None):
                    DBOS.enqueue_workflow(queue, _job, job.id)

    async def rescue(self, seats: Sequence[int]) -> None:
        """Take over what the former holders of vacant seats left half done."""
        if seats:
            names = [_executor(seat) for seat in seats]
            await asyncio.to_thread(DBOS._recover_pending_workflows, names)

    async def tidy(self) -> int:
        """Delete what DBOS keeps of runs that ended an hour ago; return how many."""
        return await asyncio.to_thread(_tidy)

    async def stop(self, grace_s: float = 2.0) -> None:
        """End it; a job that runs is left for the next host.

        Args:
            grace_s: how long to wait for its threads to notice.
        """
        self._stopping.set()
        await asyncio.to_thread(self._stop, grace_s)

    def _stop(self, grace_s: float) -> None:
        waited = threading.Event()
        for _ in range(int(grace_s / 0.05)):
            if not self._active:
                break
            waited.wait(0.05)
        # Asked to wait, it sleeps a whole second even when nothing runs.
        DBOS.destroy(workflow_completion_timeout_sec=1 if self._active else 0)
        self._end()

    def _end(self) -> None:
        Engine._running = None
        Engine._only.release()

    def run(self, job_id: str) -> str:
        """Run a job in the loop and wait for it in this thread.

        Raises:
            Interrupted: the process ends, or its loop has ended.
        """
        if self._stopping.is_set() or self._loop.is_closed():
            raise Interrupted
        self._active += 1
        try:
            return self._wait(job_id)
        finally:
            self._active -= 1

    def _wait(self, job_id: str) -> str:
        async def work() -> str:
            return await self._run_job(job_id)

        future = asyncio.run_coroutine_threadsafe(work(), self._loop)
        while True:
            try:
                return future.result(STEP_POLL_S)
            except CancelledError:
                raise Interrupted from None
            except TimeoutError:
                if self._stopping.is_set() or not self._loop.is_running():
                    future.cancel()
                    raise Interrupted from None


def run_id(job: Job) -> str:
    """One id for one try of a job: handing it over again queues nothing."""
    return derived_id("run", job.id, job.attempts, job.updated_at)


def _executor(seat: int) -> str:
    return f"host-{seat}"


def _start(url: str, seat: int, concurrency: int) -> None:
    log = logging.getLogger("dbos")
    if not log.handlers:  # otherwise it writes to stderr itself
        log.addHandler(logging.NullHandler())
    config: DBOSConfig = {
        "name": NAME,
        "system_database_url": make_url(url).render_as_string(hide_password=False),
        "application_version": VERSION,
        "executor_id": _executor(seat),
        "log_level": "WARNING",
        "enable_otlp": False,
        "serializer": Ids(),
        "max_executor_threads": 2 * concurrency + 4,
    }
    if make_url(url).get_backend_name() == "sqlite" and sqlite3.sqlite_version_info < (3, 42):
        config["db_engine_kwargs"] = {"connect_args": {"factory": OldSqlite}}
    DBOS(config=config)
    DBOS.launch()
    for queue in (*dict.fromkeys(QUEUES.values()), CONSOLIDATION):
        DBOS.register_queue(
            queue,
            worker_concurrency=concurrency,
            polling_interval_sec=POLL_S,
            on_conflict="always_update",
        )


def _tidy() -> int:
    ended = DBOS.list_workflows(
        status=["SUCCESS", "ERROR", "CANCELLED"],
        completed_before=(datetime.now(UTC) - timedelta(seconds=KEPT_S)).isoformat(),
        limit=PAGE,
        load_input=False,
        load_output=False,
    )
    if ended:
        DBOS.delete_workflows([one.workflow_id for one in ended])
    return len(ended)


@DBOS.step(name="work")
def _work(job_id: str) -> str:
    engine = Engine._running
    if engine is None:
        raise Interrupted
    return engine.run(job_id)


@DBOS.workflow(name="job")
def _job(job_id: str) -> str:
    return _work(job_id)
