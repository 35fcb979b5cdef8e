"""Candidates for a question: the union of full text and vectors, checked against the rows."""

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np

from memory.episodes import EpisodeItem, EpisodeStore, readable_audiences, searchable
from memory.errors import IndexNotOwned, IndexUnavailable
from memory.fact_history import Fact
from memory.facts import Facts
from memory.fulltext import coverage, query_terms, terms
from memory.indexing import Indexer
from memory.quoting import is_failure
from memory.ranking import Candidate
from models.errors import ModelError
from state import Scope

CANDIDATES: Final = 50
MAX_FACTS: Final = 30
SECONDS_PER_DAY: Final = 86_400.0
BY_TEXT: Final = "searched by full text only"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """What a question brought up.

    Attributes:
        items: Readable items by id.
        facts: The scope's current facts by id.
        matches: BM25 by item id.
        cosines: Similarity by item or fact id; empty without vectors.
        fault: Why vectors were not searched, or not all of them; empty if they were.
        empty: Nothing at all is remembered in the scope.
    """

    items: Mapping[str, EpisodeItem]
    facts: Mapping[str, Fact]
    matches: Mapping[str, float]
    cosines: Mapping[str, float]
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
        self, scope: Scope, query: str, *, seen_turns: Collection[str], vectors_s: float
    ) -> Found:
        """Everything that may answer a question.

        Args:
            scope: Whose memory.
            query: The question.
            seen_turns: Ids of turns that are known to the reader anyway.
            vectors_s: How long to wait for vectors.
        """
        handle = self._episodes.scoped(scope)
        stated = [] if self._facts is None else (await self._facts.current(scope))[:MAX_FACTS]
        if not stated and await handle.is_empty():
            return Found({}, {}, {}, {}, empty=True)
        facts = {fact.id: fact for fact in stated}
        matches = {hit.id: hit.score for hit in await handle.search_text(query, CANDIDATES)}
        cosines, fault = await self._cosines(scope, query, list(matches), stated, vectors_s)
        items = await handle.get(list({**matches, **cosines}))
        news = {item.id: item for item in items if _is_news(item, seen_turns)}
        return Found(news, facts, matches, cosines, fault)

    async def _cosines(
        self,
        scope: Scope,
        query: str,
        text_ids: Sequence[str],
        facts: Sequence[Fact],
        wait_s: float,
    ) -> tuple[Mapping[str, float], str]:
        if self._indexer is None:
            return {}, f"{BY_TEXT}: no embedder is set"
        try:
            async with asyncio.timeout(wait_s):
                return await _near(
                    self._indexer, scope, query, text_ids, facts, catch_up_s=wait_s / 2
                )
        except TimeoutError:
            return {}, f"{BY_TEXT}: no vectors within {wait_s:.1f} s"
        except IndexNotOwned as error:
            return {}, f"{BY_TEXT}: {error}"
        except (IndexUnavailable, ModelError) as error:
            logger.warning("recall goes on by full text: %s", error)
            return {}, f"{BY_TEXT}: {error}"


async def _near(
    indexer: Indexer,
    scope: Scope,
    query: str,
    text_ids: Sequence[str],
    facts: Sequence[Fact],
    *,
    catch_up_s: float,
) -> tuple[dict[str, float], str]:
    # A long sweep goes on beside this turn; what it has not reached is found by full text alone.
    swept, embedded = await asyncio.gather(
        indexer.catch_up(catch_up_s), indexer.embedder.embed_queries([query])
    )
    await indexer.index.open()
    vector = embedded[0]
    audiences = readable_audiences(scope)
    near = await indexer.index.search(audiences, vector, CANDIDATES)
    cosines = {match.id: match.cosine for match in near}
    others = [key for key in text_ids if key not in cosines]
    cosines |= await indexer.index.cosines(audiences, others, vector)
    if facts:
        stated = await indexer.embedder.embed_passages([_statement(fact) for fact in facts])
        similar = np.asarray(stated) @ vector
        cosines |= {fact.id: float(near) for fact, near in zip(facts, similar, strict=True)}
    return cosines, "" if swept else "new records are not in the vector index yet"


def candidates_of(found: Found, query: str, now: datetime) -> list[Candidate]:
    """What was found, as ranking sees it."""
    wanted = query_terms(query)
    candidates = []
    for item in found.items.values():
        words = frozenset(terms(searchable(item.actor, item.text)))
        candidates.append(
            Candidate(
                id=item.id,
                kind=item.kind,
                cosine=found.cosines.get(item.id),
                lexical=found.matches.get(item.id, 0.0),
                coverage=coverage(wanted, words),
                age_days=_age_days(item.occurred_at, now),
                uses=item.uses,
                terms=words,
                event=item.turn_id,
            )
        )
    best = max(found.matches.values(), default=1.0)
    for fact in found.facts.values():
        words = frozenset(terms(_statement(fact)))
        share = coverage(wanted, words)
        age_days = _age_days(fact.mentions[-1].occurred_at, now)
        # A fact has no BM25 of its own; its share of the question's words stands for it.
        candidates.append(
            Candidate(
                fact.id, "fact", found.cosines.get(fact.id), share * best, share, age_days, 0, words
            )
        )
    return candidates


def _is_news(item: EpisodeItem, seen_turns: Collection[str]) -> bool:
    """Whether the item says more than the shared history: a seen turn's failure still warns."""
    return item.turn_id not in seen_turns or is_failure(item)


def _statement(fact: Fact) -> str:
    """A fact as it is searched: with its slot's description, which says what it answers."""
    return f"{fact.slot.replace('_', ' ')}: {fact.value}. {fact.description}"


def _age_days(then: datetime, now: datetime) -> float:
    return (now - then).total_seconds() / SECONDS_PER_DAY
