"""The status of a thread moves by its table, and a door's status is the thread's own."""

from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Command

from models.errors import MissingKey, Refused
from state import Status, may_move
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call
from tests.graph.studio_door import CONFIG, Studio, studio
from tests.graph.workshop import happened
from tests.tools.parts import SetClock

FAULT = Refused(wanted="an answer", came="a refusal", next_step="Ask in other words.")
DOWN = MissingKey(wanted="a key", came="none", next_step="Set it.")
PRESS = Turn(["hands"], {"hands": [[call("press_button", item="red")]]})
APPROVE: Command[Any] = Command(resume={"decisions": [{"type": "approve"}]})
WRONG: Command[Any] = Command(resume={"decisions": [{"type": "no"}]})


def said(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


async def statuses(door: Studio, given: object) -> AsyncIterator[Status]:
    """Every status that a node writes during a run, and the expert's where the run pauses."""
    async for update in door.graph.astream(given, CONFIG, stream_mode="updates"):
        for written in update.values():
            if isinstance(written, dict) and "status" in written:
                yield written["status"]
    paused = await door.graph.aget_state(CONFIG, subgraphs=True)
    for task in paused.tasks:
        yield task.state.values["status"]


@pytest.mark.parametrize(
    ("turn", "runs", "walk"),
    [
        (Turn(), [said("press")], "PLANNING PLANNING DONE"),
        (Turn(["eyes"]), [said("press")], "PLANNING EXECUTING DONE"),
        (Turn(["eyes"], {"eyes": [FAULT]}), [said("press")], "PLANNING EXECUTING FAILED"),
        (Turn(DOWN), [said("press")], "PLANNING FAILED FAILED"),
        (
            PRESS,
            [said("press"), APPROVE],
            "PLANNING EXECUTING WAITING_FOR_HUMAN DONE",
        ),
        (
            PRESS,
            [said("press"), WRONG, APPROVE],
            "PLANNING EXECUTING WAITING_FOR_HUMAN WAITING_FOR_HUMAN DONE",
        ),
        (Turn(), [said(" "), said("press")], "FAILED PLANNING PLANNING DONE"),
    ],
)
async def test_a_turn_walks_through_the_table(
    turn: Turn, runs: list[object], walk: str, data_dir: Path, clock: SetClock
) -> None:
    async with studio(data_dir, turn, clock) as door:
        seen = [status for given in runs async for status in statuses(door, given)]
        ended = (await door.graph.aget_state(CONFIG)).values["status"]
    assert seen == walk.split()
    assert ended == seen[-1]
    moves = [(a, b) for a, b in pairwise(seen) if a != b]
    assert all(may_move(before, after) for before, after in moves)


async def test_a_waiting_thread_says_so_at_every_door(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play({"press": PRESS})) as desk:
        asked = await desk.ask(thread="t", user="local", text="press")
        again = await desk.resume("t", user="local")
        (listed,) = await desk.threads("local")
        refused = await desk.ask(thread="t", user="local", text="hi")
    assert {asked.status, again.status, listed.status, refused.status} == {"waiting"}


async def test_a_finished_thread_says_so_at_every_door(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play()) as desk:
        asked = await desk.ask(thread="t", user="local", text="hi")
        again = await desk.resume("t", user="local")
        (listed,) = await desk.threads("local")
    assert (asked, listed.status) == (again, "idle")


async def test_a_thread_that_was_decided_but_not_resumed_is_unfinished_until_it_is(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play({"press": PRESS})) as desk:
        await desk.ask(thread="t", user="local", text="press")
        (row,) = await desk.services.ledger.rows("default:t")
        await desk.services.ledger.decide(
            "default:t",
            [{"id": row.id, "type": "approve"}],
            reviewer=desk._admission.context("local", "default").scope,
            validate_edit=desk.services.executor.validate_edit,
        )
        (before,) = await desk.threads("local")
        done = await desk.resume("t", user="local")
        (after,) = await desk.threads("local")
    assert (before.status, done.status, after.status) == ("unfinished", "done", "idle")
    assert happened(data_dir) == ["press_button"]
