"""Replies whose own words are for nobody: the conversation says whom they are for."""

from models.embedded.acknowledging import acknowledges
from models.embedded.planning import Planner
from models.embedded.replying import reply, with_details
from models.embedded.scene import read_scene
from models.embedded.steps import Step
from tests.models.embedded.rooms import Prompt, turn


def test_words_of_assent_only_acknowledge() -> None:
    assert acknowledges("Yes, that sounds good to me, thank you!")
    assert not acknowledges("Yes, for four people.")
    assert not acknowledges("")


def test_a_reply_goes_where_the_question_came_from(planner: Planner) -> None:
    asked = turn("I need something for Aurora", "orders", [], "Which order shall be cancelled?")
    step = reply("", read_scene(Prompt("yes", [asked]).of("router")), planner.chooser)
    assert step is not None
    assert step.expert == "orders"


def test_nothing_is_replied_to_where_nothing_was_asked(planner: Planner) -> None:
    told = turn("where is ORD-2076?", "orders", [], "ORD-2076 is shipped.")
    assert reply("", read_scene(Prompt("fine", [told]).of("router")), planner.chooser) is None


def test_what_only_adds_to_a_request_goes_with_it(planner: Planner) -> None:
    sure = Step("cancel ORD-2076", "", "orders", "cancel_order", 0.9, 0.9)
    choice = planner.chooser.choose("they have no room for it")
    assert choice is not None
    added = Step("they have no room for it", "", "billing", None, 0.2, 0.6, choice)
    assert [one.text for one in with_details([sure, added], planner.lexicon)] == [
        "cancel ORD-2076 they have no room for it"
    ]
