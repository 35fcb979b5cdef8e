"""The read path: candidates, merge, rank, budget, Memory Message.

Recall never stops a turn. It has a deadline, and whatever fails (vectors, embedder, database), the
answer is a note that says so: with what full text found, or empty.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from configs.clock import REAL_CLOCK, ClockSettings
from memory.candidates import Candidate
from memory.episodes import EpisodeStore
from memory.facts import Facts
from memory.floor import Floor, Signs, above_floor, standing_out
from memory.indexing import Indexer
from memory.message import compose
from memory.question import Question
from memory.ranking import Ranked, Weights, collapse_twins, rank
from memory.reranking import Reranker, reranked
from memory.searching import ANYTHING, Filter, Found, Searcher
from memory.warning import Foresee, Warner, Warnings, heed
from memory.weighing import candidates_of, signs_of
from models.tokens import count
from state import MemoryNote, Scope, clean_text, empty_note

FORESIGHT_S: Final = 20.0
QUERY_CHARS: Final = 8_000
RERANK_SHARE: Final = 0.9
"""Part of the deadline after which the ranking stays as it is without a second look."""
NOTHING_YET: Final = "nothing is remembered yet"

COLD_TIMES: Final = 3
"""So many times as long may a process's first recall take: it opens the index and the models."""

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


@dataclass(frozen=True, slots=True)
class Recalled:
    """What is relevant to a question, best first, or why nothing is.

    Attributes:
        found: What the ids stand for.
        outstanding: Ids of what is clearly nearer to the question than most of what was found.
    """

    ranked: tuple[Ranked, ...]
    found: Found
    outstanding: frozenset[str] = frozenset()
    reason: str = ""


class Recall:
    """Finds what is known about a question; every call names the scope."""

    def __init__(
        self,
        *,
        episodes: EpisodeStore,
        facts: Facts | None = None,
        indexer: Indexer | None = None,
        options: RecallOptions | None = None,
        reranker: Reranker | None = None,
        warner: Warner | None = None,
        count_tokens: Callable[[str], int] = count,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        calendar: ClockSettings = REAL_CLOCK,
    ) -> None:
        """Bind the stores; without an indexer recall is by full text alone, and says so."""
        self._episodes = episodes
        self._searcher = Searcher(episodes=episodes, facts=facts, indexer=indexer)
        self._options = options or RecallOptions()
        self._reranker = reranker
        self._warner = warner
        self._count = count_tokens
        self._clock = clock
        self.calendar = calendar
        self._cold = True
        self._background: set[asyncio.Task[int]] = set()

    async def recall(
        self,
        scope: Scope,
        query: str,
        *,
        thread: str,
        seen_turns: Collection[str] = (),
        topic: str = "",
        domains: Collection[str] = (),
        foresee: Foresee | None = None,
        deadline_s: float | None = None,
        budget_tokens: int | None = None,
    ) -> MemoryNote:
        """The Memory Message for a question; never raises.

        Args:
            scope: Whose memory.
            query: The user's question.
            thread: The thread it is asked in; its own turns are quoted only if they stand out.
            seen_turns: Ids of turns that the shared history shows anyway.
            topic: What the open topic is about: a second query, with a share of the message.
            domains: The open topic's domains; what belongs to them is preferred.
            foresee: Says what the question will lead to: failures warn only of that. Without it
                every relevant failure is a warning.
            deadline_s: How long it may take; by default as the options say, `COLD_TIMES` as long
                until a search has found something.
            budget_tokens: Size of the message; the options' by default.
        """
        usual = self._options.deadline_s * (COLD_TIMES if self._cold else 1)
        seconds = usual if deadline_s is None else deadline_s
        budget = self._options.budget_tokens if budget_tokens is None else budget_tokens
        try:
            warned = await self._warnings(scope, query, foresee)
            search = partial(
                self.search, scope, seen_turns=seen_turns, domains=domains, within_s=seconds
            )
            queries = [query, topic] if topic.strip() else [query]
            recalled = await self._within(seconds, [search(text) for text in queries])
            self._cold = self._cold and all(one.found.empty for one in recalled)
            if not recalled:
                slow = Found(Question(query), fault=f"memory did not answer within {seconds:g} s")
                recalled = [Recalled((), slow)]
                logger.warning("recall in %s: %s", thread, slow.fault)
            heeded = [self._heed(one, warned, first=one is recalled[0]) for one in recalled]
            return await self._note(scope, query, thread, heeded, budget)
        except Exception as error:  # noqa: BLE001 - law 11: memory fails open, whatever fails
            reason = f"memory failed: {type(error).__name__}: {error}"
        logger.warning("recall in %s: %s", thread, reason)
        return empty_note(reason, degraded=True)

    async def _within(
        self, seconds: float, searches: Sequence[Coroutine[Any, Any, Recalled]]
    ) -> list[Recalled]:
        """What the searches found; nothing if they take too long."""
        try:
            async with asyncio.timeout(seconds):
                return list(await asyncio.gather(*searches))
        except TimeoutError:
            return []

    async def _warnings(self, scope: Scope, query: str, foresee: Foresee | None) -> Warnings:
        if self._warner is None:
            return Warnings()
        # Not within the deadline: what is foreseen here is not worked out again by the router.
        async with asyncio.timeout(FORESIGHT_S):
            return await self._warner.warnings(scope, clean_text(query[:QUERY_CHARS]), foresee)

    def _heed(self, one: Recalled, warned: Warnings, *, first: bool) -> Recalled:
        """What was found, with the warnings in the first place of the question's own search."""
        heard = warned if first else replace(warned, items={})
        ranked, found = heed(one.ranked, one.found, heard, self._clock())
        return replace(one, ranked=ranked, found=found)

    async def search(
        self,
        scope: Scope,
        query: str,
        *,
        seen_turns: Collection[str] = (),
        domains: Collection[str] = (),
        only: Filter = ANYTHING,
        within_s: float | None = None,
    ) -> Recalled:
        """What is relevant to a question, ranked; counts no use.

        Args:
            scope: Whose memory.
            query: The question.
            seen_turns: Ids of turns to leave out.
            domains: What belongs to them is preferred.
            only: What to narrow the search to.
            within_s: Deadline; its share for vectors is derived from it.
        """
        seconds = self._options.deadline_s if within_s is None else within_s
        rerank_until = asyncio.get_running_loop().time() + seconds * RERANK_SHARE
        found = await self._searcher.search(
            scope,
            clean_text(query[:QUERY_CHARS]),
            seen_turns=seen_turns,
            vectors_s=seconds * self._options.vector_share,
            only=only,
        )
        if found.empty:
            return Recalled((), found, reason=NOTHING_YET)
        # Ranking compares every pair: not in the loop.
        recalled = await asyncio.to_thread(self._rank, found, domains)
        if self._reranker is None or not recalled.ranked:
            return recalled
        texts = {key: item.text for key, item in found.items.items()}
        ranked = await reranked(self._reranker, query, recalled.ranked, texts, rerank_until)
        return replace(recalled, ranked=ranked)

    def _rank(self, found: Found, domains: Collection[str]) -> Recalled:
        floor = self._options.floor
        candidates = candidates_of(found, self._clock(), domains)
        signs = signs_of(found)
        relevant = above_floor(candidates, floor, signs)
        if not relevant:
            return Recalled((), found, reason=_nothing(candidates, floor, signs))
        ranked = collapse_twins(rank(relevant, self._options.weights))
        return Recalled(tuple(ranked), found, standing_out(candidates, floor))

    async def _note(
        self,
        scope: Scope,
        query: str,
        thread: str,
        recalled: Sequence[Recalled],
        budget_tokens: int,
    ) -> MemoryNote:
        question, *others = recalled
        ranked = [entry for one in others for entry in one.ranked]
        if not question.ranked and not ranked:
            fault = question.found.fault
            reason = "; ".join(part for part in (question.reason, fault) if part)
            return empty_note(reason, degraded=bool(fault))
        # The first count reads the token table: not in the loop.
        note = await asyncio.to_thread(
            compose,
            question.ranked,
            _together(recalled),
            query,
            aside=ranked,
            budget_tokens=budget_tokens,
            max_items=self._options.max_items,
            count_tokens=self._count,
            thread=thread,
            quoted=frozenset().union(*(one.outstanding for one in recalled)),
            calendar=self.calendar,
        )
        shown = [item["id"] for item in note["items"]]
        self.count_uses(scope, [key for key in shown if key in _together(recalled).items])
        return note

    async def close(self) -> None:
        """Wait for what runs in the background."""
        if self._background:
            await asyncio.wait(self._background)

    def count_uses(self, scope: Scope, ids: Sequence[str]) -> None:
        """Count, in the background, that items were put before a model."""
        if ids:
            counting = self._episodes.scoped(scope).mark_used(ids)
            task = asyncio.create_task(counting, name="count recalls")
            self._background.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[int]") -> None:
        self._background.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.warning("a recall was not counted: %s", task.exception())


def _together(recalled: Sequence[Recalled]) -> Found:
    """What all the searches found, as one."""
    first, *others = (one.found for one in recalled)
    for other in others:
        first = replace(
            first,
            items={**other.items, **first.items},
            facts={**other.facts, **first.facts},
            fault=first.fault or other.fault,
        )
    return first


def _nothing(candidates: Sequence[Candidate], floor: Floor | None, signs: Signs) -> str:
    if not candidates or floor is None:
        return "nothing relevant: no record matches"
    short = max(floor.evidence(candidate, signs) for candidate in candidates)
    return f"nothing relevant: the best of {len(candidates)} is {-short:.2f} below the floor"
