"""A paused or stopped turn goes on where it was: in a second desk, once, without losing a word."""

import ast
import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from graph.build import build_graph
from graph.errors import NothingToCancel
from graph.quick_saver import QuickSqliteSaver
from graph.session import Desk
from state import Context
from tests.fakes.scripted import scripted
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, block_of, call, plan
from tests.graph.workshop import happened, journal

ROOMS = Path(__file__).parents[2]
PRESS = Turn(["hands"], {"hands": [[call("press_button", item="red")]]})
CONFIG: RunnableConfig = {"configurable": {"thread_id": "default:t"}}


async def approve_all(desk: Desk, thread: str = "t", user: str = "local") -> str:
    decisions = [{"id": a.id, "type": "approve"} for a in await desk.pending(thread, user=user)]
    return (await desk.decide(thread, decisions, user=user)).status


async def test_a_second_desk_decides_what_the_first_one_asked(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    first, second = Play({"press": PRESS}), Play({"press": PRESS})
    async with open_workshop(first) as desk:
        await desk.ask(thread="t", user="local", text="press")
    async with open_workshop(second) as desk:
        assert await approve_all(desk) == "done"
        assert [turn["user"] for turn in await desk.show("t", "local")] == ["press"]
    assert happened(data_dir) == ["press_button"]
    assert [prompt.role for prompt in second.prompts] == ["expert", "synthesizer"]


async def test_two_desks_open_at_once_see_the_same_pause_and_act_once(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    one, two = Play({"press": PRESS}), Play({"press": PRESS})
    async with open_workshop(one) as here, open_workshop(two) as there:
        await here.ask(thread="t", user="local", text="press")
        assert await approve_all(there) == "done"
        assert (await here.resume("t", user="local")).status == "done"
    assert happened(data_dir) == ["press_button"]


async def test_what_stands_before_the_pause_is_not_done_again_after_it(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    """One plan, one thought before the pause and one after it, one row, one effect."""
    play = Play({"press": PRESS})
    async with open_workshop(play) as desk:
        await desk.ask(thread="t", user="local", text="press")
        await approve_all(desk)
        rows = await desk.services.ledger.rows("default:t")
    assert [p.role for p in play.prompts] == ["router", "expert", "expert", "synthesizer"]
    assert ([row.status for row in rows], happened(data_dir)) == (["done"], ["press_button"])


async def test_several_pauses_one_after_the_other_each_ask_once(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    steps = [[call("press_button", f"c{n}", item=f"button {n}")] for n in range(3)]
    play = Play({"press": Turn(["hands"], {"hands": steps})})
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="local", text="press")
        kinds = ["reject", "approve", "reject"]
        for kind in kinds:
            (action,) = reply.pending
            reply = await desk.decide("t", [{"id": action.id, "type": kind}], user="local")
    assert reply.status == "done"
    assert len(play.prompts_of("expert")) == 4
    assert [line["args"]["item"] for line in journal(data_dir)] == ["button 1"]


async def test_resuming_a_waiting_thread_answers_nothing(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    both = Turn(
        ["eyes", "hands"],
        {"eyes": [[call("sign_off", item="x")]], "hands": [[call("press_button", item="x")]]},
    )
    async with open_workshop(Play({"press": both})) as desk:
        asked = await desk.ask(thread="t", user="local", text="press")
        for _ in range(3):
            again = await desk.resume("t", user="local")
            assert (again.status, again.pending) == ("waiting", asked.pending)
    assert happened(data_dir) == []


async def test_a_message_to_a_waiting_thread_is_not_taken_and_changes_nothing(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play({"press": PRESS})) as desk:
        asked = await desk.ask(thread="t", user="local", text="press")
        refused = await desk.ask(thread="t", user="local", text="hi")
        assert (refused.status, refused.pending) == ("waiting", asked.pending)
        assert "Decide it or cancel it" in refused.text
        await approve_all(desk)
        assert [turn["user"] for turn in await desk.show("t", "local")] == ["press"]
        assert (await desk.ask(thread="t", user="local", text="hi")).text == "Hello."
    assert happened(data_dir) == ["press_button"]


async def test_cancelling_ends_the_turn_without_the_effect_and_frees_the_thread(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play({"press": PRESS})) as desk:
        await desk.ask(thread="t", user="local", text="press")
        cancelled = await desk.cancel("t", user="local")
        record = (await desk.show("t", "local"))[0]
        after = await desk.ask(thread="t", user="local", text="hi")
    assert (cancelled.status, after.status, happened(data_dir)) == ("done", "done", [])
    assert record["modules"][0]["calls"][0]["note"] == "cancelled by local"


async def test_a_thread_at_rest_has_nothing_to_cancel(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play()) as desk:
        await desk.ask(thread="t", user="local", text="hi")
        with pytest.raises(NothingToCancel, match="no turn of thread 't' is open"):
            await desk.cancel("t", user="local")


async def test_cancelling_a_turn_that_was_stopped_and_waits_for_nobody_lets_it_end(
    open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = QuickSqliteSaver.aput

    async def stop_after(*given: Any) -> None:  # noqa: ANN401 - passed on as they come
        await put(*given)
        raise asyncio.CancelledError

    async with open_workshop(Play()) as desk:
        with monkeypatch.context() as patch:
            patch.setattr(QuickSqliteSaver, "aput", stop_after)
            with pytest.raises(asyncio.CancelledError):
                await desk.ask(thread="t", user="local", text="hi")
        assert (await desk.cancel("t", user="local")).text == "Hello."
        assert len(await desk.show("t", "local")) == 1


async def test_a_state_edit_on_a_waiting_thread_does_not_lose_the_approval(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    """LangGraph forgets the interrupt at `update_state`; the ledger does not."""
    async with open_workshop(Play({"press": PRESS})) as desk:
        asked = await desk.ask(thread="t", user="local", text="press")
        await desk.graph.aupdate_state(CONFIG, {"notes": ["edited"]})
        assert (await desk.graph.aget_state(CONFIG)).interrupts == ()
        assert await desk.pending("t", user="local") == asked.pending
        assert await approve_all(desk) == "done"
    assert happened(data_dir) == ["press_button"]


async def test_after_a_fault_the_finished_expert_is_not_asked_again_before_a_new_message(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    asked: list[str] = []
    broken, other_is_done = {"eyes"}, asyncio.Event()

    async def script(role: str, messages: list[BaseMessage], _: object) -> AIMessage | str:
        if role == "router":
            question = block_of(messages, "question")["text"]
            return plan("eyes", "hands") if question == "both" else plan(answer="Hello.")
        if role == "expert":
            name = block_of(messages, "brief")["expert"]
            asked.append(name)
            if name == "hands":
                if any(isinstance(message, AIMessage) for message in messages):
                    asyncio.get_running_loop().call_later(0.1, other_is_done.set)
                    return "moved"
                return AIMessage("", tool_calls=[call("move_box", to="B")])
            if name in broken:
                await asyncio.wait_for(other_is_done.wait(), 5)
                raise RuntimeError("the process is in trouble")
        return f"{role} is done"

    play = Play()
    play.models = scripted(script)
    async with open_workshop(play) as desk:
        with pytest.raises(RuntimeError, match="in trouble"):
            await desk.ask(thread="t", user="local", text="both")
        broken.clear()
        reply = await desk.ask(thread="t", user="local", text="hi")
        turns = [turn["user"] for turn in await desk.show("t", "local")]
    assert (reply.text, turns) == ("Hello.", ["both", "hi"])
    assert happened(data_dir) == ["move_box"]


@pytest.mark.parametrize("config", [None, CONFIG], ids=["no thread", "a thread, no saver"])
async def test_without_a_thread_and_a_saver_to_resume_from_the_graph_refuses_to_run(
    config: RunnableConfig | None, open_workshop: OpenDesk
) -> None:
    play = Play({"press": PRESS})
    async with open_workshop(play) as desk:
        bare = build_graph(desk.services).compile()
        given: Any = {"messages": [("user", "press")]}
        with pytest.raises(RuntimeError, match="wanted a run with a thread_id and a checkpointer"):
            await bare.ainvoke(given, config, context=Context())
    assert play.prompts == []


async def test_an_interrupted_thread_lives_in_any_saver(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play({"press": PRESS})) as desk:
        graph = build_graph(desk.services).compile(checkpointer=InMemorySaver())
        given: Any = {"messages": [("user", "press")]}
        ended = await graph.ainvoke(given, CONFIG, context=Context())
    assert len(ended["__interrupt__"]) == 1
    assert happened(data_dir) == []


def lose_checkpoints(data_dir: Path) -> None:
    for file in data_dir.glob("checkpoints.db*"):
        file.unlink()


async def test_a_thread_whose_checkpoints_are_lost_goes_on_from_its_transcript(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    play = Play({"peek": Turn(["eyes"], {"eyes": [[call("count_boxes")]]})})
    async with open_workshop(play) as desk:
        for text in ("peek", "hi"):
            await desk.ask(thread="t", user="local", text=text)
    lose_checkpoints(data_dir)
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="local", text="peek")
        prompt = play.prompts_of("router")[-1].text
        shown = [turn["user"] for turn in await desk.show("t", "local")]
        taken = await desk.rollback("t", 1, user="local")
    assert (reply.status, shown, taken.turns) == ("done", ["peek", "hi", "peek"], ["peek"])
    assert "hi" in prompt
    assert "count_boxes" in prompt


def test_the_one_interrupt_stands_alone_in_its_node() -> None:
    """No code runs twice with it, and no `except` can swallow the pause."""
    sources = {
        file: ast.parse(text)
        for room in ("nodes", "graph", "tools", "memory", "models")
        for file in (ROOMS / room).rglob("*.py")
        if "interrupt" in (text := file.read_text(encoding="utf-8"))
    }
    calling = [
        (file.name, node)
        for file, tree in sources.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)
        and any(_is_interrupt(part) for part in ast.walk(node))
    ]
    ((name, node),) = calling
    docstring, only = node.body
    assert (name, node.name) == ("request_approval.py", "request_approval")
    assert isinstance(docstring, ast.Expr)
    assert isinstance(only, ast.Return)


def _is_interrupt(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "interrupt"
    )
