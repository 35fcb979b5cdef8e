"""What counts as answerable, and the figures of the compaction evaluation."""

import gzip
import json
from pathlib import Path

import pytest

from configs.sections import HistorySettings
from evals.answerable import evidence, holds, left_of_turns, rules_from
from evals.beam import FOLDER, Chat, Exchange, Probe, load_chats
from evals.compaction import SCALES, STRATEGIES, Tally, figures, notes, scaled
from evals.registry import EVALUATIONS
from evals.runner import _shown
from memory.compaction import Window, fold, fold_plan
from tests.memory.samples import turn

CHAT = Chat(
    "1",
    (Exchange(0, "My first sprint ends on March 29.", "Good. I noted the sprint."),),
    (Probe("information_extraction", "When does my sprint end?", "March 29", (0,)),),
)


def test_evidence_is_what_a_message_shares_with_question_and_gold_answer() -> None:
    assert evidence(CHAT, CHAT.probes[0], 0) == {"sprint", "end", "march", "29"}
    assert evidence(CHAT, CHAT.probes[0], 1) == {"sprint"}


def test_a_message_that_shares_nothing_must_be_left_whole() -> None:
    probe = Probe("instruction_following", "How?", "Yes", (0,))
    assert evidence(CHAT, probe, 0) >= {"first", "sprint", "march", "29"}


def test_four_fifths_of_the_evidence_must_be_left() -> None:
    wanted = frozenset({"sprint", "end", "march", "29", "first"})
    assert holds(["first sprint", "ends March"], wanted)
    assert not holds(["first sprint ends"], wanted)


def test_what_is_left_is_told_apart_by_turn() -> None:
    history = [turn(0, "We moved to hall 40."), turn(1, "Never call Bo."), turn(2, "Hi.")]
    plan = fold_plan(HistorySettings(low_water_tokens=0, summary_tokens=100))
    done = fold(Window(history), plan)
    window = Window(done.history, done.summary, done.done_before, done.done, done.constraints)
    left = left_of_turns(window)
    assert holds(left[0], frozenset({"hall", "40"}))
    assert not holds(left.get(2, []), frozenset({"hall"}))
    assert rules_from(window, "Ok. Never call Bo.") == ["Never call Bo."]
    assert rules_from(window, "Another message.") == []


def test_sources_of_every_shape_are_found_and_the_marker_is_stripped(tmp_path: Path) -> None:
    said = [
        {"role": "user", "id": 0, "content": "Hello ->-> 1,1"},
        {"role": "assistant", "id": 1, "content": "Hi"},
    ]
    asked = {"question": "What?", "answer": "This", "source_chat_ids": {"first": [1], "second": 0}}
    chat = {"chat": [{"turns": [said]}], "probing_questions": {"knowledge_update": [asked]}}
    (tmp_path / FOLDER).mkdir(parents=True)
    with gzip.open(tmp_path / FOLDER / "3.json.gz", "wt") as file:
        json.dump(chat, file)
    (found,) = load_chats(tmp_path)
    assert found.exchanges == (Exchange(0, "Hello", "Hi"),)
    assert found.probes == (Probe("knowledge_update", "What?", "This", (0, 1)),)


def test_figures_have_share_and_tokens_for_each_strategy_and_name_the_best() -> None:
    tallies = {
        (name, scale): Tally(10, 5 if name == "importance" else 4, 2, 1000, 1)
        for name in STRATEGIES
        for scale in SCALES
    }
    found = figures(tallies)
    assert found["fifo"] == {"answerable_share": 0.4, "tokens_kept": 1000.0}
    assert (found["best"], found["default_to_fifo"]) == ("importance", 1.25)
    assert len(notes(tallies)) == len(SCALES)
    assert json.loads(json.dumps(found)) == found
    assert _shown(found["fifo"]) == "answerable_share 0.400, tokens_kept 1000.000"


@pytest.mark.parametrize("name", STRATEGIES)
def test_all_strategies_get_the_same_room(name: str) -> None:
    rooms = {scaled(HistorySettings(), other, 2.0).summary_tokens for other in STRATEGIES}
    assert rooms == {2 * HistorySettings().summary_tokens}
    assert scaled(HistorySettings(), name, 1.0).strategy == name  # type: ignore[arg-type]


def test_the_evaluation_is_registered_with_its_data() -> None:
    assert EVALUATIONS["compaction"].needs[0] == "beam/100K/1.json.gz"
