"""What the background asks models: who reads facts, what it costs, and within what budget."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from evals.openai_server import Call, Reply, openai_server
from graph.cli_budget import budget_of
from graph.session import Desk, open_desk
from memory.call_log import LoggedCall
from memory.cost_report import cost_report
from models.errors import ConnectionFailed
from nodes.extraction import SUBMIT_EPISODES, SUBMIT_VERDICT
from nodes.fact_extraction import SUBMIT_FACTS
from state import Scope
from tests.fakes.scripted import Answer, ScriptedModel
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call
from tests.graph.workshop import workshop
from tests.memory.hashing import HashingEmbedder
from tests.tools.parts import SetClock

ME = Scope(user="local", teams=("support", "finance"))
REAL = {"provider": "openai", "model": "any", "base_url": "http://127.0.0.1:9/v1"}
MODELS = {"default": {"provider": "embedded"}, "extractor": REAL, "judge": REAL}
KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123"
NAME = "Call me Zaphod, and do not tell " + KEY
PRESS = "press the red button"
STATED = {"message": 1, "slot": "preferred_name", "value": "Zaphod", "quote": "Call me Zaphod"}
DAY_S = 86_400.0
BY_MODEL = {"facts": "model", "drain_s": 60.0}


@pytest.fixture(autouse=True)
def _fast_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.services.shared_embedder", lambda _: HashingEmbedder())


class Asked:
    """A play with an extractor and a judge; `down` is what the extractor answers instead."""

    def __init__(self) -> None:
        self.play = Play({PRESS: Turn(["hands"], {"hands": [[call("press_button", item="red")]]})})
        self.down: Exception | None = None
        for role in ("extractor", "judge"):
            self.play.models[role] = ScriptedModel(role=role, script=self._say)

    def _say(self, _: str, messages: list[BaseMessage], tools: list[Mapping[str, Any]]) -> Answer:
        (name,) = (tool["function"]["name"] for tool in tools)
        if name == SUBMIT_VERDICT:
            return AIMessage("", tool_calls=[call(name, verdict="accept")])
        if self.down is not None:
            return self.down
        if name == SUBMIT_FACTS:
            stated = [STATED] if "Zaphod" in str(messages[-1].text) else []
            return AIMessage("", tool_calls=[call(name, facts=stated)])
        return "prose"

    def tools(self, role: str = "extractor") -> list[str]:
        """What the role was asked for, in order."""
        prompts = self.play.models[role].prompts
        return [tool["function"]["name"] for prompt in prompts for tool in prompt.tools]


async def say(desk: Desk, text: str) -> None:
    reply = await desk.ask(thread="t", user="local", text=text)
    if reply.pending:
        await desk.decide("t", [{"id": reply.pending[0].id, "type": "approve"}], user="local")


async def values(desk: Desk) -> list[str]:
    return [fact.value for fact in await desk.services.facts.current(ME)]


async def states(desk: Desk) -> dict[str, tuple[str, str]]:
    return {job.kind: (job.state, job.note) for job in await desk.jobs(user="local")}


async def kept(desk: Desk, *modules: str) -> list[LoggedCall]:
    calls = await desk.services.calls.calls("default:t")
    return [one for one in calls if one.module in modules]


async def test_the_model_reads_the_facts_and_its_call_is_kept_with_its_turn(
    open_workshop: OpenDesk,
) -> None:
    asked = Asked()
    async with open_workshop(asked.play, models=MODELS, hippocampus=BY_MODEL) as desk:
        for text in ("hello", NAME):
            await say(desk, text)
        assert await desk.services.background.drain(10)
        assert await values(desk) == ["Zaphod"]
        assert [(one.turn, one.model) for one in await kept(desk, "facts")] == [
            (0, "any"),
            (1, "any"),
        ]
        shown = budget_of((await kept(desk, "facts"))[1])
        assert min(shown.system, shown.tools, shown.history) > 0
        report = await cost_report(desk.services.database, ME)
        (row,) = (row for row in report["module"] if row.name == "facts")
        assert (row.calls, row.input_tokens > 1_000) == (2, True)
    assert KEY not in "".join(prompt.text for prompt in asked.play.models["extractor"].prompts)


async def test_extractor_and_judge_are_kept_with_the_last_turn_of_their_segment(
    open_workshop: OpenDesk,
) -> None:
    asked = Asked()
    async with open_workshop(asked.play, models=MODELS, hippocampus=BY_MODEL) as desk:
        for text in (PRESS, PRESS):
            await say(desk, text)
        await desk.consolidate("t", user="local")
        segments = await desk.services.segments.of_thread("default:t")
        assert len(segments) == 1
        calls = await kept(desk, "extractor", "judge")
        assert {(one.module, one.turn) for one in calls} == {("extractor", 1), ("judge", 1)}
    assert SUBMIT_EPISODES in asked.tools()


@pytest.mark.parametrize(
    ("facts", "models", "by_model"),
    [
        ("embedded", MODELS, False),
        ("model", MODELS, True),
        ("auto", {}, False),
        ("auto", MODELS, False),
    ],
)
async def test_a_setting_says_who_reads_facts(
    open_workshop: OpenDesk, facts: str, models: dict[str, Any], by_model: bool
) -> None:
    asked, chosen = Asked(), {"drain_s": 60.0, "facts": facts}
    async with open_workshop(asked.play, hippocampus=chosen, models=models) as desk:
        await say(desk, "Call me Zaphod.")
        assert await desk.services.background.drain(10)
        assert await values(desk) == ["Zaphod"]
        assert len(await kept(desk, "facts")) == by_model
    assert (SUBMIT_FACTS in asked.tools()) is by_model


async def test_a_spent_budget_stops_the_background_with_the_reason_and_loses_nothing(
    open_workshop: OpenDesk, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph.background.PAUSE_S", 60.0)
    asked, few, left = Asked(), {"user": {"tokens": 10}}, BY_MODEL | {"drain_s": 0.0}
    async with open_workshop(asked.play, models=MODELS, hippocampus=left) as desk:
        for text in (NAME, PRESS):
            await say(desk, text)
    asked = Asked()
    async with open_workshop(asked.play, models=MODELS, spending=few, hippocampus=BY_MODEL) as desk:
        for _ in range(12):
            await desk.services.background.drain(10)
            clock.advance(3600)
        found = await states(desk)
        assert {state for state, _ in found.values()} == {"pending"}
        assert all("spending.user.tokens" in note for _, note in found.values())
        assert asked.tools() == asked.tools("judge") == await values(desk) == []
        assert await desk.services.segments.placed("default:t") == set()
    async with open_workshop(asked.play, models=MODELS, hippocampus=BY_MODEL) as desk:
        clock.advance(DAY_S)
        assert await desk.services.background.drain(10)
        assert {state for state, _ in (await states(desk)).values()} == {"done"}
        assert await values(desk) == ["Zaphod"]
        assert len(await desk.services.segments.placed("default:t")) == 4


async def test_a_days_budget_is_waited_for_and_a_turns_own_does_not_count_afterwards(
    open_workshop: OpenDesk, clock: SetClock
) -> None:
    asked, limits = Asked(), {"day": {"tokens": 3_000}, "turn": {"tokens": 3_000}}
    async with open_workshop(
        asked.play, models=MODELS, spending=limits, hippocampus=BY_MODEL
    ) as desk:
        await say(desk, NAME)
        calls = await desk.services.calls.calls("default:t")
        used = sum(one.input_tokens + one.output_tokens for one in calls)
        assert 2_400 < used < 3_000
        await desk.services.background.drain(10)
        assert (await states(desk))["turn_closed"][0] == "pending"
        clock.advance(DAY_S)
        await desk.services.background.drain(10)
        assert (await states(desk))["turn_closed"] == ("done", "0 items, 1 statements")
        assert await values(desk) == ["Zaphod"]


async def test_an_outage_of_the_extractor_is_waited_out(
    open_workshop: OpenDesk, clock: SetClock
) -> None:
    asked = Asked()
    asked.down = ConnectionFailed(wanted="a reply", came="nothing", next_step="Wait.")
    async with open_workshop(
        asked.play, models=MODELS, retries={"tries": 1}, hippocampus=BY_MODEL
    ) as desk:
        for text in (NAME, PRESS):
            await say(desk, text)
        for _ in range(10):
            await desk.services.background.drain(10)
            clock.advance(3600)
        found = await states(desk)
        assert {state for state, _ in found.values()} == {"pending"}
        assert all("could not be asked" in note for _, note in found.values())
        asked.down = None
        await desk.retry_jobs(user="local")
        assert await desk.services.background.drain(10)
        assert {state for state, _ in (await states(desk)).values()} == {"done"}


ROUTED = Reply(calls=(Call("submit_plan", {"answer": "Hello Zaphod."}, "p1"),))
FACTS = Reply(calls=(Call(SUBMIT_FACTS, {"facts": [STATED]}, "f1"),))
CUT = Reply(calls=(Call(SUBMIT_FACTS, '{"facts": [', "f1"),))


@asynccontextmanager
async def served(
    data_dir: Path, first: Reply
) -> AsyncIterator[tuple[Desk, list[Mapping[str, Any]]]]:
    """A desk over HTTP, and the bodies of the requests to the reader of facts."""
    read: list[Mapping[str, Any]] = []

    def script(body: Mapping[str, Any]) -> Reply:
        if [tool["function"]["name"] for tool in body["tools"]] != [SUBMIT_FACTS]:
            return ROUTED
        read.append(body)
        return first if len(read) == 1 else FACTS

    async with openai_server(script) as server:
        profile = {"provider": "openai", "model": "gpt-test", "base_url": server.base_url}
        settings = workshop(data_dir, models={"default": profile}, hippocampus=BY_MODEL)
        async with open_desk(settings) as desk:
            yield desk, read


@pytest.mark.parametrize(("first", "asked"), [(FACTS, 1), (CUT, 2), (Reply("Zaphod."), 2)])
async def test_facts_are_read_over_http_and_a_bad_reply_is_asked_for_again(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, first: Reply, asked: int
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
    async with served(data_dir, first) as (desk, read):
        found = [event async for event in desk.stream(thread="t", user="local", text=NAME)]
        await desk.services.background.drain(10)
        assert await values(desk) == ["Zaphod"]
        assert len(read) == len(await kept(desk, "facts")) == asked
    assert read[0]["tool_choice"]["function"]["name"] == SUBMIT_FACTS
    assert KEY not in repr(read)
    assert SUBMIT_FACTS not in repr(found)
