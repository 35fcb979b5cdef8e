"""The background graph's state: which turns to turn into memory, and what came of them."""

from typing_extensions import TypedDict

from state import TurnRecord


class HippocampusInput(TypedDict):
    """One closed turn, or with an empty `turn_id` all turns of a thread."""

    tenant: str
    user: str
    teams: list[str]
    thread_id: str
    turn_id: str


class HippocampusState(HippocampusInput):
    """The comment names the one node that writes each key."""

    records: list[TurnRecord]  # gather
    outcome: str  # store: done or empty
    reason: str  # store
