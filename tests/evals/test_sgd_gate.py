"""What of a dialogue counts as a read, a proposed write, a yes and a no; and one of each played."""

from pathlib import Path
from typing import Any

import pytest

from configs.settings import load_settings
from evals.gate_dialogues import Dialogue, Event, Intent, events_of
from evals.gate_tools import write_app
from evals.sgd_gate import Script, Stage, play_chunk

SCHEMA = """[{"service_name": "Banks_1", "description": "", "slots": [], "intents": [
 {"name": "Check", "description": "See a balance", "is_transactional": false,
  "required_slots": ["account"], "optional_slots": {}},
 {"name": "Send", "description": "Send money", "is_transactional": true,
  "required_slots": ["account", "amount"], "optional_slots": {"to": "x"}}]}]"""
CHECK = Intent("Banks_1", "Check", "", False, ("account",), ())
SEND = Intent("Banks_1", "Send", "", True, ("account", "amount"), ("to",))
INTENTS = {("Banks_1", "Check"): CHECK, ("Banks_1", "Send"): SEND}


def user(text: str, *acts: str) -> dict[str, Any]:
    actions = [{"act": act, "slot": "", "values": [], "canonical_values": []} for act in acts]
    state = {"active_intent": "Send"}
    frame = {"service": "Banks_1", "actions": actions, "state": state}
    return {"speaker": "USER", "utterance": text, "frames": [frame]}


def system(*confirmed: tuple[str, str], call: tuple[str, dict[str, str]] | None = None) -> Any:  # noqa: ANN401 - JSON
    actions = [
        {"act": "CONFIRM", "slot": slot, "values": [value], "canonical_values": [value]}
        for slot, value in confirmed
    ]
    frame: dict[str, Any] = {"service": "Banks_1", "actions": actions}
    if call is not None:
        frame["service_call"] = {"method": call[0], "parameters": call[1]}
    return {"speaker": "SYSTEM", "utterance": "…", "frames": [frame]}


TURNS = [
    user("what do I have"),
    system(call=("Check", {"account": "savings"})),
    user("send 5"),
    system(("account", "savings"), ("amount", "5")),
    user("no, not now", "NEGATE"),
    system(("account", "savings"), ("amount", "7")),
    user("yes", "AFFIRM"),
    system(call=("Send", {"account": "savings", "amount": "7"})),
]


def test_a_no_refuses_what_was_to_be_confirmed_and_a_yes_makes_the_call() -> None:
    refused, made = events_of(TURNS, INTENTS)
    assert (refused.agreed, made.agreed) == (False, True)
    assert refused.write is not None
    assert dict(refused.write.values) == {"account": "savings", "amount": "5"}
    assert [read.intent.name for read in refused.reads] == ["Check"]
    assert made.write is not None
    assert made.write.values["amount"] == "7"


@pytest.mark.parametrize("turns", [[], [user("hello"), system()]])
def test_talk_without_calls_is_no_event(turns: list[Any]) -> None:
    assert not list(events_of(turns, INTENTS))


async def test_both_are_counted_where_they_happen(tmp_path: Path) -> None:
    (tmp_path / "schema.json").write_text(SCHEMA, encoding="utf-8")
    stage = Stage(load_settings(write_app(tmp_path / "app", tmp_path / "schema.json")), Script())
    events: tuple[Event, ...] = tuple(events_of(TURNS, INTENTS))
    await play_chunk(stage, [Dialogue("d1", events)])
    tally = stage.tally
    assert (tally.writes, tally.paused, tally.approved) == (2, 2, 1)
    assert (tally.executed_after_reject, tally.executed_after_approve) == (0, 1)
    assert (tally.reads, tally.reads_paused, tally.second_answers_taken) == (1, 0, 0)
    assert not tally.wrong
