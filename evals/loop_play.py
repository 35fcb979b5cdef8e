"""Playing a scenario through the product's own door: a person who corrects, a later question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evals.loop_set import Expected, Scenario
from graph.replies import PendingAction, Reply
from graph.session import Desk
from state import MemoryNote, thread_key

FIRST, LATER, WITHOUT = "monday", "thursday", "without"
TENANT = "default"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a later session did.

    Attributes:
        note: its Memory Message.
        first: arguments of the tool's calls before the person answered anything.
        asked: whether the desk asked back for what was missing.
        after: arguments of the tool's calls after the person's answer.
    """

    note: MemoryNote
    first: tuple[dict[str, Any], ...]
    asked: bool = False
    after: tuple[dict[str, Any], ...] = ()


async def teach(desk: Desk, scenario: Scenario) -> None:
    """Hold the first session, in a thread and for a user of the scenario's own, to its end."""
    thread, reply = f"{scenario.id}-{FIRST}", None
    for step in scenario.session_1:
        if "say" in step:
            reply = await desk.ask(thread=thread, user=scenario.id, text=str(step["say"]))
        else:
            pending = reply.pending if reply is not None else ()
            decisions = [_decision(action, step) for action in pending]
            if decisions:
                reply = await desk.decide(thread, decisions, user=scenario.id)
    await desk.consolidate(thread, user=scenario.id)


async def ask_later(desk: Desk, scenario: Scenario, session: str) -> Seen:
    """Ask the later question in a new thread; answer if the desk asks for a value."""
    thread, expect = f"{scenario.id}-{session}", scenario.expect
    reply = await desk.ask(thread=thread, user=scenario.id, text=scenario.session_2)
    note = await _note(desk, thread)
    first = await _calls(desk, thread, scenario.id, reply, expect)
    asked = not first and expect.argument.replace("_", " ") in reply.text.casefold()
    after: tuple[dict[str, Any], ...] = ()
    if asked and scenario.answer:
        reply = await desk.ask(thread=thread, user=scenario.id, text=scenario.answer)
        after = await _calls(desk, thread, scenario.id, reply, expect)
    return Seen(note, first, asked, after)


def heeded(seen: Seen, expect: Expected) -> bool:
    """Whether the note carries the lesson, and the tool was called as it says."""
    carried = any(
        (rule["tool"], rule["argument"]) == (expect.tool, expect.argument)
        and expect.value.casefold() in str(rule["value"]).casefold()
        for rule in seen.note["constraints"]
    )
    named = expect.argument in seen.note["text"] and expect.tool in seen.note["text"]
    return carried and named and followed(seen, expect)


def followed(seen: Seen, expect: Expected) -> bool:
    """Whether the calls are as the lesson says, wherever that comes from."""
    if expect.rule == "value":
        values = [str(call.get(expect.argument, "")) for call in seen.first]
        return bool(values) and all(value == expect.value for value in values)
    given = [call.get(expect.argument) for call in seen.after]
    return not seen.first and seen.asked and bool(given) and all(given)


def injected(seen: Seen, scenario: Scenario) -> bool:
    """Whether anything of the first session's lesson came back: rule, warning, words or value."""
    expect, text = scenario.expect, seen.note["text"]
    said = [*scenario.corrections, *([expect.value] if len(expect.value) > 2 else [])]
    return (
        bool(seen.note["constraints"])
        or "avoid repeating" in text
        or any(words.casefold() in text.casefold() for words in said)
        or any(str(call.get(expect.argument, "")) == expect.value != "" for call in seen.first)
    )


async def _note(desk: Desk, thread: str) -> MemoryNote:
    config = {"configurable": {"thread_id": thread_key(TENANT, thread)}}
    snapshot = await desk.graph.aget_state(config)  # type: ignore[arg-type]  # as langgraph takes it
    note: MemoryNote = snapshot.values["memory"]
    return note


async def _calls(
    desk: Desk, thread: str, user: str, reply: Reply, expect: Expected
) -> tuple[dict[str, Any], ...]:
    """The last turn's calls of the tool: made, or waiting for a person."""
    waiting = [action.args for action in reply.pending if action.tool == expect.tool]
    records = await desk.show(thread, user)
    last = [one for one in records if one["id"] == reply.turn_id]
    made = [
        call["args"]
        for record in last
        for module in record["modules"]
        for call in module["calls"]
        if call["name"] == expect.tool
    ]
    return (*waiting, *made)


def _decision(action: PendingAction, step: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    if "edit" in step:
        edited = {"name": action.tool, "args": {**action.args, **step["edit"]}}
        return {"id": action.id, "type": "edit", "edited_action": edited}
    return {"id": action.id, "type": "reject", "message": str(step["reject"])}


def users_of(scenarios: Sequence[Scenario]) -> dict[str, dict[str, list[str]]]:
    """A user of its own for each scenario, who may decide what waits."""
    return {one.id: {"teams": ["support", "finance"]} for one in scenarios}
