"""The window as a budget: exact counts, shares that flow, reductions that say what they took."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from pydantic import ValidationError

from configs.sections import SHARES, BudgetSettings, Component
from memory.budget import COMPONENTS, allocate, fit, preflight
from memory.working import block
from models.errors import ContextOverflow
from models.tokens import PRIMING_TOKENS, count_messages, count_tools

SETTINGS = BudgetSettings()
TOOLS = [{"type": "function", "function": {"name": "get_invoice", "parameters": {}}}]


def prompt(*, turns: int = 3, memory: str = "", result: str = "") -> list[AnyMessage]:
    """A small prompt of every block kind."""
    messages: list[AnyMessage] = [SystemMessage("Charter.", additional_kwargs=block("charter"))]
    for n in range(turns):
        text = f"[turn {n}]\nuser: question {n}\n" + "answer: word " * 40
        messages.append(HumanMessage(text, additional_kwargs=block("history")))
    if memory:
        messages.append(HumanMessage(memory, additional_kwargs=block("memory")))
    messages.append(HumanMessage("user: What now?", additional_kwargs=block("question")))
    messages.append(HumanMessage("You are an expert.", additional_kwargs=block("brief")))
    if result:
        call = {"id": "c1", "name": "get_invoice", "args": {}}
        messages.append(AIMessage("", tool_calls=[call]))
        messages.append(ToolMessage(result, tool_call_id="c1", artifact="art_1"))
    return messages


def test_the_breakdown_counts_every_block_and_the_reply() -> None:
    messages = prompt(memory="- remembered\n- more", result="rows " * 30)
    found = preflight(messages, TOOLS, window=10_000, reply=100)
    exact = count_messages(messages) + count_tools(TOOLS) + PRIMING_TOKENS + 100
    assert found.total == exact
    assert found.by_component["reply"] == 100
    assert {part.kind for part in found.parts} == {
        "tools", "charter", "history", "memory", "question", "brief", "scratchpad",
    }  # fmt: skip


@given(
    window=st.integers(100, 200_000),
    needs=st.fixed_dictionaries({name: st.integers(0, 100_000) for name in COMPONENTS}),
)
def test_allocations_never_exceed_window_or_need(window: int, needs: dict[Component, int]) -> None:
    given_tokens = allocate(window, needs, SETTINGS)
    assert sum(given_tokens.values()) <= window
    assert all(given_tokens[name] <= needs[name] for name in COMPONENTS)
    if sum(needs.values()) <= window:
        assert given_tokens == needs


def test_an_unused_share_flows_to_who_needs_more() -> None:
    needs: dict[Component, int] = dict.fromkeys(COMPONENTS, 0)
    needs["history"] = 900
    assert allocate(1_000, needs, SETTINGS)["history"] == 900


def test_a_prompt_that_fits_is_sent_as_it_is() -> None:
    messages = prompt()
    fitted = fit(messages, TOOLS, SETTINGS, window=10_000, reply=100)
    assert fitted.messages == messages
    assert fitted.reductions == []


def test_tool_results_shrink_first_and_say_how_to_get_the_rest() -> None:
    messages = prompt(memory="- remembered\n- more", result="row value " * 2_000)
    fitted = fit(messages, TOOLS, SETTINGS, window=1_500, reply=100)
    assert fitted.breakdown.total <= 1_500
    assert [name.split(":")[0] for name in fitted.reductions] == ["shrink_results"]
    assert 'recall_artifact(id="art_1")' in fitted.messages[-1].text
    assert fitted.messages[:-1] == messages[:-1]


def test_the_oldest_turns_give_way_before_the_newest() -> None:
    messages = prompt(turns=20)
    need = preflight(messages, TOOLS, window=1, reply=100).total
    fitted = fit(messages, TOOLS, SETTINGS, window=need - 200, reply=100)
    assert fitted.breakdown.total <= need - 200
    assert "shortened" in fitted.messages[1].text
    assert fitted.messages[20] == messages[20]


@given(window=st.integers(150, 4_000), turns=st.integers(0, 12), size=st.integers(0, 3_000))
def test_whatever_happens_the_charter_question_and_brief_stay_or_the_error_names_a_block(
    window: int, turns: int, size: int
) -> None:
    messages = prompt(turns=turns, memory="- line\n" * 30, result="x y " * size)
    try:
        fitted = fit(messages, TOOLS, SETTINGS, window=window, reply=50)
    except ContextOverflow as error:
        assert "biggest block" in str(error)
        return
    assert fitted.breakdown.total <= window
    kept = [message.text for message in fitted.messages]
    assert {"Charter.", "user: What now?", "You are an expert."} <= set(kept)


def test_a_context_smaller_than_the_charter_is_a_clear_error() -> None:
    charter = SystemMessage("word " * 500, additional_kwargs=block("charter"))
    with pytest.raises(ContextOverflow, match=r"charter.*charter\.md"):
        fit([charter], [], SETTINGS, window=200, reply=50)


def test_shares_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValidationError, match="at most 1 in sum"):
        BudgetSettings(shares={**SHARES, "history": 0.9})
