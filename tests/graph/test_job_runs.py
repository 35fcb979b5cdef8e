"""Two hosts of one database run its jobs: each job is run by one of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from shutil import copy

from graph.job_runs import JobRuns
from memory.database import Database
from memory.hosting import FileSeat
from memory.outbox import Job, Outbox
from state import Scope
from tests.tools.parts import SetClock
from tools.lease import Lease, Leases


class SharedSeat(FileSeat):
    """A seat beside which there are others."""

    exclusive = False


class LateLeases(Leases):
    """Before a hold is taken, another host has run the job to its end."""

    def __init__(self, database: Database, clock: SetClock, other: JobRuns) -> None:
        super().__init__(database, clock)
        self._other = other

    @asynccontextmanager
    async def hold(
        self, thread: str, owner: str, ttl_s: float, *, wait_s: float = 0.0
    ) -> AsyncIterator[Lease]:
        assert await self._other.run(thread.partition("/")[2]) == "done"
        async with super().hold(thread, owner, ttl_s, wait_s=wait_s) as lease:
            yield lease


async def test_a_job_that_another_host_ended_in_between_is_not_run_again(
    founded: Path, tmp_path: Path, clock: SetClock
) -> None:
    database = await Database.open(f"sqlite:///{copy(founded, tmp_path)}")
    outbox = Outbox(database, clock)
    ran: list[str] = []

    def runs(host: str, leases: Leases) -> JobRuns:
        async def handle(job: Job) -> tuple[str, str]:
            ran.append(host)
            return "done", job.kind

        return JobRuns(outbox, handle, seat=SharedSeat(None), leases=leases, give_way_s=0)

    early = runs("early", Leases(database, clock))
    late = runs("late", LateLeases(database, clock, early))
    job = await outbox.request("remember", Scope(user="ada"), "default:t", "turn")
    assert await late.run(job) == "done"
    assert ran == ["early"]
    await database.close()
