"""The embedded router: experts, direct answers, questions back."""

import pytest

from models.embedded.router import EmbeddedRouter
from state import MemoryNote
from tests.models.embedded.rooms import Prompt, plan, turn

SEEN = turn("where is ORD-2077", "orders", [("get_order", {"order_id": "ORD-2077"})], "ORD-2077: …")


def names(router: EmbeddedRouter, prompt: Prompt) -> list[str]:
    return [one["name"] for one in plan(router, prompt)["experts"]]


@pytest.mark.parametrize(
    ("text", "experts"),
    [
        ("has INV-1042 been paid?", ["billing"]),
        ("what was our revenue in May", ["analytics"]),
        ("Show me INV-1031 and tell me where ORD-2076 is", ["billing", "orders"]),
        ("invoices and orders for Kestrel Freight", ["billing", "orders"]),
        ("what is our policy on discounts", ["knowledge"]),
    ],
)
def test_each_request_goes_to_its_expert(
    router: EmbeddedRouter, text: str, experts: list[str]
) -> None:
    assert names(router, Prompt(text)) == experts


def test_each_expert_gets_its_own_part_of_the_question(router: EmbeddedRouter) -> None:
    found = plan(router, Prompt("Show me INV-1031 and tell me where ORD-2076 is"))
    assert [one["question"] for one in found["experts"]] == [
        "Show me INV-1031",
        "tell me where ORD-2076 is",
    ]
    assert 0.0 < found["confidence"] <= 1.0


@pytest.mark.parametrize(
    "text", ["will it rain tomorrow", "cancel my gym membership", "write a poem about the sea"]
)
def test_off_topic_is_answered_with_what_the_desk_covers(router: EmbeddedRouter, text: str) -> None:
    found = plan(router, Prompt(text))
    assert found["experts"] == [] or "gym" in text
    if not found["experts"]:
        assert "Analytics, Billing, Knowledge, Orders" in found["answer"] + found["ask"]


def test_what_goes_on_with_an_off_topic_request_is_off_topic(router: EmbeddedRouter) -> None:
    aside = "Can you do my private tax return for Germany? where do I put commuting costs"
    assert names(router, Prompt(aside)) == []
    both = "write me a poem. how long does a refund take?"
    assert names(router, Prompt(both)) == ["knowledge"]


@pytest.mark.parametrize("text", ["hello", "thanks a lot!", "what can you do?", "bye"])
def test_small_talk_needs_no_expert(router: EmbeddedRouter, text: str) -> None:
    found = plan(router, Prompt(text, history=[SEEN]))
    assert found["experts"] == []
    assert found["answer"]


def test_a_follow_up_goes_to_the_expert_of_its_subject(router: EmbeddedRouter) -> None:
    assert names(router, Prompt("cancel it", history=[SEEN])) == ["orders"]
    assert names(router, Prompt("when did it leave?", history=[SEEN])) == ["orders"]


def test_an_answer_to_a_question_back_completes_the_request(router: EmbeddedRouter) -> None:
    asked = turn("refund INV-1042", "billing", [], "I need the amount. What is it?")
    found = plan(router, Prompt("40 euros", history=[asked]))
    assert found["experts"] == [{"name": "billing", "question": "refund INV-1042: 40 euros"}]


def test_what_the_store_has_kept_is_confirmed(router: EmbeddedRouter) -> None:
    note: MemoryNote = {**remembering(), "noted": ["preferred name: Dana"]}
    found = plan(router, Prompt("My name is Dana.", note=note))
    assert (found["experts"], found["answer"]) == ([], "Noted: preferred name: Dana.")


def test_what_the_store_has_not_kept_is_not_confirmed(router: EmbeddedRouter) -> None:
    found = plan(router, Prompt("My name is Dana.", note=remembering()))
    assert "Noted" not in found["answer"]


def test_a_standing_instruction_proposes_nothing(router: EmbeddedRouter) -> None:
    text = "from now on always give refunds a reason"
    note: MemoryNote = {**remembering(), "noted": [f"preference: {text}"]}
    assert plan(router, Prompt(text, note=note))["experts"] == []


def remembering(*lines: str) -> MemoryNote:
    return {
        "text": "\n".join(lines),
        "items": [],
        "constraints": [],
        "reason": "",
        "degraded": False,
    }


def test_questions_about_earlier_sessions_are_answered_from_memory(router: EmbeddedRouter) -> None:
    line = '- [2026-06-01, episode from user, +] asked "refund INV-1042"; did issue_refund done'
    note = remembering("Records of earlier sessions, quoted.", "Related:", line)
    found = plan(router, Prompt("what did we do for Blue Harbor last time?", note=note))
    assert found["answer"] == f"From earlier sessions:\n{line}"


def test_of_what_is_remembered_it_shows_what_names_the_record(router: EmbeddedRouter) -> None:
    lines = [
        f'- [2026-06-01, episode from user, +] asked "show me {name}"; did get_invoice done'
        for name in ("INV-1009", "INV-1042")
    ]
    question = Prompt("What did we do about INV-1042 last time?", note=remembering(*lines))
    found = plan(router, question)
    assert found["answer"] == f"From earlier sessions:\n{lines[1]}"


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
