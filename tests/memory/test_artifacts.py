"""The artifact log: append-only, bound to its scope, found by id and by text."""

import asyncio
import hashlib
from typing import Any

import pytest
from sqlalchemy import Connection, delete, func, select, text, update
from sqlalchemy.exc import IntegrityError

from memory.artifacts import ArtifactRef, Artifacts, tombstone
from memory.database import Database
from memory.errors import DamagedArtifact
from memory.tables import artifacts as table
from state import Scope


@pytest.fixture
def artifacts(database: Database) -> Artifacts:
    return Artifacts(database)


async def put(
    artifacts: Artifacts, scope: Scope, key: str, text: str, thread: str = "t"
) -> ArtifactRef:
    more: dict[str, Any] = {"turn_id": "1", "module": "billing", "kind": "tool_result"}
    return await artifacts.put(scope, id=key, thread=thread, text=text, source="tool", **more)


async def test_a_text_comes_back_with_its_digest_and_exact_tokens(
    artifacts: Artifacts, ana: Scope
) -> None:
    ref = await put(artifacts, ana, "art_1", '{"rows": [1, 2, 3]}')
    stored = await artifacts.get(ana, "art_1")
    assert stored is not None
    assert (stored.ref, stored.text) == (ref, '{"rows": [1, 2, 3]}')
    assert ref.sha256 == hashlib.sha256(stored.text.encode()).hexdigest()
    assert 5 < ref.tokens < 15


async def test_putting_again_keeps_the_first(artifacts: Artifacts, ana: Scope) -> None:
    first = await put(artifacts, ana, "art_1", "first")
    assert await put(artifacts, ana, "art_1", "second") == first
    stored = await artifacts.get(ana, "art_1")
    assert stored is not None
    assert stored.text == "first"


async def test_putting_at_once_stores_one(
    artifacts: Artifacts, database: Database, ana: Scope
) -> None:
    await asyncio.gather(*(put(artifacts, ana, "art_1", "same") for _ in range(8)))
    rows = select(func.count()).select_from(table)
    assert await database.read(lambda conn: conn.execute(rows).scalar_one()) == 1


async def test_no_artifact_can_be_changed(
    artifacts: Artifacts, database: Database, ana: Scope
) -> None:
    await put(artifacts, ana, "art_1", "as it was")
    with pytest.raises(IntegrityError, match="append-only"):
        await database.write(lambda conn: conn.execute(update(table).values(body=b"other")))
    stored = await artifacts.get(ana, "art_1")
    assert stored is not None
    assert stored.text == "as it was"


async def test_an_artifact_is_deleted_by_forgetting_only(
    artifacts: Artifacts, database: Database, ana: Scope
) -> None:
    await put(artifacts, ana, "art_1", "x")
    with pytest.raises(IntegrityError, match="deleted by forget only"):
        await database.write(lambda conn: conn.execute(delete(table)))
    assert await artifacts.get(ana, "art_1") is not None


async def test_a_forgotten_artifact_leaves_a_tombstone_and_stays_forgotten(
    artifacts: Artifacts, database: Database, ana: Scope
) -> None:
    await put(artifacts, ana, "art_1", "canary ZQ-417")
    gone = await database.write(
        lambda conn: tombstone(conn, table.c.id == "art_1", "asked for", "2026-05-01")
    )
    await put(artifacts, ana, "art_1", "canary ZQ-417")
    assert gone == ["art_1"]
    assert await artifacts.get(ana, "art_1") is None
    assert await artifacts.search(ana, "ZQ-417") == []


async def test_a_text_that_is_not_what_was_written_is_not_given_out(
    artifacts: Artifacts, database: Database, ana: Scope
) -> None:
    await put(artifacts, ana, "art_1", "as it was")

    def tamper(conn: Connection) -> None:
        conn.execute(text("DROP TRIGGER artifacts_append_only"))
        conn.execute(update(table).values(body=b"as it is"))

    await database.write(tamper)
    with pytest.raises(DamagedArtifact, match="sha256 is another"):
        await artifacts.get(ana, "art_1")
    assert await artifacts.search(ana, "as it was") == []


@pytest.mark.parametrize(
    "other", [Scope(user="bob"), Scope(tenant="other", user="ana"), Scope(user="", teams=("ana",))]
)
async def test_another_scope_finds_nothing_by_any_method(
    artifacts: Artifacts, ana: Scope, other: Scope
) -> None:
    await put(artifacts, ana, "art_1", "the salary table")
    assert await artifacts.get(other, "art_1") is None
    assert await artifacts.search(other, "salary") == []


async def test_two_scopes_may_use_one_id(artifacts: Artifacts, ana: Scope, bob: Scope) -> None:
    await put(artifacts, ana, "art_1", "of Ana")
    await put(artifacts, bob, "art_1", "of Bob")
    stored = await artifacts.get(bob, "art_1")
    assert stored is not None
    assert stored.text == "of Bob"


async def test_ten_megabytes_are_compressed_and_found_to_their_end(
    artifacts: Artifacts, database: Database, ana: Scope
) -> None:
    long = "row of figures\n" * 700_000 + "needle ZQ-417"
    await put(artifacts, ana, "art_1", long)
    stored = await artifacts.get(ana, "art_1")
    assert stored is not None
    assert stored.text == long
    size = select(func.length(table.c.body))
    assert await database.read(lambda conn: conn.execute(size).scalar_one()) < 100_000
    assert [hit.ref.id for hit in await artifacts.search(ana, "zq-417")] == ["art_1"]


async def test_nul_and_surrogates_are_replaced(artifacts: Artifacts, ana: Scope) -> None:
    await put(artifacts, ana, "art_1", "a\x00b\ud800c")
    stored = await artifacts.get(ana, "art_1")
    assert stored is not None
    assert stored.text == "a\ufffdb\ufffdc"


async def test_a_search_shows_the_passage_and_keeps_to_the_thread(
    artifacts: Artifacts, ana: Scope
) -> None:
    await put(artifacts, ana, "art_1", "hay " * 300 + "the overdue invoice INV-7 " + "hay " * 300)
    await put(artifacts, ana, "art_2", "overdue invoice INV-7", thread="other")
    (hit,) = await artifacts.search(ana, "INV-7", thread="t")
    assert hit.ref.id == "art_1"
    assert "INV-7" in hit.excerpt
    assert len(hit.excerpt) < 300
