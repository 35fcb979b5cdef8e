"""Pause for a person. The node holds one interrupt and nothing else, since it runs again."""

from typing import Any

from langgraph.types import interrupt
from typing_extensions import TypedDict

from nodes.expert_state import ExpertState


class RequestApprovalUpdate(TypedDict):
    """What the node writes."""

    decisions: Any


async def request_approval(state: ExpertState) -> RequestApprovalUpdate:
    """Show the held actions; what comes back is checked by the next node, against the ledger."""
    return {"decisions": interrupt(state["requests"])}
