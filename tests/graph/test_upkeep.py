"""What the background does for the stores: eviction when due, and erasures that were cut short."""

from pathlib import Path
from typing import Any

import pytest

from graph.forgetting import DeskForgetting
from graph.upkeep import Upkeep
from memory.audit import last_act
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call
from tests.graph.test_forgetting import WORDS, holding
from tests.tools.parts import SetClock

PEEK = Turn(["hands"], {"hands": [[call("peek_shelf", shelf="C")], "Three boxes."]})


async def test_it_evicts_once_in_an_interval(open_workshop: OpenDesk, clock: SetClock) -> None:
    async with open_workshop(Play({"look": PEEK}), retention={"artifact_days": 30}) as desk:
        await desk.ask(thread="t", user="local", text="look")
        upkeep = Upkeep(desk.services)
        first = await upkeep.run_if_due()
        again = await upkeep.run_if_due()
        clock.advance(40 * 86_400)
        later = await upkeep.run_if_due()
    assert first is not None
    assert later is not None
    assert (first.artifacts, again, later.artifacts) == (0, None, 1)


async def test_an_erasure_that_was_cut_short_is_done_by_the_next_upkeep(
    open_workshop: OpenDesk, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stopped(*_: object) -> list[Any]:
        raise KeyboardInterrupt

    async with open_workshop(Play({})) as desk:
        reply = await desk.ask(thread="t", user="local", text=f"remember {WORDS}")
        forget = DeskForgetting(desk.graph, desk.services)
        request = await forget.ids([reply.turn_id], user="local")
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr("graph.forgetting.erase_everywhere", stopped)
            await forget.run(request)
        assert await last_act(desk.services.database, "erase") == ""
        await Upkeep(desk.services).run_if_due()
    assert holding(data_dir, WORDS) == []


async def test_the_background_does_it_after_a_turn(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play({})) as desk:
        await desk.services.background.keep_up()
        assert await last_act(desk.services.database, "retention") != ""
