"""A scripted expert that makes recorded calls, and a person who approves whatever it asks for."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from langchain_core.messages import AIMessage, BaseMessage

from configs.sections import ROLES
from evals.errors import EvaluationFailed
from evals.scripted import ScriptedModel, call, calls_so_far
from evals.tau.app import JOURNAL
from evals.tau.journal import Journal
from evals.tau.records import Records, load_tables
from evals.tau.tasks import Action, Exchange
from graph.session import Desk, Reply
from state import CallRecord, canonical_json, thread_key

USER = "customer"
TENANT = "default"
DONE = "Done as asked."
GO_ON = "Please go on."
SAME_CALLS = 2
APPROVALS = 100


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn plays: the user's text, the calls, the answer, and who is asked if not all."""

    text: str
    actions: tuple[Action, ...]
    answer: str = DONE
    expert: str = ""


class Script:
    """Answers for every role of the desk; `turn` is the one being played."""

    def __init__(self, expert: str) -> None:
        """Consult `expert` in every turn that names nobody else."""
        self._expert = expert
        self.turn = Turn("", ())

    def __call__(self, role: str, messages: Sequence[BaseMessage]) -> AIMessage:
        """The next reply of a role; the expert makes the first call it has no result of yet.

        A call that a reviewer edited is known by its id, one whose id was taken by its arguments.
        """
        if role == "router":
            expert = self.turn.expert or self._expert
            plan = {"experts": [{"name": expert, "question": ""}], "confidence": 1.0}
            return call("submit_plan", plan, "plan")
        if role != "expert":
            return AIMessage(self.turn.answer)
        steps = calls_so_far(messages)
        made = Counter(_key(step["name"], step["args"]) for step in steps)
        ids = {step["id"] for step in steps}
        for number, action in enumerate(self.turn.actions):
            key, call_id = _key(action.name, action.arguments), f"call_{number}"
            if made[key]:
                made[key] -= 1
            elif call_id not in ids:
                return call(action.name, dict(action.arguments), call_id)
        return AIMessage(DONE)

    def models(self) -> dict[str, ScriptedModel]:
        """A model for each role."""
        return {role: ScriptedModel(role=role, policy=self) for role in ROLES}


def turns_of(exchanges: Iterable[Exchange]) -> Iterator[tuple[Turn, bool]]:
    """The turns of a recorded run, and whether each one's answer is the recorded reply.

    The desk stops an expert that makes the same call a third time in one turn, so a recorded
    exchange that does is played as several turns.
    """
    for exchange in exchanges:
        parts = list(_parts(exchange.actions))
        for number, actions in enumerate(parts):
            last = number == len(parts) - 1
            text = GO_ON if number else exchange.text
            said = last and exchange.reply is not None
            yield Turn(text, actions, (exchange.reply or DONE) if last else DONE), said


def _parts(actions: Sequence[Action]) -> Iterator[tuple[Action, ...]]:
    part: list[Action] = []
    seen: Counter[str] = Counter()
    for action in actions:
        key = _key(action.name, action.arguments)
        if seen[key] == SAME_CALLS:
            yield tuple(part)
            part, seen = [], Counter()
        part.append(action)
        seen[key] += 1
    yield tuple(part)


def _key(name: str, arguments: Mapping[str, object]) -> str:
    return canonical_json([name, dict(arguments)])


async def play(desk: Desk, script: Script, thread: str, turn: Turn) -> Reply:
    """Play one turn to its end, approving every pending action.

    Raises:
        EvaluationFailed: the turn does not end.
    """
    script.turn = turn
    reply = await desk.ask(thread=thread, user=USER, text=turn.text)
    return await approve_all(desk, thread, reply)


async def approve_all(desk: Desk, thread: str, reply: Reply) -> Reply:
    """Answer approvals until the turn ends.

    Raises:
        EvaluationFailed: it does not end, or ends as failed.
    """
    for _ in range(APPROVALS):
        if reply.status != "waiting":
            break
        pending = await desk.pending(thread, user=USER)
        decisions = [{"id": action.id, "type": "approve"} for action in pending]
        reply = await desk.decide(thread, decisions, user=USER)
    if reply.status != "done":
        raise EvaluationFailed(f"thread {thread}: wanted a finished turn, came {reply!r}")
    return reply


async def calls_made(desk: Desk, thread: str) -> list[CallRecord]:
    """Every call of a thread as its TurnRecords keep it, in order."""
    turns = await desk.show(thread, user=USER)
    return [made for turn in turns for module in turn["modules"] for made in module["calls"]]


def records_after(data_dir: Path, tables: Path, thread: str) -> Records:
    """The tables as a thread's tools left them."""
    journal = Journal(data_dir / JOURNAL)
    return Records(load_tables(tables), journal.changes(thread_key(TENANT, thread)))
