"""The turns that are killed, and the person who comes back to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from configs.settings import Settings, load_settings
from evals.crash_points import completed_runs
from evals.tau.app import write_app
from evals.tau.replay import DONE, Script, Turn
from evals.tau.tasks import DOMAINS, Action, load_tasks
from graph.errors import UnknownThread
from graph.session import Desk, PendingAction, Reply, open_desk
from state import canonical_json

THREAD = "crash"
TAU_TASK = 104
LATER = timedelta(minutes=5)
ROUNDS = 50
REFUND = Turn(
    "Refund 75.50 EUR on INV-1002, they were billed one seat too many.",
    (
        Action("get_invoice", {"invoice_id": "INV-1002"}),
        Action(
            "issue_refund",
            {"invoice_id": "INV-1002", "amount": 75.5, "reason": "billed one seat too many"},
        ),
    ),
    "The refund is on its way.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One turn with effects.

    Attributes:
        effects: the tool functions that are effects, as `module:function`.
        app_dir: the app folder; None is the shipped one.
    """

    name: str
    expert: str
    user: str
    turn: Turn
    effects: tuple[str, ...]
    app_dir: Path | None

    def settings(self, data_dir: Path) -> Settings:
        """Settings over a data folder of its own, without memory."""
        return load_settings(self.app_dir, data_dir=data_dir, recall={"enabled": False})


def desk_refund() -> Scenario:
    """The sample company's refund: the tool can look up whether it happened."""
    return Scenario(
        name="desk refund",
        expert="billing",
        user="local",
        turn=REFUND,
        effects=("tools.desk.billing:issue_refund",),
        app_dir=None,
    )


def tau_retail(folder: Path, data: Path) -> Scenario:
    """A retail task with four writes that cannot be looked up, so a person is asked."""
    task = next(task for task in load_tasks(data, "retail") if task.index == TAU_TASK)
    writes = sorted({a.name for a in task.actions if a.name in DOMAINS["retail"].writes})
    return Scenario(
        name="tau retail",
        expert="retail",
        user="customer",
        turn=Turn(task.instruction, task.actions, DONE),
        effects=tuple(f"evals.tau.app:retail_{name}" for name in writes),
        app_dir=write_app(folder, "retail", data, settle=False),
    )


async def begin(scenario: Scenario, data_dir: Path) -> None:
    """Ask, approve what is asked for, until the turn ends or the process is killed."""
    script = _script(scenario)
    async with open_desk(scenario.settings(data_dir), models=script.models()) as desk:
        reply = await desk.ask(thread=THREAD, user=scenario.user, text=scenario.turn.text)
        await _answer_all(desk, scenario, reply, data_dir)


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """What the person found and did when they came back.

    Attributes:
        settled: ids of the unsettled effects that were put to the person.
        resent: whether the message had to be sent again, since it was never taken.
        kept: whether the turn ended exactly once, with its answer.
    """

    settled: tuple[str, ...]
    resent: bool
    kept: bool


async def come_back(scenario: Scenario, data_dir: Path) -> Return:
    """Resume in this process, minutes later; a message that was never taken is sent again."""
    script = _script(scenario)
    settings = scenario.settings(data_dir)
    resent = False
    async with open_desk(settings, models=script.models(), clock=_later) as desk:
        try:
            reply = await desk.resume(THREAD, user=scenario.user)
            taken = bool(reply.turn_id)
        except UnknownThread:
            taken = False
        if not taken:
            resent = True
            reply = await desk.ask(thread=THREAD, user=scenario.user, text=scenario.turn.text)
        reply, settled = await _answer_all(desk, scenario, reply, data_dir)
        closed = await desk.show(THREAD, user=scenario.user)
    said = [(turn["user"], turn["answer"]) for turn in closed]
    return Return(
        settled=tuple(settled),
        resent=resent,
        kept=reply.status == "done" and said == [(scenario.turn.text, scenario.turn.answer)],
    )


async def _answer_all(
    desk: Desk, scenario: Scenario, reply: Reply, data_dir: Path
) -> tuple[Reply, list[str]]:
    """Approve what waits, and say of unsettled effects what the tables show."""
    settled: list[str] = []
    for _ in range(ROUNDS):
        if reply.status != "waiting":
            break
        pending = await desk.pending(THREAD, user=scenario.user)
        settled += [action.id for action in pending if action.kind == "settle"]
        decisions = [_decision(action, data_dir) for action in pending]
        if decisions:
            reply = await desk.decide(THREAD, decisions, user=scenario.user)
        else:
            reply = await desk.resume(THREAD, user=scenario.user)
    return reply, settled


def _decision(action: PendingAction, data_dir: Path) -> Mapping[str, str]:
    if action.kind == "approval":
        return {"id": action.id, "type": "approve"}
    happened = any(
        run["tool"].endswith(action.tool)
        and canonical_json(run["arguments"]) == canonical_json(action.args)
        for run in completed_runs(data_dir / "ran.jsonl")
    )
    message = "happened" if happened else "not_happened"
    return {"id": action.id, "type": "respond", "message": message}


def _script(scenario: Scenario) -> Script:
    script = Script(scenario.expert)
    script.turn = scenario.turn
    return script


def _later() -> datetime:
    """A clock for the second process: the lease of the killed one has run out by then."""
    return datetime.now(UTC) + LATER
