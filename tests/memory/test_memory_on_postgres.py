"""The same memory on PostgreSQL: facts, the read path, forgetting, retention."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from configs.growth import RetentionSettings
from memory.artifacts import Artifacts
from memory.chroma_episodes import ChromaEpisodes
from memory.database import Database
from memory.erasing import erase_database
from memory.exchange import export_lines, import_lines
from memory.fact_rows import FactDraft
from memory.facts import Facts
from memory.floor import BY_WORDS
from memory.forgetting import Forgetting
from memory.indexing import Indexer
from memory.recall import Recall, RecallOptions
from memory.receipts import Target
from memory.retention import Retention
from memory.searching import Filter
from memory.slots import Slot
from memory.sql_episodes import SqlEpisodes
from memory.tables import episodes, fact_mentions
from state import Scope
from tests.memory.hashing import HashingEmbedder
from tests.memory.samples import NOON, item

SLOTS = (
    Slot(name="town", type="place", cardinality="single", description="where"),
    Slot(name="lead", type="name", cardinality="single", description="who", scope="team"),
)
ADA = Scope(user="ada", teams=("a",))
BEN = Scope(user="ben", teams=("a",))
LATER = NOON + timedelta(days=400)


@pytest.fixture
async def database(postgres_database: str) -> AsyncIterator[Database]:
    opened = await Database.open(postgres_database)
    yield opened
    await opened.close()


@pytest.fixture
def store(database: Database) -> SqlEpisodes:
    return SqlEpisodes(database)


@pytest.fixture
def facts(database: Database) -> Facts:
    return Facts(database, SLOTS)


def said(slot: str, value: str, turn: str, day: int) -> FactDraft:
    return FactDraft(
        slot=slot,
        value=value,
        source="user",
        thread="t",
        turn_id=turn,
        quote=value,
        occurred_at=NOON.replace(day=day),
    )


async def test_the_read_path_answers_with_vectors_and_with_words(
    database: Database, store: SqlEpisodes, facts: Facts, tmp_path: Path
) -> None:
    embedder = HashingEmbedder()
    index = ChromaEpisodes(tmp_path, embedder=embedder.name, dimension=embedder.dimension)
    indexer = Indexer(database, index, embedder)
    recall = Recall(
        episodes=store,
        facts=facts,
        indexer=indexer,
        options=RecallOptions(deadline_s=30.0, floor=BY_WORDS),
        clock=lambda: LATER,
    )
    texts = {"1": "Refunded invoice INV-1042", "2": "我住在上海", "3": "The goods were late"}
    await store.scoped(ADA).add([item(ADA, key, text) for key, text in texts.items()])
    await store.scoped(BEN).add([item(BEN, "4", "Refunded invoice INV-1042 for Ben")])
    note = await recall.recall(ADA, "what about inv-1042?", thread="other")
    assert "Refunded invoice INV-1042" in note["text"]
    assert "Ben" not in note["text"]
    assert not note["degraded"], note["reason"]
    assert "上海" in (await recall.recall(ADA, "上海", thread="other"))["text"]
    narrowed = await recall.search(ADA, "INV-1042", only=Filter(kinds=frozenset({"document"})))
    assert narrowed.ranked == ()
    await recall.close()
    await indexer.close()


async def test_facts_supersede_are_shared_with_a_team_and_come_back(facts: Facts) -> None:
    await facts.add(ADA, [said("town", "Lyon", "1", 1), said("town", "Oslo", "2", 2)])
    await facts.add(ADA, [said("lead", "Kim", "3", 3)])
    assert await facts.profile(ADA) == {"town": "Oslo", "lead": "Kim"}
    assert await facts.profile(BEN) == {"lead": "Kim"}
    assert await facts.forget_turn(ADA, "t", "2") == 1
    assert (await facts.profile(ADA))["town"] == "Lyon"


async def test_one_statement_from_many_workers_is_one_mention(facts: Facts) -> None:
    draft = said("town", "Lyon", "1", 1)
    await asyncio.gather(*(facts.add(ADA, [draft]) for _ in range(8)))
    (fact,) = await facts.current(ADA)
    assert len(fact.mentions) == 1


async def test_forgetting_leaves_no_text_and_what_others_have(
    database: Database, store: SqlEpisodes, facts: Facts
) -> None:
    word = "zebracanary"
    await store.scoped(ADA).add([item(ADA, "1", f"look for {word}")])
    await store.scoped(BEN).add([item(BEN, "5", "keep this")])
    await facts.add(ADA, [said("town", word, "1", 1)])
    log = Artifacts(database)
    place = {"thread": "t", "turn_id": "1", "module": "m", "kind": "k", "source": "tool"}
    await log.put(ADA, id="art_1", text=f"a result with {word}", **place)
    receipt = await Forgetting(database, facts, lambda: LATER).forget(ADA, Target("user"))
    rows = {one.store: one.rows for one in receipt.stores}
    assert (rows["episodes"], rows["facts"], rows["artifacts"]) == (1, 1, 1)
    assert await store.scoped(ADA).search_text(word, 5) == []
    assert await log.search(ADA, word) == []
    left = await database.read(lambda conn: conn.execute(select(fact_mentions)).all())
    texts = await database.read(lambda conn: conn.execute(select(episodes.c.text)).scalars().all())
    assert (left, sorted(texts)) == ([], ["", "keep this"])
    stores = await erase_database(database)
    assert all(one.done for one in stores)
    assert any("VACUUM" in one.note for one in stores)


async def test_retention_evicts_the_old(database: Database, store: SqlEpisodes) -> None:
    old, new = (LATER - timedelta(days=days) for days in (300, 20))
    await store.scoped(ADA).add(
        [
            item(ADA, "old", "old", occurred_at=old, recorded_at=old),
            item(ADA, "new", "new", occurred_at=new, recorded_at=new),
        ]
    )
    evicted = await Retention(database, RetentionSettings(turn_days=100), lambda: LATER).run()
    assert evicted.turns == 1
    assert [one.turn_id for one in await store.scoped(ADA).recent(5)] == ["new"]


async def test_an_export_is_imported_once(
    database: Database, store: SqlEpisodes, facts: Facts
) -> None:
    await store.scoped(ADA).add([item(ADA, "1", "one thing")])
    await facts.add(ADA, [said("town", "Lyon", "1", 1)])
    place = {"thread": "t", "turn_id": "1", "module": "m", "kind": "k", "source": "tool"}
    await Artifacts(database).put(ADA, id="art_1", text="a result", **place)
    lines = [line async for line in export_lines(database, store, facts, ADA)]
    eve = Scope(user="eve")
    first = await import_lines(database, store, facts, eve, lines)
    again = await import_lines(database, store, facts, eve, lines)
    assert (first.items, first.statements, first.artifacts) == (1, 1, 1)
    assert (again.items, again.statements, again.artifacts) == (0, 0, 0)
    assert await facts.profile(eve) == {"town": "Lyon"}
