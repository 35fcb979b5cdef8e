"""Two processes, eight writers, one killed: nothing lost, nothing doubled, nothing crossed."""

import asyncio
import sys
import time
from typing import Final

from sqlalchemy import func, select, text

from memory.artifacts import Artifacts
from memory.database import Database
from memory.episodes import item_id
from memory.sql_episodes import SqlEpisodes
from memory.tables import artifacts, episodes
from state import Scope
from tests.forks import Forked
from tests.memory.samples import item

TENANTS: Final = 50
TURNS: Final = 6
WRITERS: Final = 4


def scope_of(tenant: int) -> Scope:
    return Scope(tenant=f"tenant-{tenant}", user="ana")


def work() -> list[tuple[int, int]]:
    """Every write, tenants interleaved."""
    return [(tenant, turn) for turn in range(TURNS) for tenant in range(TENANTS)]


async def write_all(url: str) -> None:
    """Four writers share the work; each says what is committed."""
    database = await Database.open(url)
    store, log = SqlEpisodes(database), Artifacts(database)

    async def writer(number: int) -> None:
        for tenant, turn in work()[number::WRITERS]:
            scope = scope_of(tenant)
            words = f"secret{tenant} of turn {turn}"
            await store.scoped(scope).add([item(scope, str(turn), words)])
            place = {"thread": "t", "turn_id": str(turn), "module": "m", "kind": "k"}
            await log.put(scope, id=f"art_{turn}", text=words, source="tool", **place)
            sys.stdout.write(f"{tenant} {turn}\n")
            sys.stdout.flush()

    await asyncio.gather(*(writer(number) for number in range(WRITERS)))
    await database.close()


def write(url: str) -> None:
    asyncio.run(write_all(url))


def said(process: Forked) -> set[tuple[int, int]]:
    """What a process has committed, as far as it came."""
    lines = process.communicate()[0].splitlines()
    whole = [line.split() for line in lines if line.count(" ") == 1]
    return {(int(tenant), int(turn)) for tenant, turn in whole}


async def test_two_processes_write_the_same_and_one_is_killed(url: str) -> None:
    opened = await Database.open(url)
    await opened.close()
    first, second = Forked(write, url), Forked(write, url)
    await asyncio.to_thread(first.stdout.readline)
    time.sleep(0.3)  # noqa: ASYNC251 - somewhere in the middle
    first.kill()
    acknowledged = await asyncio.to_thread(said, first)
    again = Forked(write, url)
    finished = await asyncio.to_thread(said, second) | await asyncio.to_thread(said, again)
    assert (second.returncode, again.returncode) == (0, 0)
    assert acknowledged <= finished == set(work())
    await check(url)


async def check(url: str) -> None:
    database = await Database.open(url)
    store, log = SqlEpisodes(database), Artifacts(database)
    counts = [select(func.count()).select_from(table) for table in (episodes, artifacts)]
    counts.append(select(func.count()).select_from(text("episodes_terms")))
    found = await database.read(lambda conn: [conn.execute(one).scalar() for one in counts])
    assert found == [len(work())] * 3
    for tenant in range(TENANTS):
        scope = scope_of(tenant)
        handle = store.scoped(scope)
        assert await handle.count() == TURNS
        mine = {item_id(scope, "t", str(turn), "turn") for turn in range(TURNS)}
        assert {hit.id for hit in await handle.search_text("secret", 500)} == mine
        neighbour = item_id(scope_of((tenant + 1) % TENANTS), "t", "0", "turn")
        assert await handle.get([neighbour]) == []
        stored = await log.get(scope, "art_0")
        assert stored is not None
        assert stored.text == f"secret{tenant} of turn 0"
    await database.close()
