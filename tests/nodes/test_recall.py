"""When a question is asked a second time, as the open topic's."""

from nodes.recall import open_topic
from tests.memory.samples import turn

HISTORY = [turn(1, "Which invoices of Northwind are overdue?"), turn(2, "thanks")]


def test_a_follow_up_goes_on_about_the_last_question_that_says_more() -> None:
    assert (
        open_topic("and the one from May?", HISTORY) == "Which invoices of Northwind are overdue?"
    )


def test_a_question_that_says_enough_needs_no_topic() -> None:
    assert open_topic("Where was order 5531 shipped to?", HISTORY) == ""


def test_nothing_said_before_is_no_topic() -> None:
    assert open_topic("and that one?", []) == ""
