"""A second process for the race tests: take a step on a row as soon as the flag is there."""

import asyncio
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from memory.database import Database
from tests.tools.parts import ADA, THREAD, accept
from tools.errors import ToolsFault
from tools.ledger import Ledger


def wait_for(*flags: Path, limit_s: float = 60.0) -> None:
    """Come back as soon as all files are there."""
    end = time.monotonic() + limit_s
    while not all(flag.exists() for flag in flags):
        if time.monotonic() > end:
            message = f"no {flags} within {limit_s} s"
            raise TimeoutError(message)
        time.sleep(0.001)


async def race(url: str, effect: str, step: str, flag: Path) -> str:
    database = await Database.open(url)
    ledger = Ledger(database, lambda: datetime.now(UTC))
    await asyncio.to_thread(flag.with_suffix(f".{sys.argv[5]}").touch)
    await asyncio.to_thread(wait_for, flag)
    try:
        if step == "start":
            await ledger.start(effect)
        else:
            decision = {"id": effect, "type": step}
            await ledger.decide(THREAD, [decision], reviewer=ADA, validate_edit=accept)
    except ToolsFault as error:
        return type(error).__name__
    finally:
        await database.close()
    return "won"


if __name__ == "__main__":
    print(asyncio.run(race(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]))))  # noqa: T201 - read by the test
