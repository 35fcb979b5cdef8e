"""The expert subgraph's state: one expert's part of one turn, skeleton only."""

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from typing_extensions import TypedDict

from memory.working import Shared
from state import CallRecord, Finding, FindingStatus, Status, ToolCall, merge_findings, merge_notes
from tools.approvals import HITLRequest
from tools.executor import Executor
from tools.spec import CallSite


class HeldCall(TypedDict):
    """A call held until its batch is decided.

    `ordinal` is its place among the expert's calls, `fault` why it may not run.
    """

    ordinal: int
    call: ToolCall
    fault: NotRequired[str]


class ExpertInput(Shared):
    """What the router's Send carries."""

    expert: str
    question: str
    confidence: float | None
    preset: list[ToolCall]


class ExpertState(ExpertInput):
    """The comment names the one node that writes each key."""

    rounds: list[list[CallRecord]]  # consult and execute_effects append, one list per model turn
    next_ordinal: int  # consult: the ordinal of the next call
    batch: list[HeldCall]  # consult: the calls held until they are decided
    requests: HITLRequest | None  # consult, execute_effects: what a person is asked
    decisions: Any  # request_approval: what a person answered, unchecked
    status: Status  # consult, execute_effects
    findings: Annotated[list[Finding], merge_findings]  # consult
    notes: Annotated[list[str], merge_notes]  # consult


class ExpertOutput(TypedDict):
    """What the main graph gets back."""

    findings: Annotated[list[Finding], merge_findings]
    notes: Annotated[list[str], merge_notes]


class ConsultUpdate(TypedDict, total=False):
    """What `consult` and `execute_effects` write."""

    rounds: list[list[CallRecord]]
    next_ordinal: int
    batch: list[HeldCall]
    requests: HITLRequest | None
    decisions: Any
    status: Status
    findings: list[Finding]
    notes: list[str]


def made_calls(rounds: Sequence[Sequence[CallRecord]]) -> list[CallRecord]:
    """All calls so far, in order."""
    return [record for records in rounds for record in records]


def finding_of(
    state: ExpertState,
    rounds: Sequence[Sequence[CallRecord]],
    text: str,
    status: FindingStatus,
    confidence: float | None = None,
) -> ConsultUpdate:
    """End the expert's part with what it found."""
    finding: Finding = {
        "expert": state["expert"],
        "question": state["question"],
        "text": text,
        "calls": made_calls(rounds),
        "status": status,
        "confidence": confidence,
    }
    return {
        "rounds": [list(records) for records in rounds],
        "findings": [finding],
        "status": "EXECUTING",
    }


async def scratchpad(
    rounds: Sequence[Sequence[CallRecord]], executor: Executor, site: CallSite
) -> list[AnyMessage]:
    """The expert's private messages, rebuilt from the skeleton and the artifact log."""
    messages: list[AnyMessage] = []
    for records in rounds:
        calls = [{"id": r["id"], "name": r["name"], "args": r["args"]} for r in records]
        messages.append(AIMessage("", tool_calls=calls))
        for record in records:
            text = await executor.observation(record, site)
            messages.append(
                ToolMessage(
                    text,
                    tool_call_id=record["id"],
                    name=record["name"],
                    artifact=record["artifact"],
                    status="success" if record["status"] == "ok" else "error",
                )
            )
    return messages
