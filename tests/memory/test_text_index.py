"""The full-text index: exact BM25 of the scope's own rows, bounded work, nothing left behind."""

import math
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from memory import bm25 as formula
from memory.bm25 import K1, B, rarest
from memory.database import Database
from memory.fulltext import query_terms, terms
from memory.text_index import EPISODE_TEXT, TextEntry, TextHit

TEXTS = {
    1: "The refund of the invoice was refused",
    2: "Refund refund refund",
    3: "An order was shipped to Lyon",
    4: "The invoice was sent to Lyon, and the invoice was paid",
    5: "Weather",
}


async def fill(database: Database, texts: dict[int, str], audience: str = "aud_ana") -> None:
    entries = [TextEntry(number, audience, value) for number, value in texts.items()]
    await database.write(lambda conn: EPISODE_TEXT.add(conn, entries))


async def search(database: Database, query: str, *audiences: str, limit: int = 10) -> list[TextHit]:
    return await database.read(
        lambda conn: EPISODE_TEXT.search(conn, query, audiences or ("aud_ana",), limit)
    )


def expected(query: str, texts: dict[int, str]) -> dict[int, float]:
    """BM25 as in the books, over all rows."""
    known = {number: terms(value) for number, value in texts.items()}
    mean = sum(map(len, known.values())) / len(known)
    scores: dict[int, float] = {}
    for number, found in known.items():
        counts = Counter(found)
        for term in query_terms(query):
            holding = sum(term in other for other in known.values())
            if counts[term]:
                weight = math.log(1 + (len(known) - holding + 0.5) / (holding + 0.5))
                base = K1 * (1 - B + B * len(found) / mean)
                share = counts[term] * (K1 + 1) / (counts[term] + base)
                scores[number] = scores.get(number, 0.0) + weight * share
    return scores


@pytest.mark.parametrize("query", ["refund invoice", "Lyon", "invoice to Lyon", "weather refund"])
async def test_scores_are_bm25_over_the_scopes_rows(database: Database, query: str) -> None:
    await fill(database, TEXTS)
    hits = await search(database, query)
    assert {hit.number: hit.score for hit in hits} == pytest.approx(expected(query, TEXTS))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


async def test_other_scopes_do_not_change_scores(database: Database) -> None:
    await fill(database, TEXTS)
    alone = await search(database, "refund invoice")
    await fill(database, dict.fromkeys(range(10, 60), "refund " * 50), "aud_bob")
    assert await search(database, "refund invoice") == alone


async def test_several_audiences_are_one_corpus(database: Database) -> None:
    mine = {number: TEXTS[number] for number in (1, 2)}
    shared = {number: TEXTS[number] for number in (3, 4, 5)}
    await fill(database, mine)
    await fill(database, shared, "aud_team")
    hits = await search(database, "refund invoice", "aud_ana", "aud_team", "aud_nobody")
    assert {hit.number: hit.score for hit in hits} == pytest.approx(
        expected("refund invoice", TEXTS)
    )


async def test_removed_rows_are_not_found_and_not_counted(database: Database) -> None:
    await fill(database, TEXTS | {6: "refund of a canary ZQ-417"})
    await database.write(lambda conn: EPISODE_TEXT.remove(conn, [6, 777]))
    assert await search(database, "ZQ-417") == []
    hits = await search(database, "refund invoice")
    assert {hit.number: hit.score for hit in hits} == pytest.approx(
        expected("refund invoice", TEXTS)
    )


async def test_only_the_rarest_terms_of_a_long_list_are_matched(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formula, "MAX_POSTINGS", 40)
    await fill(database, {n: f"common words and rare{n % 20}" for n in range(1, 401)})
    hits = await search(database, "common words rare7", limit=50)
    assert {hit.number for hit in hits} == {n for n in range(1, 401) if n % 20 == 7}


def test_the_rarest_term_is_matched_however_common_it_is() -> None:
    assert rarest({"a": 10**9}) == ["a"]
    assert rarest({"a": 10**9, "b": 3}) == ["b"]
    assert rarest({}) == []


async def test_nothing_of_removed_terms_stays_after_erasing(
    database: Database, tmp_path: Path
) -> None:
    await fill(database, TEXTS | {n: f"hay{n}" for n in range(10, 300)})
    await fill(database, {6: "the canaryzq417 sings"})

    def forget(conn: Connection) -> None:
        EPISODE_TEXT.remove(conn, [6])
        EPISODE_TEXT.erase(conn)

    await database.write(forget)
    words = await database.read(
        lambda conn: conn.execute(text("SELECT block FROM episodes_words_data")).scalars().all()
    )
    assert not any(b"canaryzq417" in block for block in words)


async def test_letters_that_sqlite_does_not_know_are_found(database: Database) -> None:
    await fill(database, {1: "plain", 2: "name \U00010571\U00010572 here", 3: "𞤀𞤣𞤤𞤢𞤥"})
    assert [hit.number for hit in await search(database, "𞤀𞤣𞤤𞤢𞤥")] == [3]
    assert [hit.number for hit in await search(database, "\U00010571\U00010572")] == [2]
