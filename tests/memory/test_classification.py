"""Every message has a domain, an operation and a speech act."""

import pytest

from configs.segmenting import ClassificationSettings
from memory.classification import Classifier, Operation, open_classifier
from memory.segmentation import Segmenter
from models.embedding import shared_embedder
from tests.memory.talks import message, talk

BY_WORDS = open_classifier(ClassificationSettings())


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("Could you refund 120 EUR on INV-1042?", "create"),
        ("please cancel order ORD-2001", "delete"),
        ("move the appointment to Friday", "update"),
        ("What is INV-1042 about?", "read"),
        ("show me all overdue invoices", "read"),
        ("Why was it voided?", "explain"),
        ("compare March and April", "compare"),
        ("Is there anything cheaper?", "read"),
        ("Thanks a lot!", ""),
        ("Yes, please", ""),
        ("", ""),
    ],
)
def test_the_operation_is_what_the_request_says_first(text: str, operation: str) -> None:
    assert BY_WORDS.operation(text) == operation


def test_an_answer_shares_the_operation_of_what_it_answers() -> None:
    messages = talk(("billing", "Refund INV-1042"), ("billing", "Thanks"))
    (found,) = BY_WORDS.classify(Segmenter().batch(messages), messages)
    assert [one["operation"] for one in found["classes"]] == ["create"] * 4
    assert (found["domain"], found["operation"]) == ("billing", "create")


def test_each_message_has_its_speech_act() -> None:
    messages = [
        message(0, "Where is ORD-2001?"),
        message(1, "Cancel it."),
        message(2, "That is too late for me."),
    ]
    (found,) = BY_WORDS.classify(Segmenter().batch(messages), messages)
    assert found["speech_acts"] == ["question", "command", "comment"]


def test_a_message_without_an_agent_has_the_domain_of_its_segment() -> None:
    messages = talk(("", "Hello"), ("billing", "What is INV-1042?"))
    (found,) = BY_WORDS.classify(Segmenter().batch(messages), messages)
    assert {one["domain"] for one in found["classes"]} == {"billing"}


def test_operations_are_the_ones_that_are_configured() -> None:
    own = Classifier({"escalate": Operation(frozenset({"escalate"}))})
    assert own.operation("Escalate this case") == "escalate"
    assert own.operation("Cancel this case") == "read"


def test_only_the_beginning_of_a_huge_message_is_read() -> None:
    assert BY_WORDS.operation("show " + "x" * 5_000_000) == "read"


def test_a_request_without_a_known_word_goes_by_the_nearest_example() -> None:
    found = open_classifier(ClassificationSettings(), shared_embedder().encode)
    assert found.operation("Give them their money back") == "create"
    assert found.operation("get rid of that bill") == "delete"
    assert found.operation("Give me the address") == "read"
