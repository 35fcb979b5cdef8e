import json
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest

from configs.settings import load_settings
from evals.embedded_names import Names
from evals.embedded_set import (
    Conversation,
    Half,
    Labelled,
    borrowed,
    content_words,
    find_desks,
    free_arguments,
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


def turn(text: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - of a JSON line
    label = {"expect": "talk", "calls": [], "free": {}, "follow_up": False, "two_in_one": False}
    return {"text": text, **label, **more}


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


def test_every_labelled_customer_exists(conversations: list[Conversation]) -> None:
    names = Names()
    calls = [call for request in requests_of(conversations) for call in request.calls]
    customers = {str(call.args["customer"]) for call in calls if call.args.get("customer")}
    assert len(customers) > 20
    assert {names.customer(one)[:4] for one in customers} == {"CUS-"}


def test_a_limit_takes_so_many_conversations_of_each_half() -> None:
    assert Counter(one.half for one in load_conversations(limit=2)) == {
        "tune": 2,
        "test": 2,
    }


def test_a_desk_s_requests_are_read_with_the_calls_that_would_do_instead(tmp_path: Path) -> None:
    file = tmp_path / "requests.jsonl"
    calls = [{"tool": "find", "args": {"n": 1}, "instead": [{"tool": "list", "args": {}}]}]
    line = {"id": "d1", "turns": [turn("find 1", expect="call", calls=calls, free={"why": ["a"]})]}
    file.write_text(json.dumps(line) + "\n" + json.dumps({"id": "d2", "turns": [turn("hi")]}))
    first, second = load_conversations(file)
    assert [one.tool for one in first.requests[0].calls[0].choices] == ["find", "list"]
    assert (first.half, second.requests[0].id) == ("test", "d2.1")
    assert free_arguments([first, second]) == {"why"}
    assert load_conversations(file, limit=1) == [first]


def test_a_folder_that_lacks_requests_is_no_desk(tmp_path: Path) -> None:
    for name in ("hotel", "unfinished"):
        (tmp_path / name / "experts").mkdir(parents=True)
        (tmp_path / name / "app.yaml").touch()
    (tmp_path / "hotel" / "requests.jsonl").touch()
    assert find_desks(tmp_path) == {"hotel": tmp_path / "hotel"}
    assert find_desks(tmp_path / "absent") == {}


def test_a_line_without_a_label_is_named(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text(json.dumps({"id": "c1", "half": "tune", "turns": [{"text": "hi"}]}))
    with pytest.raises(EvaluationFailed, match=r"line 1 of .*set\.jsonl"):
        load_conversations(file)


def test_a_label_with_calls_but_no_expectation_of_one_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    wrong = turn("hi", calls=[{"tool": "get_order", "args": {}}])
    file.write_text(json.dumps({"id": "c1", "half": "tune", "turns": [wrong]}))
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
