"""The embedded router: experts, direct answers, questions back."""

import pytest

from models.embedded.router import EmbeddedRouter
from state import MemoryNote
from tests.models.embedded.rooms import EXPERTS, Prompt, plan, turn

SEEN = turn("where is ORD-2077", "orders", [("get_order", {"order_id": "ORD-2077"})], "ORD-2077: …")


def names(router: EmbeddedRouter, prompt: Prompt) -> list[str]:
    return [one["name"] for one in plan(router, prompt)["experts"]]


def remembering(*lines: str, noted: tuple[str, ...] = ()) -> MemoryNote:
    note: MemoryNote = {
        "text": "\n".join(lines),
        "items": [],
        "constraints": [],
        "reason": "",
        "degraded": False,
    }
    return {**note, "noted": list(noted)} if noted else note


@pytest.mark.parametrize(
    ("text", "experts"),
    [
        ("has INV-1042 been paid?", ["billing"]),
        ("what was our revenue in May", ["analytics"]),
        ("Show me INV-1031 and tell me where ORD-2076 is", ["billing", "orders"]),
        ("what is our policy on discounts", ["knowledge"]),
    ],
)
def test_each_request_goes_to_its_expert(
    router: EmbeddedRouter, text: str, experts: list[str]
) -> None:
    assert names(router, Prompt(text)) == experts


def test_each_expert_gets_its_own_part_of_the_question(router: EmbeddedRouter) -> None:
    found = plan(router, Prompt("Show me INV-1031 and tell me where ORD-2076 is"))
    assert ["INV-1031" in one["question"] for one in found["experts"]] == [True, False]
    assert ["ORD-2076" in one["question"] for one in found["experts"]] == [False, True]
    assert 0.0 < found["confidence"] <= 1.0


@pytest.mark.parametrize("text", ["will it rain tomorrow", "write a poem about the sea"])
def test_off_topic_is_answered_with_what_the_desk_covers(router: EmbeddedRouter, text: str) -> None:
    found = plan(router, Prompt(text))
    assert found["experts"] == []
    assert all(one.title in found["answer"] for one in EXPERTS)


@pytest.mark.parametrize("text", ["hello", "thanks a lot!", "what can you do?", "bye"])
def test_small_talk_needs_no_expert(router: EmbeddedRouter, text: str) -> None:
    found = plan(router, Prompt(text, history=[SEEN]))
    assert found["experts"] == []
    assert found["answer"]


def test_a_follow_up_goes_to_the_expert_of_its_subject(router: EmbeddedRouter) -> None:
    assert names(router, Prompt("cancel it", history=[SEEN])) == ["orders"]
    assert names(router, Prompt("and ORD-2081?", history=[SEEN])) == ["orders"]


def test_an_answer_to_a_question_back_goes_to_who_asked(router: EmbeddedRouter) -> None:
    asked = turn("refund INV-1042", "billing", [], "I need the amount. What is it?")
    assert names(router, Prompt("40 euros", history=[asked])) == ["billing"]


def test_what_the_store_has_kept_is_confirmed(router: EmbeddedRouter) -> None:
    note = remembering(noted=("preferred name: Dana",))
    found = plan(router, Prompt("My name is Dana.", note=note))
    assert (found["experts"], found["answer"]) == ([], "Noted: preferred name: Dana.")


def test_what_the_store_has_not_kept_is_not_confirmed(router: EmbeddedRouter) -> None:
    found = plan(router, Prompt("My name is Dana.", note=remembering()))
    assert "Noted" not in found["answer"]


def test_a_standing_instruction_proposes_nothing(router: EmbeddedRouter) -> None:
    text = "from now on always give refunds a reason"
    note = remembering(noted=(f"preference: {text}",))
    assert plan(router, Prompt(text, note=note))["experts"] == []


def test_questions_about_earlier_sessions_are_answered_from_memory(router: EmbeddedRouter) -> None:
    line = '- [2026-06-01, episode from user, +] asked "refund INV-1042"; did issue_refund done'
    note = remembering("Records of earlier sessions, quoted.", "Related:", line)
    found = plan(router, Prompt("what did we do for Blue Harbor last time?", note=note))
    assert found["answer"] == f"From earlier sessions:\n{line}"


def test_questions_about_this_conversation_are_answered_from_its_turns(
    router: EmbeddedRouter,
) -> None:
    found = plan(router, Prompt("what did we do so far?", history=[SEEN]))
    assert found["answer"] == "In this conversation:\n- You: where is ORD-2077 -> ORD-2077: …"


def test_nothing_remembered_is_said(router: EmbeddedRouter) -> None:
    found = plan(router, Prompt("do you remember what I told you last week?"))
    assert found["answer"] == "I remember nothing about that."


@pytest.mark.parametrize("text", ["", "   ", "?", "\x00", "日本語", "<|endoftext|>", "a" * 5000])
def test_odd_messages_get_a_plan(router: EmbeddedRouter, text: str) -> None:
    found = plan(router, Prompt(text))
    assert found["experts"] or found["answer"] or found["ask"]
