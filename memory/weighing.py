"""From what a search found to the candidates that ranking sees."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Final

from memory.bm25 import bm25
from memory.candidates import Candidate, Place
from memory.episodes import EpisodeItem
from memory.fact_history import Fact
from memory.floor import Signs
from memory.fulltext import terms
from memory.searching import Found, statement

SECONDS_PER_DAY: Final = 86_400.0
SELECTIVE: Final = 3.5
"""Rarity of a term that three in a hundred items hold."""


def candidates_of(
    found: Found, now: datetime, open_domains: Collection[str] = ()
) -> list[Candidate]:
    """What was found, as ranking sees it."""
    items = [_of_item(item, found, now, open_domains) for item in found.items.values()]
    candidates = items + [_of_fact(fact, found, now) for fact in found.facts.values()]
    names = [
        name
        for name in found.question.names
        if _is_selective(name, found) and any(name <= one.terms for one in candidates)
    ]
    if not names:
        return candidates
    return [
        replace(one, name_share=sum(name <= one.terms for name in names) / len(names))
        for one in candidates
    ]


def signs_of(found: Found) -> Signs:
    """What is known of the question as a whole."""
    whole = sum(found.words.weights.values())
    certainty = whole / (whole + found.words.unknown) if whole else 0.0
    return Signs(found.background, certainty, found.question.named)


def _is_selective(name: frozenset[str], found: Found) -> bool:
    """Whether few of the scope's items mention it; a name that most mention says nothing."""
    return max(found.words.weights.get(term, 0.0) for term in name) >= SELECTIVE


def _of_item(
    item: EpisodeItem, found: Found, now: datetime, open_domains: Collection[str]
) -> Candidate:
    words = found.words.terms.get(item.id, frozenset())
    return Candidate(
        id=item.id,
        kind=item.kind,
        cosine=found.cosines.get(item.id),
        lexical=found.words.scores.get(item.id, 0.0),
        coverage=_coverage(found, words),
        age_days=_age_days(item.occurred_at, now),
        uses=item.uses,
        successes=item.successes,
        terms=words,
        event=item.turn_id,
        place=Place(item.thread, item.position),
        by_speaker=item.actor in found.question.actors,
        on_topic=bool(set(open_domains) & set(item.domain.split(","))),
    )


def _of_fact(fact: Fact, found: Found, now: datetime) -> Candidate:
    said = terms(statement(fact))
    return Candidate(
        id=fact.id,
        kind="fact",
        cosine=found.cosines.get(fact.id),
        lexical=bm25(said, found.words.weights, relative_length=1.0),
        coverage=_coverage(found, frozenset(said)),
        age_days=_age_days(fact.mentions[-1].occurred_at, now),
        terms=frozenset(said),
    )


def _coverage(found: Found, words: frozenset[str]) -> float:
    """Share of the question's terms that are among the words, each by its rarity."""
    weights = found.words.weights
    whole = sum(weights.values())
    met = sum(weight for term, weight in weights.items() if term in words)
    return met / whole if whole else 0.0


def _age_days(then: datetime, now: datetime) -> float:
    return (now - then).total_seconds() / SECONDS_PER_DAY
