"""Segments as rows: kept once, each message in one, gone without a trace when forgotten."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import func, insert, select

from memory.database import Database
from memory.facts import Facts
from memory.forgetting import Forgetting
from memory.receipts import Target
from memory.segment_shapes import Segment, SourceMessage
from memory.segmentation import Segmenter
from memory.segments import Segments
from memory.tables import turns
from memory.tables_segments import conversations, segmented_messages, segments
from state import Scope
from tests.memory.talks import talk

AT = datetime(2030, 1, 1, tzinfo=UTC)
ANA = Scope(user="ana")
TALK = talk(("billing", "What is INV-1042?"), ("billing", "Refund it"), ("orders", "And ORD-7?"))


@pytest.fixture
def store(database: Database) -> Segments:
    return Segments(database, lambda: AT)


def cut(messages: list[SourceMessage] = TALK) -> list[Segment]:
    return Segmenter().batch(messages)


def worded(found: list[Segment]) -> list[Segment]:
    return [{**one, "topic": "secret", "entities": ["secret"]} for one in found]


async def rows(database: Database) -> list[int]:
    tables = (conversations, segments, segmented_messages)
    return [
        await database.read(
            lambda conn, table=table: conn.execute(  # type: ignore[misc]  # bound in the loop
                select(func.count()).select_from(table)
            ).scalar_one()
        )
        for table in tables
    ]


async def closed(database: Database, scope: Scope, thread: str, *turn_ids: str) -> None:
    """Turns of a thread, as closing them leaves them."""
    same = {"tenant": scope.tenant, "user": scope.user, "thread": thread, "record": "{}"}
    given = [
        {**same, "id": one, "position": at, "status": "done", "closed_at": AT.isoformat()}
        for at, one in enumerate(turn_ids)
    ]
    await database.write(lambda conn: conn.execute(insert(turns), given))


async def test_keeping_the_same_segments_twice_changes_nothing(
    store: Segments, database: Database
) -> None:
    await store.keep(ANA, "t", cut())
    before = await store.of_thread("t")
    await store.keep(ANA, "t", cut())
    assert await store.of_thread("t") == before
    assert await rows(database) == [2, 2, len(TALK)]


async def test_a_stored_segment_has_its_messages_in_order(store: Segments) -> None:
    await store.keep(ANA, "t", cut())
    found = await store.of_thread("t")
    assert [one.agent for one in found] == [("billing",), ("orders",)]
    assert [id_ for one in found for id_ in one.message_ids] == [one["id"] for one in TALK]
    assert [one.turn_ids for one in found] == [("turn_0", "turn_1"), ("turn_2",)]


async def test_a_message_stays_in_the_segment_it_was_first_put_into(
    store: Segments, database: Database
) -> None:
    await store.keep(ANA, "t", cut(TALK[:4]))
    await store.keep(ANA, "t", cut(TALK[2:]))
    assert (await rows(database))[2] == len(TALK)
    assert [len(one.message_ids) for one in await store.of_thread("t")] == [4, 2]


async def test_a_provisional_segment_gives_way_to_a_later_cut(store: Segments) -> None:
    await store.keep(ANA, "t", [{**one, "final": False} for one in cut(TALK[:2])])
    await store.keep(ANA, "t", cut())
    assert [len(one.message_ids) for one in await store.of_thread("t")] == [4, 2]


async def test_the_end_of_a_segment_is_written_once_and_places_its_messages(
    store: Segments,
) -> None:
    found = cut()
    await store.keep(ANA, "t", found)
    assert await store.end(found[0]["id"], "episode", ["ep_1"])
    assert not await store.end(found[0]["id"], "discarded", reason="chatter")
    first = (await store.of_thread("t"))[0]
    assert (first.state, first.episode_ids, first.reason) == ("episode", ("ep_1",), "")
    assert await store.placed("t") == set(found[0]["message_ids"])


async def test_forgetting_a_thread_leaves_no_segment(store: Segments, database: Database) -> None:
    await closed(database, ANA, "t", "turn_0", "turn_1", "turn_2")
    await store.keep(ANA, "t", worded(cut()))
    await store.keep(Scope(user="bob"), "other", cut(talk(("billing", "mine"), thread="b")))
    forgetting = Forgetting(database, Facts(database, ()), lambda: AT)
    receipt = await forgetting.forget(ANA, Target("thread", ("t",)))
    assert await store.of_thread("t") == []
    assert len(await store.of_thread("other")) == 1
    assert ("segments", 10) in [(one.store, one.rows) for one in receipt.stores]


async def test_a_segment_that_shares_a_forgotten_turn_loses_its_words(
    store: Segments, database: Database
) -> None:
    await closed(database, ANA, "t", "turn_0", "turn_1", "turn_2")
    await store.keep(ANA, "t", worded(cut()))
    forgetting = Forgetting(database, Facts(database, ()), lambda: AT)
    await forgetting.forget(ANA, Target("turn", ("turn_1", "turn_2")))
    (left,) = await store.of_thread("t")
    assert left.turn_ids == ("turn_0",)
    assert (left.topic, left.entities) == ("", ())
    assert (await rows(database))[0] == 1


async def test_a_job_that_comes_late_keeps_nothing_of_a_forgotten_turn(
    store: Segments, database: Database
) -> None:
    await closed(database, ANA, "t", "turn_0", "turn_1", "turn_2")
    forgetting = Forgetting(database, Facts(database, ()), lambda: AT)
    await forgetting.forget(ANA, Target("turn", ("turn_1", "turn_2")))
    await store.keep(ANA, "t", worded(cut()))
    (left,) = await store.of_thread("t")
    assert (left.turn_ids, left.topic) == (("turn_0",), "")
