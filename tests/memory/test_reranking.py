"""A second look at the best of a ranking."""

import asyncio
from collections.abc import Sequence

import pytest

from memory.ranking import Ranked
from memory.reranking import RERANKED, reranked
from tests.memory.samples import candidate

RANKED = [Ranked(candidate(str(at)), 1.0, 1.0 - at / 100) for at in range(RERANKED + 3)]
TEXTS = {str(at): f"text {at}" for at in range(RERANKED + 3)}


class Favours:
    def __init__(self, text: str) -> None:
        self.text = text

    async def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        return [float(text == self.text) for text in texts]


class Fails:
    async def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        message = "no connection"
        raise OSError(message)


class Says:
    def __init__(self, found: Sequence[float]) -> None:
        self.found = found

    async def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        return self.found


class NeverEnds:
    async def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        await asyncio.Event().wait()
        return []


async def test_what_the_second_look_prefers_comes_first() -> None:
    order = await reranked(Favours("text 4"), "?", RANKED, TEXTS)
    assert order[0].candidate.id == "4"
    assert {entry.candidate.id for entry in order} == set(TEXTS)


async def test_what_is_further_down_is_not_looked_at() -> None:
    order = await reranked(Favours(f"text {RERANKED}"), "?", RANKED, TEXTS)
    assert order[RERANKED:] == tuple(RANKED[RERANKED:])


async def test_a_failing_reranker_leaves_the_ranking() -> None:
    assert await reranked(Fails(), "?", RANKED, TEXTS) == tuple(RANKED)


@pytest.mark.parametrize("scores", [[1.0], [float("nan")] * RERANKED])
async def test_scores_that_are_none_leave_the_ranking(scores: list[float]) -> None:
    assert await reranked(Says(scores), "?", RANKED, TEXTS) == tuple(RANKED)


async def test_an_item_without_a_text_keeps_its_score() -> None:
    order = await reranked(Favours("text 1"), "?", RANKED[:2], {"1": "text 1"})
    assert {entry.candidate.id: entry.score for entry in order}["0"] == 1.0


async def test_a_slow_reranker_leaves_the_ranking_when_its_time_is_over() -> None:
    until = asyncio.get_running_loop().time() + 0.01
    assert await reranked(NeverEnds(), "?", RANKED, TEXTS, until) == tuple(RANKED)
