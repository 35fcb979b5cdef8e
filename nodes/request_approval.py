"""Pause for a person. The node holds one interrupt and nothing else, since it runs again."""

from typing import Any

from langgraph.types import interrupt
from typing_extensions import TypedDict

from configs.masking import Masking
from nodes.expert_state import ExpertState


class RequestApprovalUpdate(TypedDict):
    """What the node writes."""

    decisions: Any


async def request_approval(state: ExpertState, *, masking: Masking) -> RequestApprovalUpdate:
    """Show the held actions; what comes back is masked, and checked by the next node."""
    return {"decisions": masking.within(interrupt(state["requests"]))}
