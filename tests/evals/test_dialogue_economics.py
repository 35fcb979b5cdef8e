"""Dialogues in four designs, on two small files."""

import gzip
import json
from pathlib import Path
from typing import Any

from evals.dialogue_designs import FullTrajectory, Utterances, sizes_of, tokens_by_module
from evals.dialogue_shared import SharedHistory
from evals.dialogue_turns import DialogueCall, DialogueTurn, sgd_dialogues

RESULT = json.dumps([{"name": f"place {n}", "rating": n} for n in range(60)])


def turn(number: int) -> DialogueTurn:
    call = DialogueCall("FindPlace", {"city": f"City {number}"}, RESULT)
    return DialogueTurn(f"Find a place in City {number}.", "Places", (call,), f"Place {number}.")


def frame(service: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"service": service, **fields}


def test_sgd_turns_pair_the_user_with_the_calls_made_for_him(tmp_path: Path) -> None:
    call = {"method": "Find", "parameters": {"city": "X"}}
    turns = [
        {"utterance": "a place", "frames": [frame("Places_1")]},
        {
            "utterance": "here",
            "frames": [frame("Places_1", service_call=call, service_results=[{"n": 1}])],
        },
        {"utterance": "thanks", "frames": [frame("Places_1")]},
        {"utterance": "bye", "frames": []},
    ]
    (tmp_path / "sgd").mkdir()
    with gzip.open(tmp_path / "sgd" / "dialogues.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps({"turns": turns}) + "\n")
    [dialogue] = sgd_dialogues(tmp_path)
    assert [(t.user, t.answer, len(t.calls)) for t in dialogue] == [
        ("a place", "here", 1),
        ("thanks", "bye", 0),
    ]
    assert dialogue[1].expert == "Places_1"
    assert dialogue[0].calls[0].result == '[{"n": 1}]'


def test_results_are_read_again_in_the_full_trajectory_only() -> None:
    totals = {}
    for design in (FullTrajectory(), Utterances(), SharedHistory()):
        for number in range(6):
            present = turn(number)
            sizes = sizes_of(present)
            spent = tokens_by_module(present, sizes, design)
            design.close(present, sizes)
        totals[type(design).__name__] = spent["router"]
    assert totals["Utterances"] < totals["SharedHistory"] < totals["FullTrajectory"] / 4


def test_our_design_names_the_calls_that_utterances_leave_out() -> None:
    ours = SharedHistory()
    for number in range(40):
        ours.close(turn(number), sizes_of(turn(number)))
    assert ours.window.done_before
    assert "FindPlace" in ours.window.done_before
    assert ours.before("router") < 1_500
