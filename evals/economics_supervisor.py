"""The workload on langgraph-supervisor, for its prompts alone: nothing is stored."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import HumanMessage

from evals.economics_recording import Recording, RecordingModel
from evals.errors import EvaluationFailed
from evals.supervisor_peer import supervisor_graph
from evals.workload import WorkScript, WorkTurn
from models.caching import PromptCall


async def supervisor_calls(turns: Sequence[WorkTurn]) -> list[PromptCall]:
    """Every prompt of a supervisor that plays the turns, counted as the desk's are.

    Raises:
        EvaluationFailed: a turn does not end with the workload's answer.
    """
    script, recording = WorkScript(handover=True), Recording()

    def model(role: str) -> RecordingModel:
        return RecordingModel(role=role, policy=script, recording=recording)

    graph: Any = supervisor_graph(model).compile()
    messages: list[Any] = []
    for index, turn in enumerate(turns):
        script.turn, recording.turn = turn, index
        done = await graph.ainvoke({"messages": [*messages, HumanMessage(turn.question)]})
        messages = done["messages"]
        if messages[-1].text != turn.answer:
            came = str(messages[-1].text)[:60]
            raise EvaluationFailed(f"wanted the answer {turn.answer[:60]!r}, came {came!r}")
    return recording.calls()
