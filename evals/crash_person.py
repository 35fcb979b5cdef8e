"""Who sends the message, answers what is asked, and comes back after the process was killed."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from configs.settings import load_settings
from evals.crash_points import Points, completed_runs
from evals.crash_scenarios import Answer, Scenario
from evals.tau.replay import Script
from graph.session import Desk, PendingAction, Reply, open_desk
from state import canonical_json

ASKED = "asked.txt"
RAN = "ran.jsonl"
THREAD = "crash"
LATER = timedelta(minutes=5)
ROUNDS = 50
DRAIN_S = 10.0
EDITED = {"amount": 50.25}
WORDS = {"reject": "Ask the customer first.", "respond": "Refund it next month."}


@dataclass(slots=True)
class Clock:
    """The time, which a person who waits moves on."""

    ahead: timedelta = field(default=timedelta())

    def __call__(self) -> datetime:
        """What the desk takes for now."""
        return datetime.now(UTC) + self.ahead


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """What the person found and did when they came back.

    Attributes:
        resent: whether nothing was left of the message, so that it had to be sent again.
        kept: whether the turn ended exactly once, with its answer; one that was taken back was
            gone and ended so when it was sent again.
    """

    resent: bool
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The user of one scenario, at a desk of this process."""

    desk: Desk
    scenario: Scenario
    data_dir: Path
    clock: Clock

    async def send(self, text: str) -> Reply:
        """Send a message."""
        return await self.desk.ask(thread=THREAD, user=self.scenario.user, text=text)

    async def resume(self) -> Reply:
        """Look at the thread, which goes on if it can."""
        return await self.desk.resume(THREAD, user=self.scenario.user)

    async def take_back(self) -> None:
        """Take the last turn back."""
        await self.desk.rollback(THREAD, 1, user=self.scenario.user)

    async def said(self) -> list[tuple[str, str]]:
        """Question and answer of each closed turn."""
        closed = await self.desk.show(THREAD, user=self.scenario.user)
        return [(turn["user"], turn["answer"]) for turn in closed]

    async def answer_all(self, reply: Reply) -> Reply:
        """Answer what waits, and say of unsettled effects what the tools have left."""
        for _ in range(ROUNDS):
            if reply.status != "waiting":
                break
            pending = await self.desk.pending(THREAD, user=self.scenario.user)
            decisions = [one for action in pending if (one := self._decision(action))]
            if decisions:
                reply = await self.desk.decide(THREAD, decisions, user=self.scenario.user)
            else:
                if pending:
                    self.clock.ahead += how_late(self.scenario)
                reply = await self.resume()
        return reply

    def _decision(self, action: PendingAction) -> dict[str, Any] | None:
        """What the person decides; None for nothing."""
        if action.kind == "settle":
            return {"id": action.id, "type": "respond", "message": self._found(action)}
        answer = self.scenario.answer
        if answer == "wait":
            return None
        given: Answer = "approve" if answer == "take_back" else answer
        decision: dict[str, Any] = {"id": action.id, "type": given, "message": WORDS.get(given, "")}
        if given == "edit":
            decision["edited_action"] = {"name": action.tool, "args": {**action.args, **EDITED}}
        return decision

    def _found(self, action: PendingAction) -> Literal["happened", "not_happened"]:
        """What the tools have left; that the person was asked is written down."""
        with (self.data_dir / ASKED).open("a", encoding="utf-8") as asked:
            asked.write(f"{action.id}\n")
        happened = any(
            run["tool"].endswith(action.tool)
            and canonical_json(run["arguments"]) == canonical_json(action.args)
            for run in completed_runs(self.data_dir / RAN)
        )
        return "happened" if happened else "not_happened"


async def begin(scenario: Scenario, data_dir: Path, points: Points) -> None:
    """Ask, decide what is asked for, until the turn ends or the process is killed.

    Of a turn that is taken back, only the steps of that are points.
    """
    script, clock = Script(scenario.expert), Clock()
    settings = scenario.settings(data_dir)
    takes_back = scenario.answer == "take_back"
    async with open_desk(settings, models=script.models(), clock=clock) as desk:
        person = Person(desk=desk, scenario=scenario, data_dir=data_dir, clock=clock)
        script.turn = scenario.before
        await person.send(scenario.before.text)
        await desk.services.background.drain(DRAIN_S)
        script.turn = scenario.turn
        if not takes_back:
            points.open()
        reply = await person.send(scenario.turn.text)
        if takes_back:
            points.open()
            await person.take_back()
        else:
            await person.answer_all(reply)


async def come_back(scenario: Scenario, data_dir: Path, points: Points) -> Return:
    """Resume in this process, minutes later; a message that was never taken is sent again.

    By then the lease of the killed process has run out.
    """
    script, clock = Script(scenario.expert), Clock(how_late(scenario))
    script.turn = scenario.turn
    settings = scenario.later_settings(data_dir)
    takes_back = scenario.answer == "take_back"
    async with open_desk(settings, models=script.models(), clock=clock) as desk:
        person = Person(desk=desk, scenario=scenario, data_dir=data_dir, clock=clock)
        points.open()
        reply = await person.resume()
        if takes_back and (reply.status == "waiting" or len(await person.said()) > 1):
            await person.take_back()
            reply = await person.resume()
        reply = await person.answer_all(reply)
        missing = reply.status == "done" and len(await person.said()) == 1
        if missing:
            reply = await person.answer_all(await person.send(scenario.turn.text))
        said = await person.said()
    wanted = [(turn.text, turn.answer) for turn in (scenario.before, scenario.turn)]
    kept = reply.status == "done" and said == wanted
    return Return(resent=missing and not takes_back, kept=kept and (missing or not takes_back))


def how_late(scenario: Scenario) -> timedelta:
    """How much later a person is back."""
    too_late = scenario.late or scenario.answer == "wait"
    ttl_hours = load_settings(scenario.app_dir).approvals.ttl_hours
    return LATER + timedelta(hours=ttl_hours if too_late else 0)
