from pathlib import Path

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from configs.settings import load_settings
from evals.workload import EXPERTS, WorkScript, look_up_infra, work_turns, write_work_app


def test_a_longer_run_starts_with_the_same_turns() -> None:
    assert work_turns(12)[:5] == work_turns(5)


def test_lengths_and_numbers_of_look_ups_are_fixed() -> None:
    turns = work_turns(6)
    sizes = {(len(t.finding), len(t.answer), *map(len, t.results)) for t in turns}
    assert sizes == {(600, 420, 2048, 2048)}
    assert [turn.lookups for turn in turns] == [1, 2, 1, 2, 1, 2]
    assert [turn.expert for turn in turns] == [*EXPERTS, *EXPERTS]


def test_a_look_up_gives_the_result_of_its_turn() -> None:
    assert look_up_infra("[turn 4] words 1") == {
        "source": "infra",
        "rows": work_turns(5)[4].results[1],
    }


def test_an_expert_looks_up_as_often_as_the_turn_says_and_then_finds() -> None:
    script = WorkScript(handover=False)
    script.turn = work_turns(2)[1]
    messages = [HumanMessage(script.turn.question)]
    said = []
    for _ in range(3):
        reply = script("expert", messages)
        said.append(reply)
        messages += [reply, ToolMessage("x", tool_call_id="1", name="look_up_infra")]  # type: ignore[list-item]  # one list of messages
    assert [len(reply.tool_calls) for reply in said] == [1, 1, 0]
    assert said[-1].text == script.turn.finding


def test_a_supervisor_hands_over_once_and_then_answers() -> None:
    script = WorkScript(handover=True)
    asked = [HumanMessage("q")]
    first = script("supervisor", asked)
    back = ToolMessage("ok", tool_call_id="1", name="transfer_to_finance")
    second = script("supervisor", [*asked, AIMessage(""), back])
    assert first.tool_calls[0]["name"] == "transfer_to_finance"
    assert second.text == script.turn.answer


def test_the_work_app_has_three_experts_and_no_memory(tmp_path: Path) -> None:
    settings = load_settings(write_work_app(tmp_path))
    assert [expert.name for expert in settings.experts] == list(EXPERTS)
    assert not settings.recall.enabled
