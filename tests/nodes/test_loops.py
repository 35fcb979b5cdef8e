import pytest

from nodes.endings import broken, stopped
from nodes.loops import Loops, Made, circle, hint, was_hinted
from state import CallRecord, CallStatus

LOOPS = Loops(window=5, repeats=2, no_progress_steps=4)


def steps(keys: str, *, useful: bool = True) -> list[list[Made]]:
    """One call a step, each letter a call."""
    return [[Made(key, useful)] for key in keys]


def record(name: str, status: CallStatus = "ok", note: str = "") -> CallRecord:
    return {
        "id": "c",
        "name": name,
        "args": {"id": "INV-1"},
        "effect": "read_only",
        "status": status,
        "artifact": None,
        "note": note,
    }


@pytest.mark.parametrize(
    ("made", "asked", "reason"),
    [
        ("", "a", ""),
        ("a", "a", ""),
        ("aa", "a", "the same call came again and again"),
        ("aabcd", "a", "the same call came again and again"),
        ("aabcde", "a", ""),
        ("aba", "b", "the same two calls came in turn"),
        ("abca", "b", ""),
        ("abcdef", "g", ""),
        ("aabb", "a", "the same call came again and again"),
    ],
)
def test_circles_are_seen_in_the_last_calls(made: str, asked: str, reason: str) -> None:
    assert circle(steps(made), list(asked), LOOPS) == reason


def test_a_batch_with_something_new_in_it_is_no_repetition() -> None:
    assert circle(steps("aa"), ["a", "b"], LOOPS) == ""


def test_near_repeats_that_bring_nothing_are_a_circle() -> None:
    failing = steps("abcd", useful=False)
    assert circle(failing, ["e"], LOOPS) == "4 steps in a row brought nothing new"
    assert circle(failing[:3], ["e"], LOOPS) == ""
    assert circle([*failing[:3], *steps("x")], ["e"], LOOPS) == ""


def test_the_model_is_told_once() -> None:
    assert not was_hinted([[record("find")]])
    assert was_hinted([[record("find")], [record("find", "error", hint("it came again"))]])


def test_an_ending_says_what_was_done_what_not_and_what_next() -> None:
    rounds = [[record("find"), record("send", "error", "timeout: 30 s")]]
    text = stopped("after 4 steps", rounds)
    assert text.startswith("I stopped after 4 steps. Done before that: find: ok.")
    assert 'send {"id":"INV-1"} error (timeout: 30 s)' in text
    assert "ask again to go on" in text
    assert broken(ValueError("no key. Set it."), []) == "I could not finish: no key. Set it."
