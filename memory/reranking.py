"""An optional second look at the best of a ranking: a question and a text read together."""

import asyncio
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from memory.ranking import Ranked, normalised

RERANKED: Final = 20
SHARE: Final = 0.5
"""Part of a reranked item's score that the second look gives."""

logger = logging.getLogger(__name__)


class Reranker(Protocol):
    """Scores texts against a question, higher is better; may fail, and the ranking then stays."""

    async def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One score for each text."""


async def reranked(
    reranker: Reranker,
    query: str,
    ranked: Sequence[Ranked],
    texts: Mapping[str, str],
    until: float | None = None,
) -> tuple[Ranked, ...]:
    """The ranking with its best items in the order of a second look; facts keep their place.

    Args:
        reranker: What looks.
        query: The question.
        ranked: Best first.
        texts: What the items say, by id; one without a text is not looked at.
        until: The loop's time after which the ranking stays as it was; None waits for ever.
    """
    looked_at = [entry for entry in ranked[:RERANKED] if entry.candidate.id in texts]
    try:
        async with asyncio.timeout_at(until):
            scores = await reranker.scores(query, [texts[one.candidate.id] for one in looked_at])
        _check(scores, len(looked_at))
    except Exception as error:  # noqa: BLE001 - law 11: memory fails open, whatever fails
        logger.warning("the ranking stays as it was: %r", error)
        return tuple(ranked)
    best = max((entry.score for entry in looked_at), default=0.0)
    again = {
        entry.candidate.id: replace(
            entry, score=(1.0 - SHARE) * entry.score + SHARE * best * second
        )
        for entry, second in zip(looked_at, normalised(scores), strict=True)
    }
    head = [again.get(entry.candidate.id, entry) for entry in ranked[:RERANKED]]
    head.sort(key=lambda entry: (-entry.score, entry.candidate.id))
    return (*head, *ranked[RERANKED:])


def _check(scores: Sequence[float], wanted: int) -> None:
    if len(scores) != wanted or not all(map(math.isfinite, scores)):
        message = f"wanted {wanted} finite scores, got {list(scores)!r:.200}"
        raise ValueError(message)
