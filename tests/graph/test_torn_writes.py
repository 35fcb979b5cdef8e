"""A step's writes and its checkpoint are two commits; whatever lies between them is gone on from.

The store fails at one write after the other, as when the process ends there.
"""

import shutil
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from graph.quick_saver import QuickSqliteSaver
from graph.session import Desk, open_desk
from tests.graph.plays import Play, Turn, call
from tests.graph.workshop import happened, workshop

PLAY = {
    "press": Turn(
        ["eyes", "hands"], {"hands": [[call("press_button", item="red")]]}, answer="It is pressed."
    )
}


class TornError(Exception):
    """The store is gone."""


async def begin(data_dir: Path) -> None:
    async with open_desk(workshop(data_dir), models=Play(PLAY).models) as desk:
        await desk.ask(thread="t", user="local", text="press")
        await approve(desk)


async def approve(desk: Desk) -> None:
    waiting = await desk.pending("t", user="local")
    await desk.decide("t", [{"id": a.id, "type": "approve"} for a in waiting], user="local")


async def come_back(data_dir: Path) -> tuple[str, list[str]]:
    """The answer, and whose words are in the transcript."""
    async with open_desk(workshop(data_dir), models=Play(PLAY).models) as desk:
        if not await desk.show("t", "local") and not await _is_taken(desk):
            await desk.ask(thread="t", user="local", text="press")
        reply = await desk.resume("t", user="local")
        if reply.pending:
            await approve(desk)
        reply = await desk.resume("t", user="local")
        assert reply.status == "done"
        return reply.text, [turn["user"] for turn in await desk.show("t", "local")]


async def _is_taken(desk: Desk) -> bool:
    state = await desk.graph.aget_state({"configurable": {"thread_id": "default:t"}})
    return bool(state.values)


def failing_at(n: int, aput: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """The saver's `aput`, which ends the process instead at its n-th checkpoint."""
    calls = count(1)

    async def torn(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passes all through
        if next(calls) == n:
            raise TornError
        return await aput(*args, **kwargs)

    return torn


async def test_a_turn_torn_at_any_write_ends_with_its_answer_and_one_effect(
    tmp_path: Path, founded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = QuickSqliteSaver.aput
    for n in count(1):
        data_dir = tmp_path / str(n)
        data_dir.mkdir()
        shutil.copy(founded, data_dir)
        with monkeypatch.context() as broken:
            broken.setattr(QuickSqliteSaver, "aput", failing_at(n, original))
            try:
                await begin(data_dir)
            except TornError:
                pass
            else:
                break
        assert await come_back(data_dir) == ("It is pressed.", ["press"]), n
        assert happened(data_dir) == ["press_button"], n
    assert n > 5
