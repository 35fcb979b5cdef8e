"""What a sentence does, and what of it is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.speech import SpeechAct, core, speech_act


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Where is ORD-2001?", "question"),
        ("and the other one?", "question"),
        ("Is there anything cheaper", "question"),
        ("Cancel it.", "command"),
        ("Hello, could you please refund INV-1042?", "command"),
        ("I'd like to see the overdue invoices", "command"),
        ("That is too late for me.", "comment"),
        ("ORD-2086 is not needed", "comment"),
        ("Never call me before ten", "comment"),
        ("", "comment"),
    ],
)
def test_each_sentence_is_a_question_a_command_or_a_comment(text: str, act: SpeechAct) -> None:
    assert speech_act(text) == act


def test_what_is_asked_for_comes_first() -> None:
    assert core("Hi, thanks. Could you please cancel ORD-2001?") == "cancel ORD-2001?"


@given(st.text(max_size=200))
def test_no_text_has_no_core_but_the_empty_one(text: str) -> None:
    assert bool(core(text)) == bool(text.strip())
