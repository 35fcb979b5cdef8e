"""What passes through the background graph after segmentation: drafts and verdicts.

JSON-shaped, as all state is. Ids are derived from what they stand for, so that the same
conversation consolidated twice is consolidated once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from typing_extensions import TypedDict

from memory.segment_shapes import Segment
from state import Scope, TurnRecord, derived_id

EXTRACTOR_VERSION: Final = 1
"""Part of an episode's id: another extractor's episodes are other ones."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a background call is about, and is counted for.

    Attributes:
        thread: LangGraph's key.
        turn: The index of a turn in it; of a segment, the last one.
    """

    thread: str
    turn: int


class Draft(TypedDict):
    """An episode to be: its text for the index, its payload, and what it cites."""

    id: str
    segment_id: str
    turn_id: str
    position: int
    domain: str
    operation: str
    result: Literal["positive", "negative", "mixed", "none"]
    text: str
    at: str
    artifacts: list[str]
    episode: dict[str, Any]


class Drafted(TypedDict):
    """What came of drafting a segment.

    `nothing` says why there is no draft; `fault` what was wrong with the extractor's reply, so that
    it is asked again; `failed` why it could not be asked, so that the job is tried again; `waits`
    why it cannot be asked now, so that the job is tried until it can.
    """

    segment_id: str
    drafts: list[Draft]
    nothing: str
    fault: str
    failed: str
    waits: str


class Verdict(TypedDict):
    """What validation says of a segment; the accepted drafts, and the reason for the rest."""

    segment_id: str
    verdict: Literal["accept", "discard", "feedback", "failed", "waits"]
    drafts: list[Draft]
    reason: str


def drafted(
    segment: Segment,
    drafts: Sequence[Draft] = (),
    *,
    nothing: str = "",
    fault: str = "",
    failed: str = "",
    waits: str = "",
) -> Drafted:
    """What came of drafting a segment."""
    return Drafted(
        segment_id=segment["id"],
        drafts=list(drafts),
        nothing=nothing,
        fault=fault,
        failed=failed,
        waits=waits,
    )


def last_of(thread: str, turns: Iterable[TurnRecord]) -> Occasion:
    """The last of a thread's turns, as what is counted for all of them."""
    return Occasion(thread, max((turn["index"] for turn in turns), default=0))


def episode_id(scope: Scope, thread: str, message_ids: Sequence[str], part: str) -> str:
    """The id of an episode made from messages; `part` tells several of one segment apart."""
    whole = "|".join(message_ids)
    return derived_id("epi", scope.tenant, thread, whole, part, EXTRACTOR_VERSION)


def settled(verdicts: Iterable[Verdict], kind: str) -> list[Verdict]:
    """The verdicts of a kind."""
    return [verdict for verdict in verdicts if verdict["verdict"] == kind]
