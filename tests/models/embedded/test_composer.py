"""Answers and summaries: nothing is said that was not found; streaming gives the same text."""

from langchain_core.messages import AIMessageChunk

from configs.settings import load_settings
from models.embedded import build_embedded
from models.embedded.composer import EmbeddedComposer
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


def test_each_embedded_role_has_a_model() -> None:
    settings = load_settings()
    models = build_embedded(settings, tuple(settings.models))
    assert set(models) == set(settings.models)
    assert models["synthesizer"] is models["summarizer"]
