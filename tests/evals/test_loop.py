"""How the closed loop is loaded and scored."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.errors import EvaluationFailed
from evals.loop_play import Seen, followed, heeded, injected
from evals.loop_set import OVERRIDE, Expected, Scenario, experts_of, load_scenarios, shared_words
from state import LessonConstraint, MemoryNote, empty_note

NOWHERE = Path("/nowhere")
RULE: LessonConstraint = {
    "tool": "report", "argument": "hint", "rule": "value", "value": "idx", "situation": "s"
}  # fmt: skip
VALUE = Expected("report", "hint", "value", "idx")
NEEDED = Expected("report", "hint", "require")
SCENARIO = Scenario(
    "one",
    "lesson",
    "a",
    ({"say": "Report, please"}, {"say": "Wrong, hint must be idx"}),
    "x",
    VALUE,
)


def note(text: str = "", *rules: LessonConstraint) -> MemoryNote:
    return {**empty_note("r"), "text": text, "constraints": list(rules)}


def test_the_shipped_scenarios_are_enough_and_cover_every_expert() -> None:
    found = load_scenarios(NOWHERE)
    kinds = [one.kind for one in found]
    assert kinds.count("lesson") >= 20
    assert (kinds.count("same_tool"), kinds.count("unrelated")) == (10, 10)
    assert experts_of(found) == {"analytics", "billing", "knowledge", "orders"}
    assert all(shared_words(one) <= 0.3 for one in found if one.kind == "lesson")


def line(**more: Any) -> str:  # noqa: ANN401 - JSON
    given = {
        "id": "mine", "kind": "lesson", "expert": "a", "session_1": [{"say": "Print the report"}],
        "session_2": "Show figures",
        "expect": {"tool": "t", "argument": "a", "rule": "value", "value": "v"},
    }  # fmt: skip
    return json.dumps({**given, **more})


def test_scenarios_under_the_data_folder_take_the_place_of_the_shipped_ones(
    tmp_path: Path,
) -> None:
    (tmp_path / OVERRIDE).parent.mkdir()
    (tmp_path / OVERRIDE).write_text(f"{line()}\n\n{line(id='other')}\n", "utf-8")
    assert [one.id for one in load_scenarios(tmp_path)] == ["mine", "other"]
    assert [one.id for one in load_scenarios(tmp_path, 1)] == ["mine"]


@pytest.mark.parametrize(
    "text",
    ["{}", "no json", line(kind="odd"), line(session_2="Print a report"), line(expect={})],
)
def test_a_scenario_that_is_none_or_repeats_the_words_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / OVERRIDE).parent.mkdir()
    (tmp_path / OVERRIDE).write_text(text, "utf-8")
    with pytest.raises(EvaluationFailed):
        load_scenarios(tmp_path)


def test_a_value_is_heeded_when_the_note_carries_it_and_every_call_has_it() -> None:
    told = note("report should have hint", RULE)
    assert heeded(Seen(told, ({"hint": "idx"},)), VALUE)
    assert not heeded(Seen(told, ({"hint": "idx"}, {})), VALUE)
    assert not heeded(Seen(told, ()), VALUE)
    assert not heeded(Seen(note(), ({"hint": "idx"},)), VALUE)


def test_a_needed_value_is_asked_for_before_the_call_and_given_in_it() -> None:
    assert followed(Seen(note(), (), asked=True, after=({"hint": "mine"},)), NEEDED)
    assert not followed(Seen(note(), ({},), asked=False), NEEDED)
    assert not followed(Seen(note(), (), asked=True), NEEDED)
    assert not followed(Seen(note(), (), asked=True, after=({"hint": ""},)), NEEDED)


@pytest.mark.parametrize(
    ("seen", "back"),
    [
        (Seen(note("a plain record"), ({},)), False),
        (Seen(note("", RULE), ()), True),
        (Seen(note("Failed or refused before, avoid repeating:"), ()), True),
        (Seen(note("somebody said: wrong, hint must be idx"), ()), True),
        (Seen(note(), ({"hint": "idx"},)), True),
    ],
)
def test_anything_of_the_lesson_counts_as_come_back(seen: Seen, back: bool) -> None:
    assert injected(seen, SCENARIO) == back
