"""What vector indexes share: opened once, used by one thread at a time, never in the event loop."""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

from memory.errors import IndexUnavailable
from memory.vector_collections import Collections
from memory.vector_index import IndexEntry, VectorMatch, Vectors

T = TypeVar("T")


class ThreadedIndex(ABC):
    """A `VectorIndex` over collections; a subclass says where they are and what faults mean."""

    def __init__(self) -> None:
        """Nothing is opened yet."""
        self._collections: Collections | None = None
        self._generation = ""
        self._one_at_a_time = threading.Lock()
        self._opening: asyncio.Task[str] | None = None

    async def open(self) -> str:
        """Open it, once; return its generation. Opening goes on if the caller stops waiting.

        Raises:
            IndexUnavailable: it cannot be opened now; the next call tries again.
        """
        if self._opening is None or (self._opening.done() and not self._is_open()):
            opening = asyncio.create_task(
                asyncio.to_thread(self._open_once), name="open vector index"
            )
            opening.add_done_callback(_look_at_result)
            self._opening = opening
        return await asyncio.shield(self._opening)

    async def look(self) -> str:
        """What is there, read without making, changing or taking over anything; for `doctor`.

        Raises:
            IndexUnavailable: it cannot be used as it is.
        """
        return await asyncio.to_thread(self._look)

    async def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Add or replace entries, in batches of the client's limit."""
        await asyncio.to_thread(self._guarded, lambda held: held.add(entries, vectors))

    async def search(
        self, audiences: Sequence[str], vector: Vectors, limit: int
    ) -> list[VectorMatch]:
        """The nearest items of the audiences, nearest first."""
        return await asyncio.to_thread(
            self._guarded, lambda held: held.search(audiences, vector, limit)
        )

    async def cosines(
        self, audiences: Sequence[str], ids: Sequence[str], vector: Vectors
    ) -> dict[str, float]:
        """The similarity of given items of the audiences, for those the index holds."""
        return await asyncio.to_thread(
            self._guarded, lambda held: held.cosines(audiences, ids, vector)
        )

    async def remove(self, entries: Sequence[IndexEntry]) -> None:
        """Take entries out; unknown ones are no error. See `erase` for what stays on disk."""

        def work(held: Collections) -> None:
            self._note_removal()
            held.remove(entries)

        await asyncio.to_thread(self._guarded, work)

    async def erase(self) -> bool:
        """Make the index anew without what was removed, so that nothing of it stays on disk.

        Returns:
            Whether there was anything to erase.
        """
        return await asyncio.to_thread(self._erase)

    async def clear(self) -> None:
        """Throw the index away; the next opening gives an empty one of another generation."""
        await self._opened_out()
        await asyncio.to_thread(self._clear)

    async def close(self) -> None:
        """Close it and give up what is held; later calls open it again."""
        await self._opened_out()
        await asyncio.to_thread(self._close)

    async def _opened_out(self) -> None:
        if self._opening is not None:
            await asyncio.wait([self._opening])
            self._opening = None

    def _is_open(self) -> bool:
        return self._collections is not None

    def _open_once(self) -> str:
        with self._one_at_a_time:
            if not self._is_open():
                self._open()
            return self._generation

    def _guarded(self, work: Callable[[Collections], T]) -> T:
        with self._one_at_a_time:
            if self._collections is None:
                raise IndexUnavailable("the index is not open")
            try:
                return work(self._collections)
            except BaseException as error:
                raise self._failed(error) from error

    @abstractmethod
    def _open(self) -> None:
        """Set collections and generation, or raise `IndexUnavailable`."""

    @abstractmethod
    def _look(self) -> str:
        """See `look`."""

    @abstractmethod
    def _failed(self, error: BaseException) -> IndexUnavailable:
        """Note that the index failed, and name the fault."""

    @abstractmethod
    def _note_removal(self) -> None:
        """Remember, beyond this process, that bytes wait to be erased."""

    @abstractmethod
    def _erase(self) -> bool:
        """See `erase`."""

    @abstractmethod
    def _clear(self) -> None:
        """See `clear`."""

    @abstractmethod
    def _close(self) -> None:
        """See `close`."""


def _look_at_result(task: "asyncio.Task[str]") -> None:
    if not task.cancelled():
        task.exception()
