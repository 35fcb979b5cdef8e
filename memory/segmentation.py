"""A thread's messages as segments: conversations by agent change, topics inside them.

Every message is in exactly one segment, in its order. What is decided at a message looks at few
messages after it, so a stream knows its segments shortly after they end, and at its close they are
those of the whole thread at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memory.segment_shapes import Segment, SourceMessage
from state import derived_id

VERSION: Final = "1"
START: Final = "start"
AGENT: Final = "agent"


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where a segment begins, why, and how clearly (0 to 1)."""

    at: int
    cause: str
    score: float
    conversation: bool


class Segmenter:
    """Cuts threads; the same messages always give the same segments."""

    def batch(self, messages: Sequence[SourceMessage]) -> list[Segment]:
        """The segments of messages that are all there is, each final.

        Args:
            messages: one thread's, in order.
        """
        return build_segments(messages, _agent_boundaries(messages))


def build_segments(
    messages: Sequence[SourceMessage], boundaries: Sequence[Boundary]
) -> list[Segment]:
    """Segments between boundaries; the first one stands at the first message."""
    ends = [one.at for one in boundaries[1:]] + [len(messages)]
    found: list[Segment] = []
    conversation = ""
    for boundary, end in zip(boundaries, ends, strict=True):
        members = messages[boundary.at : end]
        first = members[0]["id"]
        if boundary.conversation:
            conversation = derived_id("conversation", VERSION, first)
        found.append(_segment(boundary, members, conversation))
    return found


def _segment(boundary: Boundary, members: Sequence[SourceMessage], conversation: str) -> Segment:
    own = derived_id("segment", VERSION, members[0]["id"])
    return {
        "id": own,
        "conversation_id": conversation,
        "topic_id": own,
        "message_ids": [one["id"] for one in members],
        "turn_ids": list(dict.fromkeys(one["turn_id"] for one in members)),
        "agent": next((one["agent"] for one in members if one["agent"]), []),
        "cause": boundary.cause,
        "score": round(boundary.score, 3),
        "final": True,
        "domain": "",
        "operation": "",
        "speech_acts": [],
        "entities": [],
        "topic": "",
        "classes": [
            {
                "message_id": one["id"],
                "turn_id": one["turn_id"],
                "position": one["position"],
                "domain": "",
                "operation": "",
                "speech_act": "comment",
            }
            for one in members
        ],
    }


def _agent_boundaries(messages: Sequence[SourceMessage]) -> list[Boundary]:
    found: list[Boundary] = []
    current: list[str] = []
    for at, message in enumerate(messages):
        agent = message["agent"]
        if at == 0:
            found.append(Boundary(0, START, 1.0, conversation=True))
        elif agent and current and agent != current:
            found.append(Boundary(at, AGENT, 1.0, conversation=True))
        current = agent or current
    return found
