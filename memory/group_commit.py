"""Many small writes in one transaction: those that wait are written together.

What is added is on disk when `flush` returns. Whoever needs it there before going on waits for
that: a node before its checkpoint, an effect before its row is closed. Without a `flush` it is
written a moment later.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from memory.database import Database

Write: TypeAlias = Callable[[Connection, Sequence[Any]], None]

LONGEST_WAIT_S: Final = 0.05

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    write: Write
    item: object
    written: Callable[[], None] | None


class GroupCommit:
    """Writes of one process to a database, committed in groups."""

    def __init__(self, database: Database) -> None:
        """Use an open database."""
        self._database = database
        self._waiting: list[_Waiting] = []
        self._later: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()
        self._failure: SQLAlchemyError | None = None

    def add(self, write: Write, item: object, written: Callable[[], None] | None = None) -> None:
        """Have an item written soon.

        Args:
            write: gets all waiting items that were added with it, in order, in one transaction.
            item: what is written.
            written: called in the loop when the item is on disk, or given up.
        """
        self._waiting.append(_Waiting(write, item, written))
        if self._later is None or self._later.done():
            self._later = asyncio.create_task(self._write_later(), name="group commit")

    async def flush(self) -> None:
        """Wait until everything added before is on disk.

        Raises:
            SQLAlchemyError: something could not be written since the last flush, and is given up.
        """
        await self._write_all()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    async def close(self) -> None:
        """Write what waits and end."""
        if self._later is not None:
            self._later.cancel()
            await asyncio.gather(self._later, return_exceptions=True)
        await self.flush()

    async def _write_later(self) -> None:
        await asyncio.sleep(LONGEST_WAIT_S)
        await self._write_all()

    async def _write_all(self) -> None:
        async with self._writing:
            batch, self._waiting = self._waiting, []
            if batch:
                await self._write(batch)

    async def _write(self, batch: Sequence[_Waiting]) -> None:
        groups: dict[Write, list[object]] = {}
        for one in batch:
            groups.setdefault(one.write, []).append(one.item)

        def work(conn: Connection) -> None:
            for write, items in groups.items():
                write(conn, items)

        try:
            await self._database.write(work)
        except SQLAlchemyError as error:
            log.warning("results of tool calls could not be kept: %s", error)
            self._failure = error
        finally:
            for one in batch:
                if one.written is not None:
                    one.written()
