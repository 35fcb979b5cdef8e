"""A closed turn is remembered once, with its episode when an effect came to an end."""

from collections.abc import AsyncIterator

import pytest

from memory.database import Database
from memory.episodes import item_id
from memory.fact_rows import FactDraft
from memory.facts import Facts
from memory.indexing import Indexer
from memory.remembering import Memory
from memory.segments import Segments
from memory.slots import Slot
from memory.sql_episodes import SqlEpisodes
from state import Scope
from tests.memory.remembered import remember
from tests.memory.samples import NOON, call, turn

REFUND = turn(
    1,
    "Refund INV-1042",
    "It was refused.",
    call("issue_refund", {"amount": 120}, "rejected", "Set reason to duplicate charge"),
)


@pytest.fixture
def facts(database: Database) -> Facts:
    return Facts(database, [Slot(name="drink", cardinality="single", description="drink")])


@pytest.fixture
async def memory(
    store: SqlEpisodes, segments: Segments, facts: Facts, indexer: Indexer
) -> AsyncIterator[Memory]:
    made = Memory(episodes=store, segments=segments, facts=facts, indexer=indexer)
    yield made
    await made.close()


async def test_every_closed_turn_becomes_an_item(
    database: Database, memory: Memory, store: SqlEpisodes, ana: Scope
) -> None:
    await remember(database, memory, ana, "t", turn(3, "Which invoices are overdue?", "INV-7."))
    (kept,) = await store.scoped(ana).recent(10)
    assert (kept.id, kept.kind) == (item_id(ana, "t", "turn-3", "turn"), "turn")
    assert kept.text == "Which invoices are overdue?\nINV-7."
    assert (kept.position, kept.domain, kept.result) == (3, "billing", "none")


async def test_an_ended_effect_becomes_an_episode_with_its_lesson(
    database: Database, memory: Memory, store: SqlEpisodes, ana: Scope
) -> None:
    await remember(database, memory, ana, "t", REFUND)
    (kept,) = [one for one in await store.scoped(ana).recent(9) if one.kind == "episode"]
    assert (kept.result, kept.operation, kept.occurred_at.date()) == (
        "negative",
        "issue_refund",
        NOON.date().replace(day=2),
    )
    assert kept.episode is not None
    assert kept.episode.entities == ("INV-1042",)
    assert kept.episode.constraints[0]["value"] == "duplicate charge"


async def test_remembering_ten_times_is_remembering_once(
    database: Database, memory: Memory, store: SqlEpisodes, ana: Scope
) -> None:
    new = [(await remember(database, memory, ana, "t", REFUND)).new_items for _ in range(10)]
    assert new == [2] + [0] * 9
    assert await store.scoped(ana).count() == 2


async def test_the_same_turn_id_in_two_tenants_is_two_turns(
    memory: Memory, store: SqlEpisodes
) -> None:
    scopes = [Scope(tenant="a", user="x"), Scope(tenant="b", user="x")]
    for scope in scopes:
        await memory.remember_turn(scope, "t", REFUND)
    assert [await store.scoped(scope).count() for scope in scopes] == [1, 1]


async def test_a_write_does_not_open_the_index(
    database: Database, memory: Memory, indexer: Indexer, ana: Scope
) -> None:
    remembered = await remember(database, memory, ana, "t", REFUND)
    assert (remembered.indexed, indexer.started) == (False, False)
    assert await indexer.waiting() == 2


async def test_an_open_index_takes_the_turn_at_once(
    database: Database, memory: Memory, indexer: Indexer, ana: Scope
) -> None:
    await indexer.sweep()
    assert (await remember(database, memory, ana, "t", REFUND)).indexed
    assert await indexer.waiting() == 0


async def test_forgetting_a_turn_takes_items_and_facts_along(
    database: Database, memory: Memory, store: SqlEpisodes, facts: Facts, ana: Scope
) -> None:
    await remember(database, memory, ana, "t", REFUND)
    draft = FactDraft(
        slot="drink",
        value="tea",
        source="user",
        thread="t",
        turn_id="turn-1",
        quote="I drink tea",
        occurred_at=NOON,
    )
    await facts.add(ana, [draft])
    assert await memory.forget_turn(ana, "t", "turn-1") == 3
    assert await store.scoped(ana).count() == 0
    assert await facts.current(ana) == []


async def test_another_user_cannot_forget_a_turn(
    database: Database, memory: Memory, store: SqlEpisodes, ana: Scope, bob: Scope
) -> None:
    await remember(database, memory, ana, "t", REFUND)
    assert await memory.forget_turn(bob, "t", "turn-1") == 0
    assert await store.scoped(ana).count() == 2


async def test_a_turn_rolled_back_is_not_remembered_by_a_late_job(
    database: Database, memory: Memory, store: SqlEpisodes, ana: Scope
) -> None:
    await remember(database, memory, ana, "t", REFUND)
    await memory.forget_turn(ana, "t", "turn-1")
    assert (await remember(database, memory, ana, "t", REFUND)).new_items == 0
    assert await store.scoped(ana).count() == 0
