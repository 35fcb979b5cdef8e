"""Answers and summaries: nothing is said that was not found; streaming gives the same text."""

import json

from langchain_core.messages import AIMessageChunk

from models.embedded import build_embedded
from models.embedded.composer import EmbeddedComposer
from models.embedded.rendering import failure, render
from state import Finding, FindingStatus
from tests.models.embedded.rooms import Prompt, turn


def finding(expert: str, text: str, status: FindingStatus = "ok") -> Finding:
    return {
        "expert": expert,
        "question": "",
        "text": text,
        "calls": [],
        "status": status,
        "confidence": 0.9,
    }


def test_the_answer_is_the_findings_with_questions_last() -> None:
    findings = [finding("a", "Which one?", "ask"), finding("b", "INV-1 is paid.")]
    reply = EmbeddedComposer().invoke(Prompt("hi").of("synthesizer", findings=findings))
    assert reply.text == "INV-1 is paid.\n\nWhich one?"


async def test_the_answer_streams_word_by_word() -> None:
    findings = [finding("a", "INV-1 is paid.\n- one\n- two")]
    whole = AIMessageChunk(content="")
    pieces = []
    async for chunk in EmbeddedComposer().astream(
        Prompt("hi").of("synthesizer", findings=findings)
    ):
        pieces.append(str(chunk.text))
        whole = whole + chunk
    assert str(whole.text) == findings[0]["text"]
    assert len([piece for piece in pieces if piece]) == 7
    assert whole.response_metadata["finish_reason"] == "stop"


def test_a_summary_keeps_the_latest_turns_in_order() -> None:
    turns = [
        turn(f"question {n} " + "x" * 90, "billing", [], f"answer {n} " + "y" * 200)
        for n in range(8)
    ]
    reply = EmbeddedComposer().invoke(Prompt("", history=turns).of("summarizer"))
    lines = str(reply.text).splitlines()
    assert len(reply.text) <= 1000
    assert lines[-1].startswith("User: question 7")
    assert lines == sorted(lines)


def test_no_findings_are_said_to_be_none() -> None:
    reply = EmbeddedComposer().invoke(Prompt("hi").of("synthesizer"))
    assert reply.text == "I found nothing to answer with."


def test_lists_are_lines_and_long_ones_say_how_many_more() -> None:
    items = [{"id": f"A-{n}", "size": n} for n in range(1, 15)]
    lines = render(json.dumps({"count": 14, "items": items})).splitlines()
    assert lines[0] == "count: 14"
    assert lines[2] == "- A-1: size: 1"
    assert lines[-1] == "… and 2 more"


def test_what_is_too_long_to_show_is_said_to_be_more() -> None:
    items = [{"id": f"A-{n}", "note": "x" * 200} for n in range(1, 10)]
    lines = render(json.dumps({"count": 9, "items": items})).splitlines()
    assert lines[-2].endswith("x" * 200)
    assert lines[-1] == "… and more than fits here; ask for a part of it."


def test_money_has_its_currency_and_rates_have_none() -> None:
    shown = render('{"net": 12.5, "churn_percent": 4.17, "currency": "EUR"}')
    assert shown == "net: 12.50 EUR; churn percent: 4.17"


def test_tables_policies_and_plain_text_are_readable() -> None:
    assert render('{"columns": ["a", "b"], "rows": [[1, "x"]]}') == "a: 1; b: x"
    assert render('{"columns": ["a"], "rows": [[1], [2]]}') == "a\n1\n2"
    policy = '{"sections": [{"title": "Refunds", "heading": "When", "text": "Within 30 days."}]}'
    assert render(policy).endswith("- Refunds, When: Within 30 days.")
    assert render("just words") == "just words"
    assert len(render("word " * 1000)) < 1500


def test_failures_are_sentences() -> None:
    assert failure("get_order", "Error. timeout: 30 s") == "Get order: timeout: 30 s."
    assert failure("void_invoice", '{"error": {"message": "it is paid"}}') == (
        "Void invoice did not work: it is paid."
    )


def test_each_embedded_role_has_a_model() -> None:
    from configs.settings import load_settings  # noqa: PLC0415 - only this test reads settings

    settings = load_settings()
    models = build_embedded(settings, tuple(settings.models))
    assert set(models) == set(settings.models)
    assert models["synthesizer"] is models["summarizer"]
