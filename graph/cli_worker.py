"""Background work from the command line: a worker, a look at the jobs, and work asked for now."""

import asyncio
import os
import signal
from typing import TYPE_CHECKING, Final

from graph.cli_options import FAILED, OK, Door
from graph.cli_run import run_with_desk
from graph.cli_screen import Screen, shortened, when

if TYPE_CHECKING:
    from graph.background_door import JobInfo
    from graph.session import Desk

NICENESS: Final = 10
SIGNALS = (signal.SIGTERM, signal.SIGINT)


def worker(door: Door, *, once: bool) -> int:
    """Handle background jobs until SIGTERM or Ctrl-C, or with `once` only those that are due.

    Its jobs wait while a user's turn runs anywhere; one that goes on is a nice process.
    """

    async def work(desk: "Desk", screen: Screen) -> int:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, stop.set)
        try:
            handled = await _work(desk, stop, screen, once=once)
        finally:
            for number in SIGNALS:
                loop.remove_signal_handler(number)
        screen.say(f"{handled} job(s) handled.")
        screen.document({"handled": handled})
        return OK

    if not once:
        _be_nice()
    return run_with_desk(door, work)


def _be_nice() -> None:
    """Leave the cores to the users' turns.

    Before there is any other thread: on Linux each has its own niceness, inherited at its start.
    Models that compute on the processor keep to one core.
    """
    os.setpriority(os.PRIO_PROCESS, 0, NICENESS)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")


async def _work(desk: "Desk", stop: asyncio.Event, screen: Screen, *, once: bool) -> int:
    background = desk.services.background
    if not await background.is_host():
        host = await background.host()
        screen.warn(
            f"Process {host} does the background work here; this one "
            + ("leaves it to that." if once else "takes over when it ends.")
        )
    if once:
        with screen.progress("Working"):
            handled = await background.sweep()
            await background.keep_up()
        return handled
    screen.say("Waiting for background work; SIGTERM or Ctrl-C ends it.")
    await background.launch()
    background.start()
    await stop.wait()
    return background.handled


def jobs(door: Door, retry: str | None, limit: int) -> int:
    """List a user's jobs, after trying failed ones again where that is asked for."""

    async def work(desk: "Desk", screen: Screen) -> int:
        if retry is not None:
            chosen = None if retry == "all" else retry
            opened = await desk.retry_jobs(chosen, user=door.user, tenant=door.tenant)
            with screen.progress("Trying again"):
                await desk.services.background.sweep()
            screen.say(f"{opened} job(s) tried again.")
        found = await desk.jobs(user=door.user, tenant=door.tenant, limit=limit)
        if found:
            heading = ("id", "what", "thread", "state", "tries", "due or ended", "note")
            screen.table(heading, [_row(job) for job in found])
        else:
            screen.say("No background jobs.")
        screen.document(found)
        return OK

    return run_with_desk(door, work)


def _row(job: "JobInfo") -> tuple[str, ...]:
    at = job.due_at or job.updated_at
    note = shortened(job.note, 80)
    return (job.id, job.kind, job.thread, job.state, str(job.tries), when(at), note)


def consolidate(door: Door, thread: str) -> int:
    """Turn a conversation into memory now; fails when the job did."""

    async def work(desk: "Desk", screen: Screen) -> int:
        with screen.progress("Consolidating"):
            job = await desk.consolidate(thread, user=door.user, tenant=door.tenant)
        screen.say(f"{job.state}: {job.note}" if job.note else job.state)
        screen.document(job)
        failed = job.state == "failed" or (job.state == "pending" and job.tries > 0)
        if failed:
            screen.warn(f"`{door.again('jobs')}` shows it; it is tried again.")
        return FAILED if failed else OK

    return run_with_desk(door, work)
