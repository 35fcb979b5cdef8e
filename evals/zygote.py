"""A warm process that forks one child per job, so that 300 kills do not mean 300 imports.

It has no loop, no thread and no open file of the desk when it forks. Jobs come as JSON lines on
stdin; for each child that ended, a JSON line with its exit code or signal goes to stdout.
"""

import asyncio
import json
import os
import sys
import traceback
from pathlib import Path

from evals.crash_job import Job, run_job
from evals.tau.records import load_tables
from memory.entities import EntityFinder
from models.statements.reader import shared_reader
from models.tokens import count

FAILED = 70


def main() -> None:
    """Fork for each job on stdin until stdin ends; the first argument is the data folder."""
    count("warm")
    EntityFinder().read(["warm"])
    shared_reader().read("I am warm.")
    load_tables((Path(sys.argv[1]) / "tau_bench" / "retail").resolve())
    for line in sys.stdin:
        code = _forked(Job(**json.loads(line)))
        sys.stdout.write(json.dumps({"code": code}) + "\n")
        sys.stdout.flush()


def _forked(job: Job) -> int:
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = FAILED
    try:
        run_job(job)
        code = 0
    except BaseException:  # noqa: BLE001 - the child ends here, whatever it was
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)
    return code


class Zygote:
    """The parent's end: one job at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        """Talk to a running zygote."""
        self._process = process

    @classmethod
    async def start(cls, data: Path, errors: Path) -> "Zygote":
        """Start a process over the data; what children say on stderr goes to `errors`."""
        root = Path(__file__).parent.parent
        log = await asyncio.to_thread(errors.open, "wb")
        with log:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "evals.zygote",
                str(data),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                cwd=root,
                env={**os.environ, "OMP_NUM_THREADS": "1"},  # workers share the cores
            )
        return cls(process)

    async def run(self, job: Job) -> int:
        """Run a job in a fresh child; its exit code, or minus the signal that ended it."""
        reader, writer = self._process.stdout, self._process.stdin
        if reader is None or writer is None:
            return FAILED
        writer.write((job.as_line() + "\n").encode())
        await writer.drain()
        line = await reader.readline()
        return int(json.loads(line)["code"]) if line else FAILED

    async def stop(self) -> None:
        """End the process by closing its stdin."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()


if __name__ == "__main__":
    main()
