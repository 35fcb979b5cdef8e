import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.database import Database
from tests.forks import FORKS
from tests.tools.parts import ADA, HOUR_S, SITE, THREAD, a_call, accept
from tests.tools.racer import run, wait_for
from tools.ledger import Ledger


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
        FORKS.Process(target=run, args=(database_url, row.id, step, flag, number))
        for number, step in enumerate(steps)
    ]
    for racer in racers:
        racer.start()
    ready = [flag.with_suffix(f".{number}") for number in range(2)]
    await asyncio.to_thread(wait_for, *ready)
    flag.touch()
    for racer in racers:
        await asyncio.to_thread(racer.join, 60)
    said = [flag.with_suffix(f".said{number}").read_text() for number in range(2)]
    assert sorted(said) == sorted(["won", loser])
    assert (await ledger.get(row.id)).status in after
