"""The turns that are killed, and the person who comes back to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from configs.settings import Settings, load_settings
from evals.crash_points import Points, completed_runs
from evals.tau.app import write_app
from evals.tau.replay import DONE, Script, Turn
from evals.tau.tasks import DOMAINS, Action, load_tasks
from graph.session import Desk, PendingAction, Reply, open_desk
from state import canonical_json

THREAD = "crash"
TAU_TASK = 104
LATER = timedelta(minutes=5)
ROUNDS = 50
DRAIN_S = 10.0
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
    """One turn with effects, in a thread that has had another turn before.

    Attributes:
        before: the earlier turn, which is not disturbed.
        effects: the tool functions that are effects, as `module:function`.
        app_dir: the app folder; None is the shipped one.
    """

    name: str
    expert: str
    user: str
    before: Turn
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
        before=Turn("What was INV-1002 for?", REFUND.actions[:1], "A team plan of six seats."),
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
        before=Turn("Hello, I need some help with my orders.", (), "Gladly. What is it?"),
        turn=Turn(task.instruction, task.actions, DONE),
        effects=tuple(f"evals.tau.app:retail_{name}" for name in writes),
        app_dir=write_app(folder, "retail", data, settle=False),
    )


async def begin(scenario: Scenario, data_dir: Path, points: Points) -> None:
    """Ask, approve what is asked for, until the turn ends or the process is killed."""
    script = Script(scenario.expert)
    async with open_desk(scenario.settings(data_dir), models=script.models()) as desk:
        script.turn = scenario.before
        await desk.ask(thread=THREAD, user=scenario.user, text=scenario.before.text)
        await desk.services.background.drain(DRAIN_S)
        script.turn = scenario.turn
        points.open()
        reply = await desk.ask(thread=THREAD, user=scenario.user, text=scenario.turn.text)
        await _answer_all(desk, scenario, reply, data_dir)


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """What the person found and did when they came back.

    Attributes:
        settled: ids of the unsettled effects that were put to the person.
        resent: whether nothing was left of the message, so that it had to be sent again.
        kept: whether the turn ended exactly once, with its answer.
    """

    settled: tuple[str, ...]
    resent: bool
    kept: bool


async def come_back(scenario: Scenario, data_dir: Path) -> Return:
    """Resume in this process, minutes later; a message that was never taken is sent again."""
    script = Script(scenario.expert)
    script.turn = scenario.turn
    settings = scenario.settings(data_dir)
    async with open_desk(settings, models=script.models(), clock=_later) as desk:
        reply = await desk.resume(THREAD, user=scenario.user)
        reply, settled = await _answer_all(desk, scenario, reply, data_dir)
        resent = reply.status == "done" and len(await _said(desk, scenario)) == 1
        if resent:
            reply = await desk.ask(thread=THREAD, user=scenario.user, text=scenario.turn.text)
            reply, more = await _answer_all(desk, scenario, reply, data_dir)
            settled += more
        said = await _said(desk, scenario)
    wanted = [(turn.text, turn.answer) for turn in (scenario.before, scenario.turn)]
    return Return(
        settled=tuple(settled), resent=resent, kept=reply.status == "done" and said == wanted
    )


async def _said(desk: Desk, scenario: Scenario) -> list[tuple[str, str]]:
    """Question and answer of each closed turn."""
    closed = await desk.show(THREAD, user=scenario.user)
    return [(turn["user"], turn["answer"]) for turn in closed]


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


def _later() -> datetime:
    """A clock for the second process: the lease of the killed one has run out by then."""
    return datetime.now(UTC) + LATER
