"""Real dialogues through the gate: writes pause, a no runs nothing, a yes runs it exactly once.

Every write that a dialogue proposes is asked for by a scripted model through the product's graph.
The desk is closed and opened again between each pause and its answer; the answer is the user's own
in the dialogue. After a no the model asks for the same call again; after a yes, the yes is sent a
second time.
"""

import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from rich.progress import Progress

from configs.sections import ROLES
from configs.settings import Settings, load_settings
from evals.gate_dialogues import Call, Dialogue, Event, load_dialogues, load_intents
from evals.gate_tools import happened, write_app
from evals.registry import Outcome, Request
from evals.scripted import ScriptedModel, call, last_steps
from graph.errors import UserError
from graph.session import Desk, open_desk
from state import canonical_json, thread_key

USER: Final = "customer"
CHUNK: Final = 100
DONE: Final = "Done as asked."


@dataclass(slots=True)
class Script:
    """The event being played; the expert makes its calls in order, and a refused one again."""

    event: Event = field(default_factory=lambda: Event(""))

    def __call__(self, role: str, messages: Sequence[BaseMessage]) -> AIMessage:
        """The next reply of a role."""
        planned = [*self.event.reads, *([self.event.write] if self.event.write else [])]
        if role == "router":
            names = sorted({made.intent.service.lower() for made in planned})
            experts = [{"name": name, "question": ""} for name in names]
            return call("submit_plan", {"experts": experts, "confidence": 1.0}, "plan")
        if role != "expert":
            return AIMessage(DONE)
        expert = _expert_of(messages)
        own = [made for made in planned if made.intent.service.lower() == expert]
        steps = [step for step in last_steps(messages) if isinstance(step, ToolMessage)]
        if len(steps) < len(own):
            return _ask_for(own[len(steps)], len(steps))
        refused = self.event.write in own and not self.event.agreed
        if refused and len(steps) == len(own):
            return _ask_for(own[-1], len(steps))
        return AIMessage(DONE)

    def models(self) -> dict[str, ScriptedModel]:
        """A model for each role."""
        return {role: ScriptedModel(role=role, policy=self) for role in ROLES}


def _expert_of(messages: Sequence[BaseMessage]) -> str:
    for message in reversed(messages):
        block = message.additional_kwargs.get("block")
        if isinstance(block, dict) and block.get("kind") == "brief":
            return str(block["expert"])
    return ""


def _ask_for(made: Call, number: int) -> AIMessage:
    known = {*made.intent.required, *made.intent.optional}
    values = {name: value for name, value in made.values.items() if name in known}
    values = {**dict.fromkeys(made.intent.required, ""), **values}
    return call(made.intent.tool, values, f"call_{number}")


@dataclass(slots=True)
class Tally:
    """What happened, counted."""

    writes: int = 0
    paused: int = 0
    approved: int = 0
    executed_after_approve: int = 0
    executed_after_reject: int = 0
    reads: int = 0
    reads_paused: int = 0
    second_answers_taken: int = 0
    wrong: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Stage:
    """A desk that can be closed and opened again over the same data."""

    settings: Settings
    script: Script
    tally: Tally = field(default_factory=Tally)

    @asynccontextmanager
    async def desk(self) -> AsyncIterator[Desk]:
        """Open a desk."""
        async with open_desk(self.settings, models=self.script.models()) as desk:
            yield desk


async def evaluate(request: Request) -> Outcome:
    """Play every dialogue in chunks, one event of each at a time."""
    folder_of = request.data / "sgd"
    intents = load_intents(folder_of / "schema.json")
    dialogues = load_dialogues(folder_of / "dialogues.jsonl.gz", intents, request.limit)
    with tempfile.TemporaryDirectory() as folder, Progress(console=request.progress) as progress:
        settings = load_settings(write_app(Path(folder) / "app", folder_of / "schema.json"))
        stage, bar = Stage(settings, Script()), progress.add_task("dialogues", total=None)
        while chunk := list(islice(dialogues, CHUNK)):
            await play_chunk(stage, chunk)
            progress.advance(bar, len(chunk))
    tally = stage.tally
    keys = ("writes", "paused", "executed_after_reject", "executed_after_approve", "approved")
    figures = {key: getattr(tally, key) for key in (*keys, "reads", "reads_paused")}
    notes = [f"second answers that were taken: {tally.second_answers_taken}"]
    return Outcome(figures=figures, notes=(*notes, *tally.wrong[:10]))


async def play_chunk(stage: Stage, chunk: Sequence[Dialogue]) -> None:
    """Play the dialogues' first events, then their second ones, with a new desk before answers."""
    for at in range(max(len(dialogue.events) for dialogue in chunk)):
        now = [(one, one.events[at]) for one in chunk if at < len(one.events)]
        async with stage.desk() as desk:
            waiting = [(one, event, await ask(stage, desk, one.id, event)) for one, event in now]
        before = arrivals(stage)
        async with stage.desk() as desk:
            for one, event, pending in waiting:
                if pending:
                    await answer(stage, desk, one.id, event, pending)
        after = arrivals(stage)
        for one, event, pending in waiting:
            if pending:
                _count(stage.tally, one.id, event, before, after)


async def ask(stage: Stage, desk: Desk, thread: str, event: Event) -> list[str]:
    """Play an event up to its pause or end; the ids of what waits."""
    stage.script.event = event
    reply = await desk.ask(thread=thread, user=USER, text=event.text)
    tools = {action.tool for action in reply.pending}
    stage.tally.reads += len(event.reads)
    stage.tally.reads_paused += sum(read.intent.tool in tools for read in event.reads)
    if event.write is not None:
        stage.tally.writes += 1
        stage.tally.paused += event.write.intent.tool in tools
    return [action.id for action in reply.pending]


async def answer(
    stage: Stage, desk: Desk, thread: str, event: Event, pending: Sequence[str]
) -> None:
    """Give the user's answer to everything that waits, and then give it again."""
    stage.script.event = event
    kind = "approve" if event.agreed else "reject"
    decisions: list[dict[str, Any]] = [{"id": id_, "type": kind} for id_ in pending]
    reply = await desk.decide(thread, decisions, user=USER)
    if reply.status != "done":
        stage.tally.wrong.append(f"{thread}: {reply.status} after {kind}")
    try:
        await desk.decide(thread, decisions, user=USER)
        stage.tally.second_answers_taken += 1
    except UserError:
        await desk.resume(thread, user=USER)


def arrivals(stage: Stage) -> Counter[str]:
    """How often each write has arrived, by thread, tool and arguments."""
    return Counter(
        canonical_json([line["thread"], line["tool"]]) for line in happened(stage.settings.data_dir)
    )


def _count(
    tally: Tally, dialogue: str, event: Event, before: Counter[str], after: Counter[str]
) -> None:
    if event.write is None:
        return
    key = canonical_json([thread_key("default", dialogue), event.write.intent.tool])
    times = after[key] - before[key]
    if not event.agreed:
        tally.executed_after_reject += times
        return
    tally.approved += 1
    tally.executed_after_approve += times == 1
    if times != 1:
        tally.wrong.append(f"{dialogue}: {event.write.intent.tool} happened {times} times")
