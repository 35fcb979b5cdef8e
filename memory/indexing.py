"""Keeps the vector index in step with the rows: after the commit, and after a crash.

A row names the index generation that holds it. The sweep indexes rows that no generation holds,
and takes forgotten rows out; it can be stopped anywhere and run again.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from sqlalchemy import ColumnElement, Connection, func, literal_column, select, update

from memory.database import Database
from memory.episodes import searchable
from memory.tables import episodes
from memory.vector_index import IndexEntry, VectorIndex, Vectors
from models.embedding import Embedder
from models.everyday import everyday_vectors

# Written out, not bound: only then does a partial index serve it.
_IN_NONE: Final[ColumnElement[str]] = literal_column("''")
# Small, since a question asked meanwhile waits for the embedder until the batch is done.
BATCH: Final = 16


@dataclass(frozen=True, slots=True)
class _Waiting:
    number: int
    entry: IndexEntry
    text: str


class Indexer:
    """The write path from committed rows to the vector index."""

    def __init__(
        self, database: Database, index: VectorIndex, embedder: Embedder, *, batch: int = BATCH
    ) -> None:
        """Use an open database; neither index nor embedder is opened before the first sweep."""
        self._batch = batch
        self._database = database
        self._index = index
        self._embedder = embedder
        self._generation = ""
        self._everyday: Vectors | None = None
        self._one_at_a_time = asyncio.Lock()
        self._sweeping: asyncio.Task[int] | None = None

    @property
    def index(self) -> VectorIndex:
        """The index it fills."""
        return self._index

    @property
    def embedder(self) -> Embedder:
        """What the index's vectors are made with."""
        return self._embedder

    async def everyday(self) -> Vectors:
        """The vectors of everyday sentences, read once."""
        if self._everyday is None:
            self._everyday = await asyncio.to_thread(everyday_vectors, self._embedder)
        return self._everyday

    @property
    def started(self) -> bool:
        """Whether the index was opened, so that new rows may be indexed at once."""
        return bool(self._generation)

    async def sweep(self, limit: int | None = None, *, batch: int | None = None) -> int:
        """Index waiting rows and take forgotten ones out; return how many rows changed.

        Args:
            limit: Stop after about so many rows; the rest waits for the next sweep.
            batch: How many are embedded at a time, if not as many as usual.

        Raises:
            IndexUnavailable: the index cannot be used; the rows keep waiting.
        """
        async with self._one_at_a_time:
            await self._follow_generation()
            changed = await self._take_out_forgotten()
            size = batch or self._batch
            while limit is None or changed < limit:
                waiting = await self._database.read(lambda conn: _waiting(conn, size))
                if not waiting:
                    break
                await self._add(waiting)
                changed += len(waiting)
            return changed

    async def erase(self) -> int:
        """Take forgotten rows out of the index, and their vectors off the disk.

        Returns:
            How many rows were taken out now.

        Raises:
            IndexUnavailable: the index cannot be used; its owner erases at its next upkeep.
        """
        async with self._one_at_a_time:
            await self._follow_generation()
            removed = await self._take_out_forgotten()
            await self._index.erase()
            return removed

    async def holds_any(self) -> bool:
        """Whether an index holds, or may still hold, any row."""
        query = select(episodes.c.number).where(episodes.c.indexed != _IN_NONE).limit(1)
        return await self._database.read(lambda conn: conn.execute(query).first() is not None)

    async def reindex(self) -> int:
        """Throw the index away and make it anew from the rows; return how many it holds."""
        async with self._one_at_a_time:
            await self._index.clear()
            self._generation = ""
        return await self.sweep()

    async def catch_up(self, wait_s: float, audiences: Sequence[str] = ()) -> bool:
        """Sweep in a task of its own and wait for it a while; return whether it came to its end.

        Args:
            wait_s: How long to wait.
            audiences: Whose rows are wanted; once the index is open, no sweep is begun for those of
                others. Default: everybody's.

        Raises:
            IndexUnavailable: the sweep ended with it.
        """
        if audiences and self.started and not await self._awaited_by(audiences):
            return True
        if self._sweeping is None or self._sweeping.done():
            self._sweeping = asyncio.create_task(self.sweep(), name="sweep memory index")
            self._sweeping.add_done_callback(_look_at_result)
        done, _ = await asyncio.wait({self._sweeping}, timeout=wait_s)
        if done:
            self._sweeping.result()
        return bool(done)

    async def close(self) -> None:
        """End a running sweep between two batches; what it left waits for the next one."""
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.wait({self._sweeping})
        await self._index.close()

    async def waiting(self) -> int:
        """How many rows are not in the index that was last opened."""
        query = select(func.count()).select_from(episodes)
        query = query.where(episodes.c.indexed == _IN_NONE, episodes.c.forgotten_at.is_(None))
        return await self._database.read(lambda conn: int(conn.execute(query).scalar_one()))

    async def _awaited_by(self, audiences: Sequence[str]) -> bool:
        query = select(episodes.c.number).where(
            episodes.c.indexed == _IN_NONE,
            episodes.c.forgotten_at.is_(None),
            episodes.c.audience.in_(audiences),
        )
        found = await self._database.read(lambda conn: conn.execute(query.limit(1)).first())
        return found is not None

    async def _follow_generation(self) -> None:
        generation = await self._index.open()
        if generation == self._generation:
            return
        others = update(episodes).where(episodes.c.indexed.not_in(["", generation]))
        await self._database.write(lambda conn: conn.execute(others.values(indexed="")))
        self._generation = generation

    async def _add(self, waiting: Sequence[_Waiting]) -> None:
        vectors = await self._embedder.embed_passages([row.text for row in waiting])
        usable = [place for place, vector in enumerate(vectors) if _has_direction(vector)]
        if usable:
            entries = [waiting[place].entry for place in usable]
            await self._index.add(entries, vectors[usable])
        await self._mark([row.number for row in waiting], self._generation)

    async def _take_out_forgotten(self) -> int:
        columns = (episodes.c.number, episodes.c.id, episodes.c.audience, episodes.c.kind)
        # Not by generation, whose index holds nearly all rows: the others were set free before.
        query = (
            select(*columns)
            .where(episodes.c.indexed != _IN_NONE, episodes.c.forgotten_at.is_not(None))
            .order_by(episodes.c.number)
        )
        rows = await self._database.read(lambda conn: conn.execute(query).all())
        if rows:
            await self._index.remove([IndexEntry(r.id, r.audience, r.kind) for r in rows])
            await self._mark([row.number for row in rows], "")
        return len(rows)

    async def _mark(self, numbers: Sequence[int], generation: str) -> None:
        def work(conn: Connection) -> None:
            for at in range(0, len(numbers), 500):
                chosen = episodes.c.number.in_(numbers[at : at + 500])
                conn.execute(update(episodes).where(chosen).values(indexed=generation))

        await self._database.write(work)


def _waiting(conn: Connection, limit: int) -> list[_Waiting]:
    query = (
        select(episodes)
        .where(episodes.c.indexed == _IN_NONE, episodes.c.forgotten_at.is_(None))
        .order_by(episodes.c.number)
        .limit(limit)
    )
    return [
        _Waiting(
            row.number,
            IndexEntry(row.id, row.audience, row.kind),
            searchable(row.actor, row.text),
        )
        for row in conn.execute(query)
    ]


def _look_at_result(task: "asyncio.Task[int]") -> None:
    if not task.cancelled():
        task.exception()


def _has_direction(vector: Vectors) -> bool:
    return bool(np.isfinite(vector).all()) and float(np.linalg.norm(vector)) > 0.0
