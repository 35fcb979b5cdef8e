from dataclasses import replace
from typing import get_args

import pytest
from sqlalchemy import Connection

from memory.database import Database
from tests.tools.parts import HOUR_S, SITE, SetClock, a_call
from tools.effect_rows import find, move
from tools.effects import CLOSED, EffectRow, EffectStatus
from tools.errors import EffectConflict
from tools.ledger import Ledger


@pytest.fixture
async def row(ledger: Ledger) -> EffectRow:
    return await ledger.prepare(SITE, 0, a_call(amount=1), needs_approval=False, ttl_s=HOUR_S)


async def test_a_row_read_before_another_moved_it_cannot_be_moved(
    database: Database, ledger: Ledger, clock: SetClock, row: EffectRow
) -> None:
    await ledger.start(row.id)

    def late(conn: Connection) -> None:
        move(conn, row, "started", by="late", at=clock.now)

    with pytest.raises(EffectConflict, match="wanted approved, but it is started"):
        await database.write(late)


@pytest.mark.parametrize("closed", sorted(CLOSED))
async def test_a_closed_row_has_no_next_state(
    database: Database, clock: SetClock, row: EffectRow, closed: EffectStatus
) -> None:
    def work(conn: Connection) -> None:
        for after in get_args(EffectStatus):
            with pytest.raises(EffectConflict):
                move(conn, replace(row, status=closed), after, by="late", at=clock.now)

    await database.write(work)


async def test_a_row_is_read_as_it_was_written(database: Database, row: EffectRow) -> None:
    assert await database.read(find) == [row]
