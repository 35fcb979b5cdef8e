"""The background cuts what was gathered and says of every message what it does."""

from configs.segmenting import ClassificationSettings
from memory.classification import open_classifier
from memory.segmentation import Segmenter
from nodes.classify import classify
from nodes.segment import segment
from tests.memory.talks import talk

MESSAGES = talk(
    ("billing", "What is INV-1042 about?"),
    ("billing", "Refund 120 EUR on it please"),
    ("orders", "Where is ORD-2001?"),
    ("orders", "When does it arrive?"),
)


async def test_every_gathered_message_gets_a_segment_and_a_class() -> None:
    cut = await segment({"messages": MESSAGES}, segmenter=Segmenter())
    classified = await classify(
        {"messages": MESSAGES, **cut}, classifier=open_classifier(ClassificationSettings())
    )
    first, second = classified["segments"]
    assert (first["domain"], first["operation"]) == ("billing", "read")
    assert (second["domain"], second["operation"]) == ("orders", "read")
    assert [one["operation"] for one in first["classes"]] == ["read", "read", "create", "create"]
    assert len(first["speech_acts"]) == len(first["message_ids"])


async def test_nothing_gathered_is_nothing_to_cut() -> None:
    assert await segment({"messages": []}, segmenter=Segmenter()) == {"segments": []}
