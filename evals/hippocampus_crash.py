"""The conversation whose consolidation is killed, and what is in memory after another process.

Five turns lie behind; the sixth is asked, and then the background works until nothing is left. The
second process takes the turn up where it was, and lets its background finish.
"""

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from configs.settings import Settings, load_settings
from evals.crash_points import Points
from evals.errors import EvaluationFailed
from evals.tau.replay import Script, Turn
from evals.tau.tasks import Action
from graph.session import Desk, Reply, open_desk
from state import canonical_json

THREAD, USER = "crash", "local"
LATER: Final = timedelta(minutes=30)
WAIT_S: Final = 300.0
ROUNDS: Final = 20
REFUND = Action(
    "issue_refund", {"invoice_id": "INV-1002", "amount": 75.5, "reason": "one seat too many"}
)
CANCEL = Action("cancel_order", {"order_id": "ORD-2077", "reason": "ordered twice"})
GOODWILL = Action(
    "issue_refund", {"invoice_id": "INV-1003", "amount": 10.5, "reason": "goodwill gesture"}
)


def _look_up(invoice: str) -> tuple[Action]:
    return (Action("get_invoice", {"invoice_id": invoice}),)


# The last one has no effect: what becomes of an effect that is cut off is another evaluation's.
TURNS = (
    Turn("What was INV-1002 for?", _look_up("INV-1002"), "A team plan.", "billing"),
    Turn("Refund 75.50 EUR on INV-1002, one seat too many.", (REFUND,), "On its way.", "billing"),
    Turn("Thanks a lot, that was quick.", (), "You are welcome.", "knowledge"),
    Turn("Please cancel ORD-2077, it was ordered twice.", (CANCEL,), "It was not.", "orders"),
    Turn(
        "Then refund 10.50 EUR on INV-1003 as a goodwill gesture.", (GOODWILL,), "Done.", "billing"
    ),
    Turn("And what was INV-1004 for?", _look_up("INV-1004"), "A business plan.", "billing"),
)
REFUSED = "cancel_order"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What memory holds after all.

    Attributes:
        episodes: what each episode says was done, with its result, and how often it is there.
        lost: ids of messages that are in no ended segment.
        turns: how many turns the thread has.
    """

    episodes: Mapping[str, int]
    lost: list[str] = field(default_factory=list)
    turns: int = 0


def settings_of(data_dir: Path) -> Settings:
    """The sample company with a short pause, without recall: what is measured is the writing."""
    return load_settings(
        data_dir=data_dir, recall={"enabled": False}, hippocampus={"pause_s": 0.1, "drain_s": 0}
    )


async def begin(data_dir: Path, points: Points) -> None:
    """Talk, then let the background work until all is done or the process is killed."""
    script = Script("billing")
    async with open_desk(settings_of(data_dir), models=script.models()) as desk:
        for turn in TURNS[:-1]:
            await _play(desk, script, turn)
    async with open_desk(settings_of(data_dir), models=script.models()) as desk:
        points.open()
        await _play(desk, script, TURNS[-1])
        await _finish(desk)


async def come_back(data_dir: Path) -> None:
    """Take the last turn up, or send it again if nothing is left of it; finish what is to do."""
    script = Script("billing")
    script.turn = TURNS[-1]
    async with open_desk(settings_of(data_dir), models=script.models(), clock=_later) as desk:
        reply = await desk.resume(THREAD, user=USER)
        await _approve(desk, reply)
        if len(await desk.show(THREAD, USER)) < len(TURNS):
            await _play(desk, script, TURNS[-1])
        await _finish(desk)


async def _play(desk: Desk, script: Script, turn: Turn) -> None:
    script.turn = turn
    await _approve(desk, await desk.ask(thread=THREAD, user=USER, text=turn.text))


async def _approve(desk: Desk, reply: Reply) -> None:
    for _ in range(ROUNDS):
        if reply.status != "waiting":
            return
        decisions = [_decision(action.id, action.tool, action.kind) for action in reply.pending]
        reply = await desk.decide(THREAD, decisions, user=USER)


def _decision(action_id: str, tool: str, kind: str) -> dict[str, Any]:
    if kind == "settle":
        return {"id": action_id, "type": "respond", "message": "happened"}
    if tool == REFUSED:
        return {"id": action_id, "type": "reject", "message": "ask the customer first"}
    return {"id": action_id, "type": "approve"}


async def _finish(desk: Desk) -> None:
    """Run the background through its engine until no job waits.

    Raises:
        EvaluationFailed: it does not come to its end.
    """
    background = desk.services.background
    await background.launch()
    background.wake()
    async with asyncio.timeout(WAIT_S):
        while jobs := await desk.services.outbox.pending():
            if any(job.attempts for job in jobs):
                raise EvaluationFailed(f"wanted jobs that end, came {jobs}")
            await asyncio.sleep(0.05)


def _later() -> datetime:
    """A clock for the second process: what was to wait is due by then."""
    return datetime.now(UTC) + LATER


def look(data_dir: Path) -> Found:
    """Read the tables."""
    with closing(sqlite3.connect(data_dir / "hippograph.db")) as books:
        payloads = books.execute(
            "SELECT payload, result FROM episodes WHERE kind = 'episode' AND forgotten_at IS NULL"
        ).fetchall()
        placed = Counter(
            row[0]
            for row in books.execute(
                "SELECT m.message_id FROM segmented_messages m JOIN segments s"
                " ON s.id = m.segment_id WHERE s.state IN ('episode', 'discarded') AND s.final"
            )
        )
        said = [row[0] for row in books.execute("SELECT id FROM messages")]
        turns = books.execute("SELECT count(*) FROM turns").fetchone()[0]
    episodes = Counter(_told(json.loads(payload), result) for payload, result in payloads)
    return Found(
        episodes=dict(episodes), lost=[one for one in said if placed[one] != 1], turns=turns
    )


def _told(payload: Mapping[str, Any], result: str) -> str:
    """An episode by what it says, not by its id, which another run derives otherwise."""
    actions = [
        [action.get("tool"), action.get("arguments"), action.get("outcome")]
        for action in payload.get("actions", [])
    ]
    return canonical_json([actions, result, payload.get("situation", "")])
