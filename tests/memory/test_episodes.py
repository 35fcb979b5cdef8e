"""The contract of every `EpisodeStore`: idempotent, and closed to other scopes on every method."""

import asyncio

import pytest

from memory.database import Database
from memory.episodes import EpisodeStore, audience_of, readable_audiences
from memory.sql_episodes import MAX_TEXT_CHARS, SqlEpisodes
from state import Scope
from tests.memory.samples import item


@pytest.fixture(params=[SqlEpisodes])
def store(request: pytest.FixtureRequest, database: Database) -> EpisodeStore:
    made: EpisodeStore = request.param(database)
    return made


async def test_an_item_reads_back_as_written(store: EpisodeStore, ana: Scope) -> None:
    written = item(ana, "1", "refund invoice INV-1042", domain="billing", position=3)
    await store.scoped(ana).add([written])
    assert await store.scoped(ana).get([written.id]) == [written]


async def test_adding_twice_stores_once(store: EpisodeStore, ana: Scope) -> None:
    handle = store.scoped(ana)
    assert await handle.add([item(ana, "1", "one")]) == 1
    assert await handle.add([item(ana, "1", "one, said again")]) == 0
    assert await handle.count() == 1


async def test_adding_at_once_from_many_tasks_stores_once(store: EpisodeStore, ana: Scope) -> None:
    same = item(ana, "1", "one sentence")
    added = await asyncio.gather(*(store.scoped(ana).add([same]) for _ in range(8)))
    assert sum(added) == 1


async def test_another_user_finds_nothing_by_any_method(
    store: EpisodeStore, ana: Scope, bob: Scope
) -> None:
    mine = item(ana, "1", "the salary of Ana")
    await store.scoped(ana).add([mine])
    theirs = store.scoped(bob)
    assert await theirs.get([mine.id]) == []
    assert await theirs.search_text("salary", 10) == []
    assert await theirs.recent(10) == []
    assert await theirs.count() == 0
    assert await theirs.mark_used([mine.id]) == 0
    assert await theirs.forget([mine.id]) == 0
    assert await theirs.forget_turn("t", "1") == 0
    assert await store.scoped(ana).get([mine.id]) == [mine]


async def test_another_tenant_with_the_same_user_finds_nothing(store: EpisodeStore) -> None:
    here, there = Scope(tenant="a", user="ana"), Scope(tenant="b", user="ana")
    await store.scoped(here).add([item(here, "1", "secret plan")])
    assert await store.scoped(there).search_text("secret", 10) == []
    assert await store.scoped(there).count() == 0


async def test_a_team_reads_what_a_member_shares_and_others_do_not(store: EpisodeStore) -> None:
    ana = Scope(user="ana", teams=("finance",))
    shared = item(ana, "1", "closing checklist", visibility="team", team="finance")
    await store.scoped(ana).add([shared])
    assert await store.scoped(Scope(user="bob", teams=("finance",))).get([shared.id]) == [shared]
    assert await store.scoped(Scope(user="eve", teams=("sales",))).get([shared.id]) == []


async def test_sharing_with_a_foreign_team_is_refused(store: EpisodeStore, ana: Scope) -> None:
    with pytest.raises(ValueError, match="wanted a team of 'ana'"):
        await store.scoped(ana).add([item(ana, "1", "x", visibility="team", team="finance")])
    assert await store.scoped(ana).count() == 0


async def test_the_organisation_reads_but_cannot_forget_a_shared_item(
    store: EpisodeStore, ana: Scope, bob: Scope
) -> None:
    shared = item(ana, "1", "office closes at six", visibility="organisation")
    await store.scoped(ana).add([shared])
    assert await store.scoped(bob).get([shared.id]) == [shared]
    assert await store.scoped(bob).forget([shared.id]) == 0


async def test_a_forgotten_turn_stays_forgotten(store: EpisodeStore, ana: Scope) -> None:
    handle = store.scoped(ana)
    kept, gone = item(ana, "1", "stays"), item(ana, "2", "canary ZQ-417")
    await handle.add([kept, gone])
    assert await handle.forget_turn("t", "2") == 1
    assert await handle.add([gone]) == 0
    assert await handle.search_text("ZQ-417", 10) == []
    assert await handle.recent(10) == [kept]


async def test_uses_are_counted(store: EpisodeStore, ana: Scope) -> None:
    handle = store.scoped(ana)
    one = item(ana, "1", "one")
    await handle.add([one])
    await handle.mark_used([one.id])
    await handle.mark_used([one.id])
    assert (await handle.get([one.id]))[0].uses == 2


@pytest.mark.parametrize("text", ["", "\x00nul\x00", "lone \ud800 surrogate", "emoji 😀"])
async def test_any_text_is_stored(store: EpisodeStore, ana: Scope, text: str) -> None:
    written = item(ana, "1", text)
    await store.scoped(ana).add([written])
    (read,) = await store.scoped(ana).get([written.id])
    assert len(read.text) == len(text)
    assert "\x00" not in read.text


async def test_ten_megabytes_are_kept_by_their_opening_and_say_so(
    store: EpisodeStore, ana: Scope
) -> None:
    written = item(ana, "1", "needle " + "hay " * 2_500_000)
    await store.scoped(ana).add([written])
    (read,) = await store.scoped(ana).get([written.id])
    assert len(read.text) < MAX_TEXT_CHARS + 100
    assert "more characters in the transcript" in read.text
    assert len(await store.scoped(ana).search_text("needle", 5)) == 1


def test_keys_cannot_be_forged_by_separators() -> None:
    odd = [
        Scope(tenant="a", user="b"),
        Scope(tenant="a:b", user=""),
        Scope(tenant="a", user="b&user=c"),
        Scope(tenant='a","b', user=""),
    ]
    assert len({audience_of(scope) for scope in odd}) == len(odd)


def test_a_user_named_like_a_team_is_not_the_team() -> None:
    named = readable_audiences(Scope(user="finance"))
    assert audience_of(Scope(user="x", teams=("finance",)), "team", "finance") not in named
