import json
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from configs.settings import load_settings
from evals.embedded_names import Names
from evals.embedded_set import (
    Conversation,
    Half,
    Labelled,
    borrowed,
    content_words,
    largest_share,
    load_conversations,
)
from evals.errors import EvaluationFailed


@pytest.fixture(scope="module")
def conversations() -> list[Conversation]:
    return load_conversations()


def requests_of(conversations: list[Conversation], half: str | None = None) -> list[Labelled]:
    chosen = [one for one in conversations if half in (None, one.half)]
    return [request for one in chosen for request in one.requests]


def test_the_set_is_large_enough_and_balanced(conversations: list[Conversation]) -> None:
    every = requests_of(conversations)
    assert len(every) >= 180
    assert len(requests_of(conversations, "test")) >= 160
    assert sum(one.follow_up for one in every) * 3 >= len(every)
    assert sum(one.two_in_one for one in every) >= 14
    kinds = Counter(one.expect for one in every)
    assert kinds["off_topic"] >= 20
    assert kinds["ask"] >= 8


@pytest.mark.parametrize("half", get_args(Half))
def test_each_half_calls_every_tool_of_the_company(
    conversations: list[Conversation], half: str
) -> None:
    called = Counter(call.tool for one in requests_of(conversations, half) for call in one.calls)
    tools = {tool.name for expert in load_settings().experts for tool in expert.tools}
    assert set(called) == tools
    assert min(called.values()) >= 3


def test_every_tool_is_expected_five_times(conversations: list[Conversation]) -> None:
    called = Counter(call.tool for one in requests_of(conversations) for call in one.calls)
    assert min(called.values()) >= 5


def test_every_labelled_record_exists(conversations: list[Conversation]) -> None:
    names = Names()
    for request in requests_of(conversations):
        for call in request.calls:
            records = {
                key: call.args[key] for key in ("invoice_id", "order_id") if key in call.args
            }
            assert all(names.with_kin(frozenset([one])) - {one} for one in records.values())


def test_a_limit_takes_so_many_conversations_of_each_half() -> None:
    assert Counter(one.half for one in load_conversations(limit=2)) == {
        "tune": 2,
        "test": 2,
    }


def test_a_line_without_a_label_is_named(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text(json.dumps({"id": "c1", "half": "tune", "turns": [{"text": "hi"}]}))
    with pytest.raises(EvaluationFailed, match="line 1"):
        load_conversations(file)


def test_a_label_with_calls_but_no_expectation_of_one_is_refused(tmp_path: Path) -> None:
    turn = {"text": "hi", "expect": "talk", "calls": [{"tool": "get_order", "args": {}}]}
    file = tmp_path / "set.jsonl"
    file.write_text(json.dumps({"id": "c1", "half": "tune", "turns": [turn]}))
    with pytest.raises(EvaluationFailed, match=r"c1\.1"):
        load_conversations(file)


def test_ids_numbers_and_function_words_are_no_content() -> None:
    assert content_words("and what about ORD-2077 with 3 scanners?") == {"scanner"}


def test_the_share_counts_one_example_at_a_time() -> None:
    examples = [content_words("cancel my parcel"), content_words("budget was cut")]
    assert largest_share("cancel it, the budget was cut", examples) == pytest.approx(2 / 3)
    assert largest_share("that one", examples) == 0.0


def test_a_request_that_repeats_an_example_is_found() -> None:
    near, far = (
        Labelled(id=name, text=text, expect="talk")
        for name, text in (("a", "Cancelling the parcels"), ("b", "cancel the whole big deal"))
    )
    found = borrowed([Conversation("c", "tune", (near, far))], ["please cancel my parcel"])
    assert found == {"a"}
