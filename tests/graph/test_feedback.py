"""A thumb on a turn changes what was recalled for it and what was made of it; notes teach."""

from pathlib import Path

import pytest

from graph.errors import UnknownTurn, UserError
from graph.session import Desk
from memory.episodes import EpisodeItem
from state import Scope
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call
from tests.graph.test_forgetting import forgetting, holding
from tests.memory.hashing import HashingEmbedder

ME = Scope(user="local", teams=("support", "finance"))
PRESS = "press the red button"
AGAIN = "press the red button again please"


@pytest.fixture(autouse=True)
def _fast_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.services.shared_embedder", lambda _: HashingEmbedder())


def play() -> Play:
    press = Turn(["hands"], {"hands": [[call("press_button", item="red")]]}, answer="Pressed.")
    return Play({PRESS: press, AGAIN: Turn(answer="I remember.")})


async def pressed(desk: Desk, thread: str = "t") -> None:
    reply = await desk.ask(thread=thread, user="local", text=PRESS)
    await desk.decide(thread, [{"id": reply.pending[0].id, "type": "approve"}], user="local")
    await desk.consolidate(thread, user="local")


async def items(desk: Desk, kind: str = "episode") -> list[EpisodeItem]:
    found = await desk.services.opened.episodes.scoped(ME).recent(50)
    return [one for one in found if one.kind == kind]


async def test_a_thumb_counts_once_and_the_last_one_counts(open_workshop: OpenDesk) -> None:
    async with open_workshop(play()) as desk:
        await pressed(desk)
        for good, successes in ((True, 1), (True, 1), (False, -1), (True, 1)):
            given = await desk.feedback("t", good=good, user="local")
            assert given.made == 1
            assert [one.successes for one in await items(desk)] == [successes]


async def test_what_was_recalled_for_a_good_turn_is_credited(open_workshop: OpenDesk) -> None:
    async with open_workshop(play(), recall={"enabled": True, "deadline_s": 20}) as desk:
        await pressed(desk)
        await desk.ask(thread="later", user="local", text=AGAIN)
        given = await desk.feedback("later", good=True, user="local")
        assert given.recalled >= 1
        kept = [*await items(desk), *await items(desk, "turn")]
        assert sum(one.successes for one in kept) == given.recalled


async def test_a_word_before_consolidation_is_taken_along(open_workshop: OpenDesk) -> None:
    async with open_workshop(play()) as desk:
        reply = await desk.ask(thread="t", user="local", text=PRESS)
        await desk.decide("t", [{"id": reply.pending[0].id, "type": "approve"}], user="local")
        assert (await desk.feedback("t", 0, good=True, user="local")).made == 0
        await desk.consolidate("t", user="local")
        assert [one.successes for one in await items(desk)] == [1]


async def test_a_note_is_a_lesson_until_it_is_taken_back(open_workshop: OpenDesk) -> None:
    async with open_workshop(play()) as desk:
        await pressed(desk)
        given = await desk.feedback("t", good=False, note="wrong button", user="local")
        (lesson,) = [one for one in await items(desk) if one.id == given.lesson]
        assert lesson.result == "negative"
        assert lesson.episode is not None
        assert lesson.episode.cause == "wrong button"
        await desk.feedback("t", good=True, user="local")
        assert given.lesson not in [one.id for one in await items(desk)]


async def test_only_the_owner_speaks_and_only_about_turns_there_are(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(play()) as desk:
        await pressed(desk)
        with pytest.raises(UnknownTurn, match="turns 0 to 0"):
            await desk.feedback("t", 7, good=True, user="local")
        with pytest.raises(UserError):
            await desk.feedback("t", good=True, user="ada")


async def test_forgetting_the_turn_forgets_the_word(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(play()) as desk:
        await pressed(desk)
        await desk.feedback("t", good=False, note="zq-canary-note", user="local")
        (record,) = await desk.show("t", "local")
        receipt = await forgetting(desk).run(
            await forgetting(desk).ids([record["id"]], user="local")
        )
        assert {one.store: one.rows for one in receipt.stores}["feedback"] == 1
        assert await items(desk) == []
    assert holding(data_dir, "zq-canary-note") == []
