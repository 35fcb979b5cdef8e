"""A thread's messages as the background sees them, and the segments they fall into.

JSON-shaped, because both ride in the state of the background graph.
"""

from typing import Literal

from typing_extensions import TypedDict

Role = Literal["user", "assistant", "tool"]
SpeechAct = Literal["question", "command", "comment"]


class SourceMessage(TypedDict):
    """One message of a thread.

    `agent` holds the sorted names of the experts that served its turn, none where the desk asked
    back or answered itself. `position` grows with the thread; `at` is ISO 8601 UTC.
    """

    id: str
    turn_id: str
    role: Role
    source: str
    text: str
    at: str
    agent: list[str]
    position: int


class MessageClass(TypedDict):
    """What one message is about and does."""

    message_id: str
    turn_id: str
    position: int
    domain: str
    operation: str
    speech_act: SpeechAct


class Segment(TypedDict):
    """One topic of one conversation: neighbouring messages, in their order.

    `cause` says why it begins where it begins: start, or what spoke for a boundary, joined by "+"
    (agent, entity, depth); `score` says how clearly, from 0 to 1. Until `final`, later messages
    may still move its end. What follows `final` is filled in by the classification.
    """

    id: str
    conversation_id: str
    topic_id: str
    message_ids: list[str]
    turn_ids: list[str]
    agent: list[str]
    cause: str
    score: float
    final: bool
    domain: str
    operation: str
    speech_acts: list[str]
    entities: list[str]
    topic: str
    classes: list[MessageClass]
