"""Forgetting is total: no file holds a byte of it, what stays is intact, the receipt says so."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from graph.errors import UserError
from graph.forgetting import DeskForgetting
from graph.services import Services
from graph.session import Desk
from graph.upkeep import erase_everywhere
from memory.episodes import EpisodeItem, item_id
from memory.errors import NotSettled
from memory.fact_rows import FactDraft
from memory.receipts import Erased
from memory.tables import effects
from state import Scope
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call
from tests.graph.workshop import CANARY

WORDS = "zebracanary"
ME = Scope(user="local")
AT = datetime(2030, 1, 1, tzinfo=UTC)


def play(**turns: Turn) -> Play:
    return Play({"hello": Turn(), **turns})


def holding(folder: Path, word: str) -> list[str]:
    """Files with a word in them, as UTF-8 or UTF-16, in any case."""
    found = []
    for file in folder.rglob("*"):
        data = file.read_bytes().lower() if file.is_file() else b""
        if word.encode() in data or word.encode("utf-16-le") in data:
            found.append(file.name)
    return sorted(found)


async def asked(desk: Desk, *texts: str, thread: str = "t", user: str = "local") -> list[str]:
    return [(await desk.ask(thread=thread, user=user, text=text)).turn_id for text in texts]


async def settled(desk: Desk) -> None:
    """Everything that turns leave in memory is there, vectors too."""
    await desk.services.background.drain(10.0)
    indexer = desk.services.opened.indexer
    assert indexer is not None
    await indexer.sweep()


def forgetting(desk: Desk) -> DeskForgetting:
    return DeskForgetting(desk.graph, desk.services)


PEEK = Turn(["hands"], {"hands": [[call("peek_shelf", shelf="C")], f"I saw {WORDS} boxes"]})


async def test_a_forgotten_turn_leaves_no_byte_behind(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    text = f"call me {WORDS} and look"
    async with open_workshop(play(**{text: PEEK})) as desk:
        turns = await asked(desk, "hello", text, "hello again")
        await settled(desk)
        assert holding(data_dir, WORDS) != []
        request = await forgetting(desk).ids([turns[1]], user="local")
        receipt = await forgetting(desk).run(request)
    assert holding(data_dir, WORDS) == []
    assert holding(data_dir, CANARY) == []
    assert receipt.complete
    rows = {store.store: store.rows for store in receipt.stores}
    assert (rows["transcript"], rows["artifacts"], rows["episodes"]) == (1, 1, 1)
    assert rows["vectors"] == 1


async def test_what_stays_of_a_thread_goes_on(open_workshop: OpenDesk) -> None:
    text = f"say {WORDS}"
    made = play(**{text: Turn(answer=f"{WORDS} was said")})
    async with open_workshop(made) as desk:
        turns = await asked(desk, "hello", text, "good bye")
        await forgetting(desk).run(await forgetting(desk).ids([turns[1]], user="local"))
        shown = [record["user"] for record in await desk.show("t", "local")]
        await asked(desk, "and now?")
    assert shown == ["hello", "good bye"]
    last = made.prompts[-1].text
    assert "hello" in last
    assert "good bye" in last
    assert WORDS not in last


@pytest.mark.parametrize("level", ["thread", "user"])
async def test_a_whole_thread_or_user_leaves_no_byte_behind(
    open_workshop: OpenDesk, data_dir: Path, level: str
) -> None:
    texts = [f"{word} {WORDS}" for word in ("I live in", "look at", "refund")]
    async with open_workshop(play(**dict.fromkeys(texts, PEEK))) as desk:
        await asked(desk, *texts, thread="private")
        await asked(desk, "hello", thread="private", user="local")
        await asked(desk, "hello", thread="other", user="ben")
        await settled(desk)
        forget = forgetting(desk)
        request = (
            await forget.thread("private", user="local")
            if level == "thread"
            else forget.user("local")
        )
        receipt = await forget.run(request)
        left = [thread.thread for thread in await desk.threads("local")]
        bens = await desk.show("other", "ben")
    assert holding(data_dir, WORDS) == []
    assert receipt.complete
    assert left == []
    assert len(bens) == 1


async def test_an_erasure_that_takes_longer_than_a_heartbeat_is_finished(
    open_workshop: OpenDesk, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lease's row is erased with its thread, long before the files are."""
    monkeypatch.setattr("tools.lease.BEATS_PER_LEASE", 300)
    text = f"look at {WORDS}"

    async def slowly(services: Services) -> list[Erased]:
        await asyncio.sleep(0.5)
        return await erase_everywhere(services)

    monkeypatch.setattr("graph.forgetting.erase_everywhere", slowly)
    async with open_workshop(play(**{text: PEEK})) as desk:
        await asked(desk, text)
        await settled(desk)
        forget = forgetting(desk)
        receipt = await forget.run(await forget.thread("t", user="local"))
    assert receipt.complete
    assert holding(data_dir, WORDS) == []


async def test_an_item_is_forgotten_with_the_turn_it_comes_from(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    text = f"look for {WORDS}"
    async with open_workshop(play(**{text: PEEK})) as desk:
        await asked(desk, text)
        await settled(desk)
        (item,) = await desk.services.opened.episodes.scoped(ME).recent(1)
        receipt = await forgetting(desk).run(await forgetting(desk).ids([item.id], user="local"))
    assert receipt.target.level == "turn"
    assert holding(data_dir, WORDS) == []


async def test_only_the_memory_of_a_turn_can_be_forgotten(open_workshop: OpenDesk) -> None:
    text = f"look for {WORDS}"
    async with open_workshop(play(**{text: PEEK})) as desk:
        await asked(desk, text)
        await settled(desk)
        (item,) = await desk.services.opened.episodes.scoped(ME).recent(1)
        forget = forgetting(desk)
        await forget.run(await forget.ids([item.id], user="local", memory_only=True))
        assert await desk.services.opened.episodes.scoped(ME).is_empty()
        assert [record["user"] for record in await desk.show("t", "local")] == [text]


async def test_a_rehearsal_counts_and_changes_nothing(open_workshop: OpenDesk) -> None:
    text = f"look for {WORDS}"
    async with open_workshop(play(**{text: PEEK})) as desk:
        turns = await asked(desk, text)
        await settled(desk)
        receipt = await forgetting(desk).rehearse(await forgetting(desk).ids(turns, user="local"))
        assert receipt.rehearsed
        assert receipt.rows >= 3
        assert [record["user"] for record in await desk.show("t", "local")] == [text]
        assert not await desk.services.opened.episodes.scoped(ME).is_empty()


async def test_forgetting_a_correction_restores_the_fact_before_it(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(play()) as desk:
        turns = await asked(desk, "hello", "hello again")
        facts = desk.services.facts
        for day, (turn, value) in enumerate(zip(turns, ["Lyon", "Oslo"], strict=True), start=1):
            draft = FactDraft(
                slot="location",
                value=value,
                source="user",
                thread="default:t",
                turn_id=turn,
                quote=f"I live in {value}",
                occurred_at=AT.replace(day=day),
            )
            await facts.add(ME, [draft])
        await forgetting(desk).run(await forgetting(desk).ids(turns[1:], user="local"))
        (left,) = await facts.current(ME)
        receipt = await forgetting(desk).rehearse(
            await forgetting(desk).ids([left.id], user="local")
        )
    assert left.value == "Lyon"
    assert receipt.target.ids == (turns[0],)


async def test_somebody_else_can_forget_nothing_of_mine(open_workshop: OpenDesk) -> None:
    text = f"look for {WORDS}"
    async with open_workshop(play(**{text: PEEK})) as desk:
        turns = await asked(desk, text)
        await settled(desk)
        (item,) = await desk.services.opened.episodes.scoped(ME).recent(1)
        forget = forgetting(desk)
        for user, tenant in (("ada", "default"), ("local", "other")):
            ids = [*turns, item.id]
            receipt = await forget.run(await forget.ids(ids, user=user, tenant=tenant))
            assert receipt.rows == 0
        with pytest.raises(UserError):
            await forget.thread("t", user="ada")
        await forget.run(forget.user("ada"))
        assert [record["user"] for record in await desk.show("t", "local")] == [text]


async def test_a_late_job_brings_nothing_back(open_workshop: OpenDesk, data_dir: Path) -> None:
    text = f"look for {WORDS}"
    async with open_workshop(play(**{text: PEEK})) as desk:
        turns = await asked(desk, text)
        record = (await desk.show("t", "local"))[0]
        await forgetting(desk).run(await forgetting(desk).ids(turns, user="local"))
        done = await desk.services.memory.remember_turn(ME, "default:t", record)
        assert done.new_items == 0
    assert holding(data_dir, WORDS) == []


async def test_an_undecided_action_is_decided_first(open_workshop: OpenDesk) -> None:
    press = Turn(["hands"], {"hands": [[call("press_button", item="red")]]})
    async with open_workshop(play(press=press)) as desk:
        paused = await desk.ask(thread="t", user="local", text="press")
        forget = forgetting(desk)
        with pytest.raises(NotSettled, match="press_button"):
            await forget.run(await forget.thread("t", user="local"))
        await desk.decide("t", [{"id": paused.pending[0].id, "type": "approve"}], user="local")
        receipt = await forget.run(await forget.thread("t", user="local"))
        assert {store.store: store.rows for store in receipt.stores}["effects"] == 1
        query = select(effects.c.status, effects.c.args, effects.c.artifact, effects.c.thread)
        row = await desk.services.database.read(lambda conn: conn.execute(query).one())
    assert tuple(row) == ("done", "{}", None, "")


@pytest.mark.parametrize("level", ["thread", "user"])
async def test_not_even_the_name_of_a_forgotten_thread_is_left(
    open_workshop: OpenDesk, data_dir: Path, level: str
) -> None:
    press = Turn(["hands"], {"hands": [[call("press_button", item="red")], "done"]})
    async with open_workshop(play(look=PEEK, press=press)) as desk:
        await asked(desk, "look", "I live in Lyon", thread=WORDS)
        paused = await desk.ask(thread=WORDS, user="local", text="press")
        await desk.decide(WORDS, [{"id": paused.pending[0].id, "type": "approve"}], user="local")
        await settled(desk)
        assert holding(data_dir, WORDS) != []
        forget = forgetting(desk)
        whole = await forget.thread(WORDS, user="local")
        receipt = await forget.run(whole if level == "thread" else forget.user("local"))
    assert holding(data_dir, WORDS) == []
    rows = {store.store: store.rows for store in receipt.stores}
    assert rows["call logs"] > 0


async def test_calls_of_a_forgotten_turn_keep_their_cost_and_nothing_of_their_prompts(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(play(look=PEEK)) as desk:
        turns = await asked(desk, "hello", "look")
        await settled(desk)
        before = await desk.services.calls.calls("default:t")
        await forgetting(desk).run(await forgetting(desk).ids(turns[1:], user="local"))
        after = await desk.services.calls.calls("default:t")
        kept = await desk.services.tool_log.calls(ME)
    assert [one.blocks != () for one in after] == [one.turn == 0 for one in before]
    assert [one.input_tokens for one in after] == [one.input_tokens for one in before]
    assert kept == []


async def test_one_teams_copy_of_a_document_survives_the_others_forgetting(
    open_workshop: OpenDesk,
) -> None:
    ada, ben = Scope(user="ada", teams=("a",)), Scope(user="ben", teams=("b",))
    async with open_workshop(play()) as desk:
        store = desk.services.opened.episodes
        for scope in (ada, ben):
            await store.scoped(scope).add([document(scope)])
        (copy,) = await store.scoped(ada).recent(5)
        await forgetting(desk).run(await forgetting(desk).ids([copy.id], user="ada"))
        assert await store.scoped(ada).recent(5) == []
        assert [item.text for item in await store.scoped(ben).recent(5)] == ["The refund policy."]


def document(scope: Scope) -> EpisodeItem:
    team = scope.teams[0]
    key = item_id(scope, "policy.md", "1", "document", visibility="team", team=team)
    return EpisodeItem(
        id=key,
        kind="document",
        text="The refund policy.",
        thread="policy.md",
        turn_id="",
        occurred_at=AT,
        visibility="team",
        team=team,
        source="document",
    )
