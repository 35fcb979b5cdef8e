"""Folding: whole turns, structured state by code, and a summary that never outgrows its room."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from configs.sections import FoldStrategy, HistorySettings
from memory.compaction import Folded, FoldPlan, Window, fold, fold_plan, history_tokens, take_over
from memory.constraints import stated_constraints
from memory.history import render
from memory.strategies import STRATEGIES
from memory.summary import Written, read
from models.tokens import count
from state import CallRecord, TurnRecord
from tests.memory.samples import call, turn

NAMES = sorted(STRATEGIES)
LOOK_UP = call("get_invoice", {"id": "INV-7"}, effect="read_only")
REFUND = call("issue_refund", {"id": "INV-7", "amount": 10})
RULE = "Never refund more than 100 euros."


def plan(name: FoldStrategy = "importance", low: int = 100, summary: int = 200) -> FoldPlan:
    return fold_plan(
        HistorySettings(
            strategy=name, low_water_tokens=low, high_water_tokens=800, summary_tokens=summary
        )
    )


def window_of(folded: Folded) -> Window:
    return Window(
        folded.history, folded.summary, folded.done_before, folded.done, folded.constraints
    )


def talk(number: int, *calls: CallRecord) -> TurnRecord:
    said = f"We moved warehouse {number} to hall {number + 40}, and our carrier is Falcon {number}."
    return turn(number, said, f"Noted: hall {number + 40}.", *calls)


def played(records: list[TurnRecord], with_plan: FoldPlan) -> Window:
    """The window after the turns, folded when the product folds."""
    window = Window([])
    for record in records:
        window = Window(
            [*window.history, record],
            window.summary,
            window.done_before,
            window.done,
            window.constraints,
        )
        if history_tokens(window.history) > with_plan.high_water_tokens:
            window = window_of(fold(window, with_plan))
    return window


@st.composite
def histories(draw: st.DrawFn) -> list[TurnRecord]:
    texts = st.one_of(
        st.text(max_size=200), st.just(RULE), st.just("don't delete the script (this time)")
    )
    calls = st.lists(st.sampled_from([LOOK_UP, REFUND]), max_size=3)
    count_of = draw(st.integers(1, 8))
    return [turn(n, draw(texts), draw(st.text(max_size=80)), *draw(calls)) for n in range(count_of)]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25)
@given(history=histories())
def test_a_fold_moves_whole_turns_and_loses_no_effect_and_no_rule(
    name: FoldStrategy, history: list[TurnRecord]
) -> None:
    folded = fold(Window(history), plan(name))
    gone = [record for record in history if record["id"] in folded.turn_ids]
    assert sorted([*folded.turn_ids, *(one["id"] for one in folded.history)]) == sorted(
        one["id"] for one in history
    )
    assert folded.history == [record for record in history if record not in gone]
    assert folded.history[-1] == history[-1]
    acted = [one["index"] for one in gone if one["modules"][0]["calls"]]
    assert [item["turn"] for item in folded.done] == acted
    said = {rule for one in gone for rule in stated_constraints(one["user"])}
    assert {rule.casefold().rstrip(".") for rule in said} == {
        rule.casefold().rstrip(".") for rule in folded.constraints
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_long_thread_stays_within_its_room_however_often_it_is_folded(
    name: FoldStrategy,
) -> None:
    chosen = plan(name)
    window = played([talk(number) for number in range(80)], chosen)
    assert history_tokens(window.history) <= chosen.high_water_tokens
    assert count(window.summary) <= chosen.room.folded


def test_a_rule_and_an_effect_of_the_first_turn_survive_a_hundred_turns_word_for_word() -> None:
    first = turn(0, f"{RULE} Now refund INV-7.", "Refunded.", REFUND)
    window = played([first, *(talk(number) for number in range(1, 100))], plan())
    assert window.constraints == [RULE]
    assert [(item["turn"], item["result"]) for item in window.done] == [(0, "#0.1")]


def test_a_one_off_instruction_does_not_become_a_rule() -> None:
    record = turn(0, "don't delete the script (this time)", "Kept.")
    assert fold(Window([record, talk(1), talk(2)]), plan(low=0)).constraints == []


def test_a_turn_with_calls_is_in_the_done_list_and_one_without_in_the_summary() -> None:
    history = [turn(0, "hi", "Hello."), turn(1, "Show INV-7.", "Here.", LOOK_UP), talk(2), talk(3)]
    folded = fold(Window(history), plan(low=0))
    assert [item["turn"] for item in folded.done] == [1]
    assert [entry.turn for entry in read(folded.summary)[1]] == [0, 2]


def test_what_the_user_tells_beside_a_request_is_kept_of_a_turn_with_calls() -> None:
    history = [
        talk(0),
        turn(1, "Show INV-7. We moved to Porto in May.", "Here.", LOOK_UP),
        talk(2),
    ]
    lines = fold(Window(history), plan(low=0)).summary.splitlines()
    assert lines[1].startswith("#1 moved Porto May.")


def test_lines_are_made_of_the_words_that_were_said() -> None:
    window = played([talk(number) for number in range(40)], plan())
    words = set(render([talk(number) for number in range(40)]).replace(".", " ").split())
    for line in window.summary.splitlines():
        said = line.partition(" ")[2].replace("=>", " ").replace(".", " ").split()
        assert {word.strip(",:") for word in said} <= {word.strip(",:") for word in words}


def test_a_line_can_be_folded_again_without_changing() -> None:
    window = played([talk(number) for number in range(12)], plan(summary=1000))
    again = window_of(fold(window, plan(summary=1000)))
    assert set(window.summary.splitlines()) <= set(again.summary.splitlines())


def test_a_strategy_without_lines_may_let_the_history_grow_by_the_summarys_room() -> None:
    assert plan("fifo", summary=300).high_water_tokens == 1100
    assert plan("importance", summary=300).high_water_tokens == 800


PROSE = "The user moved warehouses and uses Falcon carriers."


def test_a_models_prose_stands_first_and_the_densest_lines_stay_beside_it() -> None:
    window = played([talk(number) for number in range(40)], plan())
    taken = take_over(window.summary, Written(30, PROSE), plan())
    written, entries = read(taken)
    assert written == Written(30, PROSE)
    assert entries[0].turn == 0
    assert 0 < len(entries) < len(window.summary.splitlines())
    assert count(taken) <= plan().room.folded


def test_prose_is_taken_over_once() -> None:
    taken = take_over("#0 We moved hall 40.", Written(3, PROSE), plan())
    assert take_over(taken, Written(3, PROSE), plan()) == taken
    assert read(take_over(taken, Written(9, "Newer prose."), plan()))[0] == Written(
        9, "Newer prose."
    )


def test_prose_stays_through_later_folds_until_a_newer_one_comes() -> None:
    taken = take_over("", Written(3, PROSE), plan())
    window = fold(Window([talk(4), talk(5), talk(6)], taken), plan(low=0))
    assert read(window.summary)[0] == Written(3, PROSE)
    assert [entry.turn for entry in read(window.summary)[1]] == [4, 5]
    assert count(window.summary) <= plan().room.folded


def test_an_older_summary_of_another_form_is_kept_as_prose() -> None:
    window = fold(Window([talk(0), talk(1)], "Earlier they spoke of tea."), plan(low=0))
    assert read(window.summary)[0].text == "Earlier they spoke of tea."
