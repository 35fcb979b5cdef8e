"""The read path: candidates, merge, rank, budget, Memory Message.

Recall never stops a turn. It has a deadline, and whatever fails (vectors, embedder, database), the
answer is a note that says so: with what full text found, or empty.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from memory.episodes import EpisodeStore
from memory.facts import Facts
from memory.indexing import Indexer
from memory.message import compose
from memory.ranking import (
    Candidate,
    Floor,
    Weights,
    above_floor,
    collapse_twins,
    rank,
    standing_out,
)
from memory.searching import Found, Searcher, candidates_of
from models.tokens import count
from state import MemoryNote, Scope, clean_text, empty_note

QUERY_CHARS: Final = 8_000

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """How recall ranks and shows; the floor and the hybrid weights fit one embedder.

    Attributes:
        vector_share: Part of the deadline that may go into waiting for vectors.
        floor: None switches it off, for evaluations.
    """

    deadline_s: float = 2.0
    budget_tokens: int = 600
    max_items: int = 6
    weights: Weights = field(default_factory=Weights)
    floor: Floor | None = field(default_factory=Floor)
    vector_share: float = 0.8


class Recall:
    """Finds what is known about a question; every call names the scope."""

    def __init__(
        self,
        *,
        episodes: EpisodeStore,
        facts: Facts | None = None,
        indexer: Indexer | None = None,
        options: RecallOptions | None = None,
        count_tokens: Callable[[str], int] = count,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Bind the stores; without an indexer recall is by full text alone, and says so."""
        self._episodes = episodes
        self._searcher = Searcher(episodes=episodes, facts=facts, indexer=indexer)
        self._options = options or RecallOptions()
        self._count = count_tokens
        self._clock = clock
        self._background: set[asyncio.Task[int]] = set()

    async def recall(
        self,
        scope: Scope,
        query: str,
        *,
        thread: str,
        seen_turns: Collection[str] = (),
        deadline_s: float | None = None,
        budget_tokens: int | None = None,
    ) -> MemoryNote:
        """The Memory Message for a question; never raises.

        Args:
            scope: Whose memory.
            query: The user's question.
            thread: The thread it is asked in; its own turns are quoted only if they stand out.
            seen_turns: Ids of turns that the shared history shows anyway.
            deadline_s: How long it may take; the options' by default.
            budget_tokens: Size of the message; the options' by default.
        """
        seconds = self._options.deadline_s if deadline_s is None else deadline_s
        budget = self._options.budget_tokens if budget_tokens is None else budget_tokens
        try:
            async with asyncio.timeout(seconds):
                question = clean_text(query[:QUERY_CHARS])
                return await self._recall(scope, question, thread, seen_turns, seconds, budget)
        except TimeoutError:
            reason = f"memory did not answer within {seconds:g} s"
        except Exception as error:  # noqa: BLE001 - law 11: memory fails open, whatever fails
            reason = f"memory failed: {type(error).__name__}: {error}"
        logger.warning("recall in %s: %s", thread, reason)
        return empty_note(reason, degraded=True)

    async def _recall(
        self,
        scope: Scope,
        query: str,
        thread: str,
        seen_turns: Collection[str],
        seconds: float,
        budget_tokens: int,
    ) -> MemoryNote:
        vectors_s = seconds * self._options.vector_share
        found = await self._searcher.search(
            scope, query, seen_turns=seen_turns, vectors_s=vectors_s
        )
        if found.empty:
            return empty_note("nothing is remembered yet")
        # Ranking compares every pair, and the first count reads the token table: not in the loop.
        note = await asyncio.to_thread(self._compose, found, query, thread, budget_tokens)
        self._count_uses(scope, [item["id"] for item in note["items"] if item["id"] in found.items])
        return note

    def _compose(self, found: Found, query: str, thread: str, budget_tokens: int) -> MemoryNote:
        options = self._options
        candidates = candidates_of(found, query, self._clock())
        relevant = above_floor(candidates, options.floor)
        if not relevant:
            return _nothing(candidates, options.floor, found.fault)
        return compose(
            collapse_twins(rank(relevant, options.weights)),
            found,
            query,
            budget_tokens=budget_tokens,
            max_items=options.max_items,
            count_tokens=self._count,
            thread=thread,
            quoted=standing_out(candidates, options.floor),
        )

    async def close(self) -> None:
        """Wait for what runs in the background."""
        if self._background:
            await asyncio.wait(self._background)

    def _count_uses(self, scope: Scope, ids: Sequence[str]) -> None:
        if ids:
            counting = self._episodes.scoped(scope).mark_used(ids)
            task = asyncio.create_task(counting, name="count recalls")
            self._background.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[int]") -> None:
        self._background.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.warning("a recall was not counted: %s", task.exception())


def _nothing(candidates: Sequence[Candidate], floor: Floor | None, fault: str) -> MemoryNote:
    if not candidates or floor is None:
        reason = "nothing relevant: no record matches"
    else:
        short = max(floor.evidence(candidate) for candidate in candidates)
        reason = f"nothing relevant: the best of {len(candidates)} is {-short:.2f} below the floor"
    return empty_note(f"{reason}; {fault}" if fault else reason, degraded=bool(fault))
