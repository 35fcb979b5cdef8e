"""The turns that are killed, and the person who comes back to them."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias

from configs.settings import Settings, load_settings
from evals.crash_points import Points, completed_runs
from evals.tau.app import write_app
from evals.tau.replay import DONE, Script, Turn
from evals.tau.tasks import DOMAINS, Action, load_tasks
from graph.session import Desk, PendingAction, Reply, open_desk
from state import canonical_json

Answer: TypeAlias = Literal["approve", "edit", "reject", "respond", "wait"]

THREAD = "crash"
TAU_TASK = 104
LATER = timedelta(minutes=5)
ROUNDS = 50
DRAIN_S = 10.0
EDITED = {"amount": 50.25}
WORDS = {"reject": "Ask the customer first.", "respond": "Refund it next month."}
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
        answer: what the person does who is asked; who waits lets the approval's time pass.
    """

    name: str
    expert: str
    user: str
    before: Turn
    turn: Turn
    effects: tuple[str, ...]
    app_dir: Path | None
    answer: Answer = "approve"

    def settings(self, data_dir: Path) -> Settings:
        """Settings over a data folder of its own, without memory."""
        return load_settings(self.app_dir, data_dir=data_dir, recall={"enabled": False})


@dataclass(slots=True)
class Clock:
    """The time, which a person who waits moves on."""

    ahead: timedelta = field(default=timedelta())

    def __call__(self) -> datetime:
        """What the desk takes for now."""
        return datetime.now(UTC) + self.ahead


def desk_refund(answer: Answer = "approve") -> Scenario:
    """The sample company's refund: the tool can look up whether it happened."""
    return Scenario(
        name=f"desk refund, {answer}",
        expert="billing",
        user="local",
        before=Turn("What was INV-1002 for?", REFUND.actions[:1], "A team plan of six seats."),
        turn=REFUND,
        effects=("tools.desk.billing:issue_refund",),
        app_dir=None,
        answer=answer,
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
    """Ask, decide what is asked for, until the turn ends or the process is killed."""
    script, clock = Script(scenario.expert), Clock()
    settings = scenario.settings(data_dir)
    async with open_desk(settings, models=script.models(), clock=clock) as desk:
        script.turn = scenario.before
        await desk.ask(thread=THREAD, user=scenario.user, text=scenario.before.text)
        await desk.services.background.drain(DRAIN_S)
        script.turn = scenario.turn
        points.open()
        reply = await desk.ask(thread=THREAD, user=scenario.user, text=scenario.turn.text)
        await _answer_all(desk, scenario, reply, data_dir, clock)


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
    """Resume in this process, minutes later; a message that was never taken is sent again.

    By then the lease of the killed process has run out.
    """
    script, clock = Script(scenario.expert), Clock(_ahead(scenario))
    script.turn = scenario.turn
    settings = scenario.settings(data_dir)
    async with open_desk(settings, models=script.models(), clock=clock) as desk:
        reply = await desk.resume(THREAD, user=scenario.user)
        reply, settled = await _answer_all(desk, scenario, reply, data_dir, clock)
        resent = reply.status == "done" and len(await _said(desk, scenario)) == 1
        if resent:
            reply = await desk.ask(thread=THREAD, user=scenario.user, text=scenario.turn.text)
            reply, more = await _answer_all(desk, scenario, reply, data_dir, clock)
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
    desk: Desk, scenario: Scenario, reply: Reply, data_dir: Path, clock: Clock
) -> tuple[Reply, list[str]]:
    """Answer what waits, and say of unsettled effects what the tables show."""
    settled: list[str] = []
    for _ in range(ROUNDS):
        if reply.status != "waiting":
            break
        pending = await desk.pending(THREAD, user=scenario.user)
        settled += [action.id for action in pending if action.kind == "settle"]
        decisions = [one for a in pending if (one := _decision(a, scenario.answer, data_dir))]
        if decisions:
            reply = await desk.decide(THREAD, decisions, user=scenario.user)
        else:
            if pending:
                clock.ahead += _ahead(scenario)
            reply = await desk.resume(THREAD, user=scenario.user)
    return reply, settled


def _decision(action: PendingAction, answer: Answer, data_dir: Path) -> dict[str, Any] | None:
    """What the person decides; None for nothing."""
    if action.kind == "settle":
        return {"id": action.id, "type": "respond", "message": _found(action, data_dir)}
    if answer == "wait":
        return None
    decision: dict[str, Any] = {"id": action.id, "type": answer, "message": WORDS.get(answer, "")}
    if answer == "edit":
        decision["edited_action"] = {"name": action.tool, "args": {**action.args, **EDITED}}
    return decision


def _found(action: PendingAction, data_dir: Path) -> Literal["happened", "not_happened"]:
    happened = any(
        run["tool"].endswith(action.tool)
        and canonical_json(run["arguments"]) == canonical_json(action.args)
        for run in completed_runs(data_dir / "ran.jsonl")
    )
    return "happened" if happened else "not_happened"


def _ahead(scenario: Scenario) -> timedelta:
    """How much later a person is back."""
    ttl_hours = load_settings(scenario.app_dir).approvals.ttl_hours
    return LATER + timedelta(hours=ttl_hours if scenario.answer == "wait" else 0)
