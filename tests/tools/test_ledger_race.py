import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.database import Database
from tests.tools.parts import ADA, HOUR_S, SITE, THREAD, a_call, accept
from tests.tools.racer import wait_for
from tools.ledger import Ledger

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("steps", "loser", "after"),
    [
        (("start", "start"), "EffectConflict", ("started",)),
        (("approve", "approve"), "RepeatedDecision", ("approved",)),
        (("approve", "reject"), "RepeatedDecision", ("approved", "rejected")),
    ],
)
async def test_of_two_processes_exactly_one_moves_a_row(
    tmp_path: Path,
    database_url: str,
    database: Database,
    steps: tuple[str, str],
    loser: str,
    after: tuple[str, ...],
) -> None:
    ledger = Ledger(database, lambda: datetime.now(UTC))
    row = await ledger.prepare(SITE, 0, a_call(amount=1), needs_approval=True, ttl_s=HOUR_S)
    if steps[0] == "start":
        decision = {"id": row.id, "type": "approve"}
        await ledger.decide(THREAD, [decision], reviewer=ADA, validate_edit=accept)
    flag = tmp_path / "go"
    racers = [
        await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.tools.racer",
            database_url,
            row.id,
            step,
            str(flag),
            str(number),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )
        for number, step in enumerate(steps)
    ]
    ready = [flag.with_suffix(f".{number}") for number in range(2)]
    await asyncio.to_thread(wait_for, *ready)
    flag.touch()
    said = [(await racer.communicate())[0].decode().strip() for racer in racers]
    assert sorted(said) == sorted(["won", loser])
    assert (await ledger.get(row.id)).status in after
