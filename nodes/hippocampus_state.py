"""The background graphs' state: which turns to turn into memory, and what came of them."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from memory.consolidation import Drafted, Verdict
from memory.segment_shapes import Segment, SourceMessage
from state import Scope, TurnRecord

__all__ = ["HippocampusInput", "HippocampusState", "RefinementState", "Segment", "SourceMessage"]

ORDER = ("waits", "failed", "done", "empty", "")


def worst(left: str, right: str) -> str:
    """The outcome of both: what waits or failed is retried, and something done is not nothing."""
    return min((left, right), key=ORDER.index)


def joined(left: str, right: str) -> str:
    """Both reasons."""
    return "; ".join(reason for reason in (left, right) if reason)


class HippocampusInput(TypedDict):
    """A thread, up to a message: an empty `upto_message_id` takes all of it.

    `turn_id` names the one turn of a refinement or a summary; consolidation does not read it.
    """

    tenant: str
    user: str
    teams: list[str]
    thread_id: str
    turn_id: NotRequired[str]
    upto_message_id: NotRequired[str]


class RefinementState(HippocampusInput):
    """One closed turn's index item and facts. The comment names who writes each key."""

    records: list[TurnRecord]  # gather_turn
    outcome: str  # refine, summarize
    reason: str  # refine, summarize


class HippocampusState(HippocampusInput):
    """Consolidation. The comment names the one node that writes each key."""

    messages: list[SourceMessage]  # gather
    records: list[TurnRecord]  # gather
    segments: list[Segment]  # segment, then classify
    drafted: NotRequired[list[Drafted]]  # draft
    tries: NotRequired[int]  # draft
    verdicts: NotRequired[list[Verdict]]  # validate
    outcome: Annotated[str, worst]  # gather (nothing to do), store, discard
    reason: Annotated[str, joined]  # gather, store, discard


def scope_of(state: HippocampusInput) -> Scope:
    """Whose conversation it is."""
    return Scope(tenant=state["tenant"], user=state["user"], teams=tuple(state["teams"]))
