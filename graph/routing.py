"""Which node comes next: pure functions of the state."""

from collections.abc import Callable
from typing import Final, Literal

from langgraph.types import Send

from memory.compaction import history_tokens
from nodes.expert_state import ExpertInput, ExpertState
from nodes.hippocampus_state import HippocampusState
from nodes.shared import shared_of
from state import State, ToolCall, derived_id

END: Final = "__end__"  # LangGraph's END, as a Literal that types can name


def after_open(state: State) -> Literal["recall", "__end__"] | list[Send]:
    """A refused message ends the run; one to a waiting thread shows the held actions again."""
    if state["status"] == "WAITING_FOR_HUMAN":
        return consult_experts(state)
    return "recall" if state["status"] == "PLANNING" else END


def after_route(state: State) -> Literal["synthesize"] | list[Send]:
    """To each chosen expert in parallel, or straight to the answer."""
    return consult_experts(state) if state["plan"]["experts"] else "synthesize"


def consult_experts(state: State) -> list[Send]:
    """One expert run for each consultation of the plan."""
    return [
        Send("expert", _expert_input(state, item["name"], item["question"]))
        for item in state["plan"]["experts"]
    ]


def _expert_input(state: State, expert: str, question: str) -> ExpertInput:
    preset: list[ToolCall] = [
        {
            "id": derived_id("call", state["turn"]["id"], n),
            "name": undo["name"],
            "args": undo["args"],
        }
        for n, undo in enumerate(state.get("undo") or [])
        if undo["expert"] == expert
    ]
    return {
        **shared_of(state),
        "expert": expert,
        "question": question,
        "confidence": state["plan"].get("confidence"),
        "preset": preset,
    }


def after_consult(
    state: ExpertState,
) -> Literal["request_approval", "execute_effects", "__end__"]:
    """A finding ends the expert's part; a held batch is decided first, if anybody has to decide."""
    if state.get("requests"):
        return "request_approval"
    return "execute_effects" if state.get("batch") else END


def after_effects(state: ExpertState) -> Literal["request_approval", "consult"]:
    """Ask again for what is still open, otherwise go on thinking."""
    return "request_approval" if state["requests"] else "consult"


def after_hippocampus(high_water_tokens: int) -> Callable[[State], Literal["compact", "__end__"]]:
    """Fold when the rendered history has passed its high-water mark."""

    def choose(state: State) -> Literal["compact", "__end__"]:
        return "compact" if history_tokens(state["history"]) > high_water_tokens else END

    return choose


def after_gather(state: HippocampusState) -> Literal["segment", "__end__"]:
    """There is nothing to do where everything is consolidated."""
    return "segment" if state["messages"] else END


def after_validate(
    max_tries: int,
) -> Callable[[HippocampusState], Literal["draft"] | list[Literal["store", "discard"]]]:
    """Draft again what was sent back, as long as there are tries; then keep and discard."""

    def choose(state: HippocampusState) -> Literal["draft"] | list[Literal["store", "discard"]]:
        verdicts = [one["verdict"] for one in state.get("verdicts", [])]
        if "feedback" in verdicts and state.get("tries", 0) < max_tries:
            return "draft"
        ends: list[Literal["store", "discard"]] = []
        if "accept" in verdicts:
            ends.append("store")
        if set(verdicts) - {"accept"}:
            ends.append("discard")
        return ends

    return choose
