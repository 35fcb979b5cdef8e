"""Turns labelled with what they do, and their variants."""

import random

from evals.acts_data import Turn, drawn, load_acts, requests_of
from evals.embedded_set import Conversation, Labelled, Wanted
from models.embedded.acts import ACTS, ASKED
from text.patterns import ID

TURNS = load_acts()


def called(text: str, *tools: str, follow_up: bool = False) -> Labelled:
    calls = tuple(Wanted(tool=tool, args={}) for tool in tools)
    return Labelled(id="x.1", text=text, expect="call", calls=calls, follow_up=follow_up)


def test_turns_of_all_acts_are_labelled() -> None:
    assert {turn.act for turn in TURNS} == set(ACTS)
    assert all(turn.before for turn in TURNS if turn.same)
    assert all(turn.author for turn in TURNS)


def test_acts_are_read_off_the_calls_that_a_request_wants() -> None:
    one = Conversation(
        "x",
        "tune",
        (
            called("show me INV-1042", "get_invoice"),
            called("and 1043", "get_invoice", follow_up=True),
            called("void it", "void_invoice", follow_up=True),
            called("what do the rules say", "search_policies", follow_up=True),
            Labelled(id="x.5", text="what day is it", expect="off_topic"),
        ),
    )
    found = [(turn.act, turn.same, turn.done) for turn in requests_of([one])]
    assert found == [
        ("records", False, ""),
        ("records", True, "get_invoice"),
        ("change", False, "get_invoice"),
        ("rules", False, "void_invoice"),
        ("unrelated", False, "search_policies"),
    ]


def test_a_request_that_is_asked_back_does_what_its_answer_completes() -> None:
    ask = Labelled(id="x.1", text="refund them something", expect="ask")
    one = Conversation("x", "tune", (ask, called("40 on INV-1042", "issue_refund", follow_up=True)))
    found = [(turn.act, turn.same, turn.done) for turn in requests_of([one])]
    assert found == [("change", False, ""), ("change", True, ASKED)]


def test_a_request_for_several_things_has_no_act() -> None:
    two = called("show INV-1042 and void INV-1043", "get_invoice", "void_invoice")
    assert [turn.act for turn in requests_of([Conversation("x", "tune", (two,))])] == [None]


def test_an_id_is_exchanged_alike_in_both_turns() -> None:
    turn = Turn("and void INV-1042", "show INV-1042", "get_invoice", "change", False, "x")
    other = False
    for seed in range(20):
        (found,) = drawn([turn], random.Random(seed))
        now, then = (ID.findall(one.upper()) for one in (found.text, found.before))
        assert now == then
        other = other or now != ["INV-1042"]
    assert other
