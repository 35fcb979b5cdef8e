"""Candidates for a question: the union of full text and vectors, checked against the rows."""

import asyncio
import logging
from collections.abc import Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np

from memory.episodes import (
    EpisodeHandle,
    EpisodeItem,
    EpisodeStore,
    TextMatch,
    WordFits,
    readable_audiences,
)
from memory.errors import IndexNotOwned, IndexUnavailable
from memory.fact_history import Fact
from memory.facts import Facts
from memory.indexing import Indexer
from memory.nearby import REACH
from memory.question import Question, read_question
from memory.quoting import is_failure
from memory.ranking import Weights, normalised
from memory.vector_index import Vectors
from models.errors import ModelError
from models.everyday import background
from state import Scope

T = TypeVar("T")

CANDIDATES: Final = 50
# Of so many hits what stands around them is read too. More changed no figure on LoCoMo, BEAM and
# BFCL, and in a big scope, where hits lie far apart, it is most of what a search costs.
ROOTS: Final = 25
# A filter keeps few of the hits, so more are asked for.
FILTERED: Final = 400
MAX_FACTS: Final = 30
BY_TEXT: Final = "searched by full text only"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Filter:
    """What `recall_memory` may narrow a search to; an empty field narrows nothing."""

    domain: str = ""
    operation: str = ""
    kinds: frozenset[str] = frozenset()

    def keeps(self, item: EpisodeItem) -> bool:
        """Whether an item passes; one of several domains or operations is enough."""
        return (
            (not self.domain or self.domain in item.domain.split(","))
            and (not self.operation or self.operation in item.operation.split(","))
            and (not self.kinds or item.kind in self.kinds)
        )


ANYTHING: Final = Filter()


@dataclass(frozen=True, slots=True)
class Found:
    """What a question brought up.

    Attributes:
        question: As it was searched.
        items: Readable items by id, with those around the hits.
        facts: The scope's current facts by id.
        words: How items fit by words.
        cosines: Similarity by item or fact id; empty without vectors.
        background: How near the question is to everyday sentences; 0 without vectors.
        fault: Why vectors were not searched, or not all of them; empty if they were.
        empty: Nothing at all is remembered in the scope.
    """

    question: Question
    items: Mapping[str, EpisodeItem] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    words: WordFits = field(default_factory=lambda: WordFits({}, 0.0, {}, {}))
    cosines: Mapping[str, float] = field(default_factory=dict)
    background: float = 0.0
    fault: str = ""
    empty: bool = False


class Searcher:
    """Searches one scope's items and facts; vectors are optional and may fail."""

    def __init__(
        self, *, episodes: EpisodeStore, facts: Facts | None, indexer: Indexer | None
    ) -> None:
        """Bind the stores; without an indexer the search is by full text alone, and says so."""
        self._episodes = episodes
        self._facts = facts
        self._indexer = indexer

    async def search(
        self,
        scope: Scope,
        query: str,
        *,
        seen_turns: Collection[str],
        vectors_s: float,
        only: Filter = ANYTHING,
    ) -> Found:
        """Everything that may answer a question.

        Args:
            scope: Whose memory.
            query: The question.
            seen_turns: Ids of turns that are known to the reader anyway.
            vectors_s: How long to wait for vectors.
            only: What the items must be; facts come only when it narrows nothing.
        """
        handle = self._episodes.scoped(scope)
        facts, empty, actors = await asyncio.gather(
            self._stated(scope, only), handle.is_empty(), handle.actors()
        )
        if empty and not facts:
            return Found(Question(query), empty=True)
        question = read_question(query, actors, scope.user)
        vectors = _VectorSearch(self._indexer, scope, vectors_s)
        hits, near = await asyncio.gather(
            handle.search_text(question.text, CANDIDATES if only == ANYTHING else FILTERED),
            vectors.near(question.text, CANDIDATES if only == ANYTHING else FILTERED),
        )
        items = await _with_neighbours(handle, best_first(hits, near), only)
        news = {item.id: item for item in items if _is_news(item, seen_turns)}
        words, others, of_facts = await asyncio.gather(
            handle.fit_words(question.text, list(news)),
            vectors.of([key for key in news if key not in near]),
            vectors.of_texts({fact.id: statement(fact) for fact in facts}),
        )
        stated = {fact.id: fact for fact in facts}
        cosines = {**near, **others, **of_facts}
        return Found(question, news, stated, words, cosines, vectors.background, vectors.fault)

    async def _stated(self, scope: Scope, only: Filter) -> Sequence[Fact]:
        if self._facts is None or only != ANYTHING:
            return ()
        return (await self._facts.current(scope))[:MAX_FACTS]


def best_first(hits: Sequence[TextMatch], near: Mapping[str, float]) -> list[str]:
    """The ids of all that was found, by a first mixture of words and meaning."""
    mix = Weights()
    highest = max((hit.score for hit in hits), default=0.0) or 1.0
    words = {hit.id: hit.score / highest for hit in hits}
    meaning = dict(zip(near, normalised(list(near.values())), strict=True))
    worth = {
        key: mix.lexical * words.get(key, 0.0) + mix.cosine * meaning.get(key, 0.0)
        for key in (*words, *meaning)
    }
    return sorted(worth, key=lambda key: (-worth[key], key))


async def _with_neighbours(
    handle: EpisodeHandle, ids: Sequence[str], only: Filter
) -> list[EpisodeItem]:
    """The hits, best first, and what stands around the best of them."""
    hits = [item for item in await handle.get(ids) if only.keeps(item)][: 2 * CANDIDATES]
    around = await handle.around(hits[:ROOTS], REACH)
    items = {item.id: item for item in (*hits, *around)}
    return [item for item in items.values() if only.keeps(item)]


class _VectorSearch:
    """The vector side of one search: after the first fault it finds nothing, and keeps why."""

    def __init__(self, indexer: Indexer | None, scope: Scope, wait_s: float) -> None:
        self._indexer = indexer
        self._audiences = readable_audiences(scope)
        self._wait_s = wait_s
        self._until = asyncio.get_running_loop().time() + wait_s
        self._vector: Vectors | None = None
        self.background = 0.0
        self.fault = "" if indexer is not None else f"{BY_TEXT}: no embedder is set"

    async def near(self, query: str, limit: int) -> dict[str, float]:
        """The nearest items."""
        if self._indexer is None:
            return {}
        return await self._guarded(self._near(self._indexer, query, limit))

    async def of(self, ids: Sequence[str]) -> dict[str, float]:
        """The similarity of given items."""
        if self._indexer is None or self._vector is None or not ids:
            return {}
        return await self._guarded(
            self._indexer.index.cosines(self._audiences, ids, self._vector),
        )

    async def of_texts(self, texts: Mapping[str, str]) -> dict[str, float]:
        """The similarity of texts that are in no index."""
        if self._indexer is None or self._vector is None or not texts:
            return {}
        return await self._guarded(self._of_texts(self._indexer, self._vector, texts))

    async def _near(self, indexer: Indexer, query: str, limit: int) -> dict[str, float]:
        # A long sweep goes on beside this turn; what it has not reached is found by text alone.
        swept, embedded = await asyncio.gather(
            indexer.catch_up(self._wait_s / 2, self._audiences),
            indexer.embedder.embed_queries([query]),
        )
        await indexer.index.open()
        found = await indexer.index.search(self._audiences, embedded[0], limit)
        self._vector = embedded[0]
        self.background = background(embedded[0], await indexer.everyday())
        self.fault = "" if swept else "new records are not in the vector index yet"
        return {match.id: match.cosine for match in found}

    async def _of_texts(
        self, indexer: Indexer, vector: Vectors, texts: Mapping[str, str]
    ) -> dict[str, float]:
        embedded = await indexer.embedder.embed_passages(list(texts.values()))
        similar = np.asarray(embedded) @ vector
        return {key: float(near) for key, near in zip(texts, similar, strict=True)}

    async def _guarded(self, work: Coroutine[Any, Any, dict[str, float]]) -> dict[str, float]:
        try:
            async with asyncio.timeout_at(self._until):
                return await work
        except TimeoutError:
            self.fault = f"{BY_TEXT}: no vectors within {self._wait_s:.1f} s"
        except IndexNotOwned as error:
            self.fault = f"{BY_TEXT}: {error}"
        except (IndexUnavailable, ModelError) as error:
            logger.warning("recall goes on by full text: %s", error)
            self.fault = f"{BY_TEXT}: {error}"
        self._vector = None
        return {}


def _is_news(item: EpisodeItem, seen_turns: Collection[str]) -> bool:
    """Whether the item says more than the shared history: a seen turn's failure still warns."""
    return item.turn_id not in seen_turns or is_failure(item)


def statement(fact: Fact) -> str:
    """A fact as it is searched: with its slot's description, which says what it answers."""
    return f"{fact.slot.replace('_', ' ')}: {fact.value}. {fact.description}"
