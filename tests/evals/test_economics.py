"""The economics evaluation, on a short run: what it records, checks and adds up."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from configs.sections import ROLES
from configs.settings import load_settings
from evals.agents_as_tools_peer import open_agents_as_tools
from evals.economics import checkpoint_kb
from evals.economics_figures import growth, mean_cost
from evals.economics_lineage import missing_lineage, recent_turns
from evals.economics_recording import Recording, RecordingModel, SentPrompt
from evals.economics_supervisor import supervisor_calls
from evals.workload import WorkScript, work_turns, write_work_app
from graph.session import open_desk
from models.caching import RULES, CacheReport, CallCost, simulate
from state import TurnRecord

TURNS = 18


class Run:
    """A recorded run with the records it left."""

    def __init__(self, recording: Recording, records: list[TurnRecord], size_kb: float) -> None:
        self.recording = recording
        self.records = records
        self.size_kb = size_kb


async def play(folder: Path) -> Run:
    settings = load_settings(write_work_app(folder / "app"))
    script, recording = WorkScript(handover=False), Recording()
    models = {role: RecordingModel(role=role, policy=script, recording=recording) for role in ROLES}
    async with open_desk(settings, models=models) as desk:
        for index, turn in enumerate(work_turns(TURNS)):
            script.turn, recording.turn = turn, index
            reply = await desk.ask(thread="t", user="local", text=turn.question)
            assert reply.text == turn.answer
        records = await desk.show("t", "local")
    return Run(recording, records, checkpoint_kb(settings))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return asyncio.run(play(tmp_path_factory.mktemp("economics")))


def test_every_call_of_every_module_is_recorded_with_its_tools(run: Run) -> None:
    wanted = sum(turn.lookups + 3 for turn in work_turns(TURNS))
    assert len(run.recording.prompts) == wanted
    assert {prompt.module for prompt in run.recording.prompts} == {
        "router",
        "expert",
        "synthesizer",
    }
    assert len({str(prompt.tools) for prompt in run.recording.prompts}) == 1


def test_every_module_sees_the_whole_lineage(run: Run) -> None:
    assert missing_lineage(run.recording.prompts, run.records) == []
    last = run.recording.prompts[-1]
    assert 0 < recent_turns(last, run.records) < TURNS - 1


def test_a_prompt_that_hides_a_turn_is_found_out(run: Run) -> None:
    last = run.recording.prompts[-1]
    blind = replace(last, messages=[last.messages[0], *last.messages[2:]])
    missing = missing_lineage([blind], run.records)
    assert "turn 0 in synthesizer of turn 17" in missing


def test_a_line_without_the_tool_is_not_enough(run: Run) -> None:
    record = run.records[0]
    line = "#0 account asset -> -> #0.1: yes"
    prompt = SentPrompt(1, "router", [SystemMessage("x"), HumanMessage(line)], ())
    assert missing_lineage([prompt], [record])


def test_most_of_the_prompts_come_from_the_cache(run: Run) -> None:
    report = simulate(run.recording.calls(), RULES["openai"])
    assert report.hit_ratio() >= 0.8
    assert report.cost < 0.3 * report.tokens
    assert 0 < run.size_kb < 2_000


async def test_the_supervisor_is_counted_by_the_same_counter() -> None:
    calls = await supervisor_calls(work_turns(8))
    by_turn = [sum(call.tokens for call in calls if call.turn == turn) for turn in range(8)]
    assert {call.module for call in calls} == {"supervisor", "finance", "infra", "legal"}
    assert by_turn[6] > 2 * by_turn[0]


async def test_experts_as_tools_give_the_same_answers(tmp_path: Path) -> None:
    async with open_agents_as_tools(tmp_path / "peer.sqlite") as peer:
        for turn in work_turns(3):
            assert await peer.turn("t", turn) == turn.answer


def test_the_cost_of_a_turn_is_averaged_over_those_before_it() -> None:
    calls = tuple(CallCost("m", turn, 10, 0, 0, 10, float(turn)) for turn in range(30))
    report = CacheReport("openai", calls)
    assert mean_cost(report, 30) == sum(range(18, 30)) / 12
    assert mean_cost(report, 1) == 0.0


def test_growth_is_per_turn_between_the_first_and_the_last_size() -> None:
    assert growth({20: 400.0, 100: 480.0, 300: 680.0}) == 1.0
    assert growth({20: 400.0}) == 20.0
