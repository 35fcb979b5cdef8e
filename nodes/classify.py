"""Say of every message what it is about and does, and of every segment what follows from that."""

import asyncio

from typing_extensions import TypedDict

from memory.classification import Classifier
from memory.segment_shapes import Segment, SourceMessage


class ClassifyInput(TypedDict):
    """What the node reads."""

    messages: list[SourceMessage]
    segments: list[Segment]


class ClassifyUpdate(TypedDict):
    """What the node writes."""

    segments: list[Segment]


async def classify(state: ClassifyInput, *, classifier: Classifier) -> ClassifyUpdate:
    """Fill in domain, operation, speech acts and topic."""
    found = await asyncio.to_thread(classifier.classify, state["segments"], state["messages"])
    return {"segments": found}
