"""Folding through the desk: by code after the answer, by a model in the background."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from sqlalchemy import select

from graph.session import Desk
from memory.tables import outbox
from models.errors import ModelError
from tests.fakes.scripted import scripted
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, block_of, call
from tests.memory.hashing import HashingEmbedder
from tests.tools.parts import SetClock

PROSE = "The user moved several warehouses and works with the carrier Falcon."
SMALL = {"high_water_tokens": 60, "low_water_tokens": 30, "summary_tokens": 120}
MODEL = {"summarizer": {"provider": "openai", "model": "gpt-4.1-mini"}}
LONG = " ".join(f"{a}{b}{c}ore" for a in "bcdfg" for b in "aeiou" for c in "lmn")
DOWN = ModelError(wanted="a reply", came="an error 500", next_step="Ask again.")
FIRST = "Never ship on Sundays. Peek at the shelf."


@pytest.fixture(autouse=True)
def _fast_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.services.shared_embedder", lambda _: HashingEmbedder())


def told(number: int) -> str:
    return f"We moved warehouse {number} to hall {number + 40}, and our carrier is Falcon."


def play(summarizer: Callable[[list[Any]], Any] | None = None) -> Play:
    """Greets, peeks at a shelf once, and summarises by the given script."""
    made = Play({FIRST: Turn(["hands"], {"hands": [[call("peek_shelf")], "Three boxes."]})})

    async def say(role: str, messages: list[Any], tools: object) -> AIMessage | str | Exception:
        if role == "summarizer" and summarizer is not None:
            answer: AIMessage | str | Exception = summarizer(messages)
            return answer
        return await made.say(role, messages, tools)

    made.models = scripted(say)
    return made


async def talk(desk: Desk, *numbers: int) -> None:
    for number in numbers:
        await desk.ask(thread="t", user="local", text=told(number))


async def state_of(desk: Desk) -> dict[str, Any]:
    config = {"configurable": {"thread_id": "default:t"}}
    snapshot = await desk.graph.aget_state(config)  # type: ignore[arg-type]
    return dict(snapshot.values)


async def notes(desk: Desk, kind: str) -> list[tuple[str, str]]:
    query = select(outbox.c.state, outbox.c.note).where(outbox.c.kind == kind)
    found = await desk.services.database.read(lambda conn: conn.execute(query).all())
    return [(row.state, row.note) for row in found]


async def test_old_turns_become_rules_done_lines_and_summary_and_every_module_sees_them(
    open_workshop: OpenDesk,
) -> None:
    acts = play()
    async with open_workshop(acts, history=SMALL) as desk:
        await desk.ask(thread="t", user="local", text=FIRST)
        await talk(desk, 1, 2, 3, 4)
        state = await state_of(desk)
        shown = [record["index"] for record in await desk.show("t", user="local")]
    assert state["constraints"] == ["Never ship on Sundays."]
    assert [item["turn"] for item in state["done"]] == [0]
    assert "#1 moved warehouse 1 hall 41 carrier Falcon." in state["summary"]
    assert state["history"][-1]["index"] == 4
    assert shown == [0, 1, 2, 3, 4]
    prompt = acts.prompts_of("router")[-1].text
    assert "Rules stated by the user:\n- Never ship on Sundays." in prompt


async def test_the_question_is_answered_before_the_fold_and_the_fold_asks_no_model(
    open_workshop: OpenDesk,
) -> None:
    acts = play()
    async with open_workshop(acts, history=SMALL) as desk:
        await talk(desk, 1, 2, 3, 4)
    assert {prompt.role for prompt in acts.prompts} == {"router"}


async def test_a_models_summary_is_written_behind_the_answer_and_used_by_a_later_turn(
    open_workshop: OpenDesk,
) -> None:
    acts = play(lambda _: PROSE)
    async with open_workshop(acts, history=SMALL, models=MODEL) as desk:
        await talk(desk, 1, 2, 3)
        before = (await state_of(desk))["summary"]
        assert await desk.services.background.drain(10)
        await talk(desk, 4)
        after = (await state_of(desk))["summary"]
    assert before.startswith("#0 moved warehouse 1")
    assert after.startswith("[up to #") and PROSE in after
    assert f"unverified; look exact values up):\n{after.splitlines()[0]}" in acts.prompts[-1].text


async def test_the_summariser_reads_the_window_as_it_was_and_appends_to_its_prefix(
    open_workshop: OpenDesk,
) -> None:
    acts = play(lambda _: PROSE)
    async with open_workshop(acts, history=SMALL, models=MODEL) as desk:
        await talk(desk, 1, 2, 3)
        assert await desk.services.background.drain(10)
    (asked,) = acts.prompts_of("summarizer")
    last = acts.prompts_of("router")[2]
    shared = [str(message.text) for message in last.messages][:-2]
    assert [str(message.text) for message in asked.messages][: len(shared)] == shared
    assert asked.tools == last.tools
    assert "Fold turns #0" in block_of(asked.messages, "question")["text"]


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "empty"),
        ("ok", "empty or degenerate"),
        ("again " * 40, "degenerate"),
        ("The user moved warehouses to hall 99.", "not in its sources: 99"),
        (LONG, "not shorter"),
    ],
)
async def test_a_summary_that_cannot_be_trusted_leaves_the_extract_in_place(
    written: str, reason: str, open_workshop: OpenDesk
) -> None:
    async with open_workshop(play(lambda _: written), history=SMALL, models=MODEL) as desk:
        await talk(desk, 1, 2, 3)
        before = (await state_of(desk))["summary"]
        await desk.services.background.drain(10)
        ended = await notes(desk, "summarize")
        await talk(desk, 4)
        after = (await state_of(desk))["summary"]
    assert ended[0][0] in ("empty", "pending")
    assert reason in ended[0][1] or ended[0][0] == "pending"
    assert "written by a model" not in after
    assert set(before.splitlines()) & set(after.splitlines())


async def test_a_model_that_fails_costs_no_turn_and_is_asked_again_later(
    open_workshop: OpenDesk, clock: SetClock
) -> None:
    answers: list[str | Exception] = [DOWN, PROSE]
    acts = play(lambda _: answers.pop(0))
    async with open_workshop(acts, history=SMALL, models=MODEL) as desk:
        await talk(desk, 1, 2, 3)
        await desk.services.background.drain(10)
        assert [state for state, _ in await notes(desk, "summarize")] == ["pending"]
        clock.advance(10)
        await desk.services.background.sweep()
        assert [state for state, _ in await notes(desk, "summarize")] == ["done"]


async def test_a_summary_of_another_fold_is_not_taken_over(open_workshop: OpenDesk) -> None:
    acts = play(lambda _: PROSE)
    async with open_workshop(acts, history=SMALL, models=MODEL) as desk:
        await talk(desk, 1, 2, 3)
        await desk.services.background.drain(10)
        await desk.rollback("t", 2, user="local")
        await desk.services.background.drain(10)
        await talk(desk, 9)
        summary = (await state_of(desk))["summary"]
    assert PROSE not in summary


@pytest.mark.parametrize("name", ["fifo", "selective", "ranked", "pyramid", "summarise"])
async def test_every_strategy_of_the_settings_folds_a_thread(
    name: str, open_workshop: OpenDesk
) -> None:
    async with open_workshop(play(), history={**SMALL, "strategy": name}) as desk:
        await talk(desk, *range(9))
        state = await state_of(desk)
    assert state["history"][-1]["index"] == 8
    assert len(state["history"]) < 9
