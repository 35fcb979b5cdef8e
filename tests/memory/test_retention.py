"""What memory lets go of: the old, and above a cap the least valuable; never what is fresh."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, insert, select

from configs.growth import RetentionSettings
from memory.artifacts import Artifacts
from memory.database import Database
from memory.retention import Retention, value_of
from memory.sql_episodes import SqlEpisodes
from memory.tables import model_calls, outbox, summaries, turns
from state import Scope
from tests.memory.samples import NOON, item

LATER = NOON + timedelta(days=400)


def retention(database: Database, **changes: Any) -> Retention:  # noqa: ANN401 - settings
    return Retention(database, RetentionSettings(**changes), lambda: LATER)


def aged(scope: Scope, turn: str, days: float, **more: Any) -> Any:  # noqa: ANN401 - an item
    at = LATER - timedelta(days=days)
    return item(scope, turn, f"note {turn}", occurred_at=at, recorded_at=at, **more)


async def leave_artifact(database: Database, scope: Scope, days: int) -> None:
    """An artifact of a closed turn, so many days ago."""
    at = LATER - timedelta(days=days)
    place: dict[str, Any] = {"thread": "t", "turn_id": f"turn-{days}", "module": "m"}
    artifacts = Artifacts(database, clock=lambda: at)
    text = "x" * 400
    await artifacts.put(scope, id=f"art_{days}", kind="k", source="tool", text=text, **place)
    row = {"id": f"turn-{days}", "tenant": scope.tenant, "user": scope.user, "thread": "t"}
    row |= {"record": "{}", "status": "done", "closed_at": at.isoformat()}
    closed = insert(turns).values({**row, "position": days})
    await database.write(lambda conn: conn.execute(closed))


async def kept(store: SqlEpisodes, scope: Scope) -> set[str]:
    return {one.turn_id for one in await store.scoped(scope).recent(100)}


async def test_by_default_nothing_of_a_small_memory_goes(
    database: Database, store: SqlEpisodes, ana: Scope
) -> None:
    await store.scoped(ana).add([aged(ana, str(days), days) for days in (1, 100, 3_000)])
    evicted = await retention(database).run()
    assert (evicted.turns, evicted.episodes, evicted.artifacts) == (0, 0, 0)
    assert len(await kept(store, ana)) == 3


async def test_above_a_cap_the_least_valuable_go(
    database: Database, store: SqlEpisodes, ana: Scope, bob: Scope
) -> None:
    used = aged(ana, "used", 300, uses=9)
    failed = aged(ana, "failed", 300, result="negative")
    plain = [aged(ana, f"plain-{at}", 300 + at) for at in range(3)]
    await store.scoped(ana).add([used, failed, *plain, aged(ana, "new", 10)])
    await store.scoped(bob).add([aged(bob, "bobs", 390)])
    evicted = await retention(database, turns=3).run()
    assert evicted.turns == 3
    assert await kept(store, ana) == {"used", "failed", "new"}
    assert await kept(store, bob) == {"bobs"}


async def test_what_is_fresh_never_goes(database: Database, store: SqlEpisodes, ana: Scope) -> None:
    await store.scoped(ana).add([aged(ana, str(at), 1) for at in range(5)])
    assert (await retention(database, turns=1, turn_days=0.5).run()).turns == 0
    assert len(await kept(store, ana)) == 5


async def test_age_alone_is_enough_where_it_is_set(
    database: Database, store: SqlEpisodes, ana: Scope
) -> None:
    await store.scoped(ana).add([aged(ana, "old", 50), aged(ana, "older", 500)])
    await store.scoped(ana).add([aged(ana, "episode", 500, kind="episode")])
    await retention(database, turn_days=100).run()
    assert await kept(store, ana) == {"old", "episode"}


@pytest.mark.parametrize(
    ("settings", "left"),
    [
        ({"artifact_days": 100, "artifact_megabytes": None}, {"art_50"}),
        ({"artifact_days": None, "artifact_megabytes": 0.0005}, {"art_50"}),
        ({"artifact_days": None, "artifact_megabytes": 0.5}, {"art_50", "art_200", "art_390"}),
    ],
)
async def test_artifacts_go_by_age_or_by_bytes_and_leave_tombstones(
    database: Database, ana: Scope, settings: dict[str, Any], left: set[str]
) -> None:
    for days in (390, 200, 50):
        await leave_artifact(database, ana, days)
    artifacts = Artifacts(database)
    evicted = await retention(database, **settings).run()
    found = {f"art_{days}" for days in (390, 200, 50) if await artifacts.get(ana, f"art_{days}")}
    assert found == left
    assert evicted.artifacts == 3 - len(left)


async def test_it_is_due_once_in_an_interval(database: Database) -> None:
    made = retention(database)
    assert await made.is_due()
    await made.run()
    assert not await made.is_due()
    assert await Retention(
        database, RetentionSettings(), lambda: LATER + timedelta(hours=25)
    ).is_due()


@given(st.floats(0, 1e7), st.integers(0, 10**6), st.integers(0, 10**6))
def test_value_lies_between_0_and_1_and_falls_with_age(age: float, uses: int, good: int) -> None:
    value = value_of(age, uses, good, "none")
    assert 0.0 <= value <= 1.0
    assert value_of(age + 100, uses, good, "none") <= value
    assert value_of(age, uses + 1, good, "positive") >= value_of(age, 0, 0, "none")


async def test_old_rows_of_logs_go_and_what_is_still_wanted_stays(database: Database) -> None:
    old, new = (LATER - timedelta(days=days) for days in (390, 20))
    call: dict[str, Any] = dict.fromkeys(("input_tokens", "output_tokens", "turn"), 1)
    call |= {"thread": "t", "module": "m", "model": "x", "blocks": "[]", "counted": True}
    call |= {"cache_read_tokens": 0, "cache_write_tokens": 0}
    job: dict[str, Any] = dict.fromkeys(("kind", "tenant", "user", "thread", "turn_id"), "x")
    job |= {"teams": "[]", "attempts": 1, "note": "", "created_at": old.isoformat()}
    fold: dict[str, Any] = {"thread": "t", "fold": "f", "source": "", "text": "s", "note": ""}
    fold |= {"created_at": old.isoformat(), "updated_at": old.isoformat(), "state": "written"}

    def fill(conn: Connection) -> None:
        for at in (old, new):
            conn.execute(insert(model_calls).values(**call, at=at.isoformat()))
            for state in ("done", "failed"):
                row = {"id": f"{state}-{at.year}", "state": state, "updated_at": at.isoformat()}
                conn.execute(insert(outbox).values(**job, **row))
        for upto in (1, 2):
            conn.execute(insert(summaries).values(**fold, id=str(upto), upto=upto))

    await database.write(fill)
    evicted = await retention(database).run()
    assert (evicted.calls, evicted.jobs) == (1, 2)
    kept = await database.read(lambda conn: conn.execute(select(outbox.c.state)).scalars().all())
    assert sorted(kept) == ["done", "failed", "failed"]
    left = await database.read(lambda conn: conn.execute(select(summaries.c.upto)).scalars().all())
    assert left == [2]
