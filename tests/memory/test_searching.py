"""Which items a search brings up beside those that it hits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import searching
from memory.episodes import TextMatch
from memory.searching import Searcher, best_first
from memory.sql_episodes import SqlEpisodes
from state import Scope
from tests.memory.samples import item

LONG_S = 30.0
ids = st.sampled_from("abcdef")
scores = st.floats(0, 20, allow_nan=False)
cosines = st.floats(-1, 1, allow_nan=False)


@given(st.dictionaries(ids, scores), st.dictionaries(ids, cosines))
def test_all_that_was_found_is_ordered_once(
    words: dict[str, float], meaning: dict[str, float]
) -> None:
    order = best_first([TextMatch(key, score) for key, score in words.items()], meaning)
    assert sorted(order) == sorted({*words, *meaning})


def test_what_both_ways_find_comes_before_what_one_finds() -> None:
    hits = [TextMatch("words", 9.0), TextMatch("both", 9.0)]
    assert best_first(hits, {"meaning": 0.9, "both": 0.9, "far": 0.1}) == [
        "both", "meaning", "words", "far",
    ]  # fmt: skip


async def test_only_the_best_hits_bring_what_stands_around_them(
    store: SqlEpisodes, ana: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "ROOTS", 1)
    said = {"best": "refund invoice", "other": "the refund of a very long story about many things"}
    items = [
        item(ana, f"{thread} {at}", text, thread=thread, position=at)
        for thread, hit in said.items()
        for at, text in enumerate((hit, "what follows"))
    ]
    await store.scoped(ana).add(items)
    searcher = Searcher(episodes=store, facts=None, indexer=None)
    found = await searcher.search(ana, "refund invoice", seen_turns=(), vectors_s=LONG_S)
    assert {one.turn_id for one in found.items.values()} == {"best 0", "best 1", "other 0"}
