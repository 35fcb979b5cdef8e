"""Rules the user states: copied word for word, and only when they are meant to last."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.constraints import merge, stated_constraints


@pytest.mark.parametrize(
    "text",
    [
        "Never refund more than 100 euros without asking me.",
        "Always answer in German.",
        "From now on, send the reports to Ana.",
        "Could you always answer briefly?",
        "When you write code, always add type hints.",
        "Refunds over 100 must be approved by me.",
        "Do not touch invoice INV-1042.",
        "No payments over 500 without approval.",
        "We should not ship on Fridays.",
        "I prefer short answers.",
        "Only use metric units.",
        "Not just this time: never mail customers at night.",
        "ok, and please never call him before noon!",
        "You must not share the margin.",
    ],
)
def test_an_order_a_wish_or_a_must_without_an_end_is_a_rule(text: str) -> None:
    assert stated_constraints(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "don't delete the script (this time)",
        "For now, don't touch it.",
        "Don't send it yet.",
        "Never mind.",
        "Don't worry about it.",
        "It always crashes when I log in.",
        "I never ordered that.",
        "I've never written any Flask routes.",
        "Why must I always log in twice?",
        "I don't know what to do.",
        "I must say this is great.",
        "You can't log in without a password.",
        "Whenever I log in it fails.",
        "Only two orders were late.",
        "There is no way over the river.",
        "Should I prefer the cheaper one?",
        "",
        "never",
    ],
)
def test_one_occasion_a_report_and_a_question_are_no_rules(text: str) -> None:
    assert stated_constraints(text) == []


def test_only_the_sentence_with_the_rule_is_copied_and_nothing_in_it_is_changed() -> None:
    text = "Thanks! Never use  tabs — I mean it. What is INV-7?\n- always add the VAT id\nBye."
    assert stated_constraints(text) == ["Never use  tabs — I mean it.", "always add the VAT id"]


def test_a_wish_inside_a_question_is_copied_without_the_question() -> None:
    text = "I'm on a small server, so I prefer minimal dependencies, how can I add a login?"
    assert stated_constraints(text) == ["I prefer minimal dependencies"]


def test_quoted_mail_and_code_state_no_rules() -> None:
    text = "They wrote:\n> Never reply to this address.\n```\n# always run as root\n```\nWhat now?"
    assert stated_constraints(text) == []


def test_a_rule_that_is_said_again_is_kept_once_and_in_its_first_place() -> None:
    known = ["Always answer in German.", "Never call Bo."]
    assert merge(known, ["never  call bo", "Use euros."]) == [*known, "Use euros."]


@given(st.text(max_size=300))
def test_whatever_is_copied_stands_in_the_text(text: str) -> None:
    assert all(rule in text for rule in stated_constraints(text))
