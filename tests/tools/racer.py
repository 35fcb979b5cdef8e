"""A second process for the race tests: take a step on a row as soon as the flag is there."""

import asyncio
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


def run(url: str, effect: str, step: str, flag: Path, number: int) -> None:
    """Race, and leave what became of it beside the flag."""
    said = asyncio.run(_race(url, effect, step, flag, flag.with_suffix(f".{number}")))
    flag.with_suffix(f".said{number}").write_text(said)


async def _race(url: str, effect: str, step: str, flag: Path, ready: Path) -> str:
    database = await Database.open(url)
    ledger = Ledger(database, lambda: datetime.now(UTC))
    await asyncio.to_thread(ready.touch)
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
