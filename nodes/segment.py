"""Cut the gathered messages into segments: conversations, and topics inside them."""

import asyncio

from typing_extensions import TypedDict

from memory.segment_shapes import Segment, SourceMessage
from memory.segmentation import Segmenter


class SegmentInput(TypedDict):
    """What the node reads."""

    messages: list[SourceMessage]


class SegmentUpdate(TypedDict):
    """What the node writes."""

    segments: list[Segment]


async def segment(state: SegmentInput, *, segmenter: Segmenter) -> SegmentUpdate:
    """Every gathered message into exactly one segment."""
    return {"segments": await asyncio.to_thread(segmenter.batch, state["messages"])}
