"""A thread that waited while the application changed goes on by the new graph, or says why not."""

import sys
import types
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig

import graph.session
from graph.checkpoints import open_checkpointer
from graph.services import create_services
from graph.session import Desk
from nodes.errors import StateTooNew
from state import SCHEMA_VERSION, State
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play
from tests.graph.stored import PLAY, load
from tests.graph.workshop import happened, workshop

ROOT = Path(__file__).parents[2]
CONFIG: RunnableConfig = {"configurable": {"thread_id": "default:t"}}
RENAMED = {
    "graph.routing": "other_routing",
    'Send("expert"': 'Send("specialist"',
    'graph.add_node("expert"': 'graph.add_node("specialist"',
    '"expert", END]': '"specialist", END]',
    '["expert", "synthesize"]': '["specialist", "synthesize"]',
    'add_edge("expert"': 'add_edge("specialist"',
}
WITHOUT_MEMORY = {
    "    node(recall, memory=s.recall, foresight=s.foresight,\n"
    "         notebook=s.notebook if s.notes_at_once else None, calendar=settings.clock)"
    "  # fmt: skip\n": "",
    'after_open, ["recall", "expert", END]': (
        'after_open, {"recall": "route", "expert": "expert", END: END}'
    ),
    '    graph.add_edge("recall", "route")\n': "",
}
"""Source changes that make another version of the graph: one node renamed, one not there yet."""


@asynccontextmanager
async def other_version(data_dir: Path, changes: Mapping[str, str]) -> AsyncIterator[Desk]:
    """A desk of a version whose wiring differs from today's by these changes of its source."""
    patch = pytest.MonkeyPatch()
    try:
        unused = dict.fromkeys(changes)
        for name in ("routing", "build"):
            patch.setitem(sys.modules, f"other_{name}", _changed(name, changes, unused))
        assert not unused, "the source is no longer what the changes are of"
        build = sys.modules["other_build"]
        patch.setattr(graph.session, "build_graph", build.build_graph)
        services = await create_services(workshop(data_dir), models=Play(PLAY).models)
        async with open_checkpointer(services.settings) as saver:
            yield Desk(services, saver)
            await services.background.drain(5)
        await services.close()
    finally:
        patch.undo()


def _changed(name: str, changes: Mapping[str, str], unused: dict[str, None]) -> types.ModuleType:
    source = (ROOT / "graph" / f"{name}.py").read_text(encoding="utf-8")
    for before, after in changes.items():
        if before in source:
            unused.pop(before, None)
        source = source.replace(before, after)
    module = types.ModuleType(f"other_{name}")
    exec(compile(source, name, "exec"), module.__dict__)
    return module


async def approve(desk: Desk, thread: str = "t") -> tuple[str, str]:
    (action,) = await desk.pending(thread, user="local")
    reply = await desk.decide(thread, [{"id": action.id, "type": "approve"}], user="local")
    return reply.status, reply.text


@pytest.mark.parametrize("changes", [RENAMED, WITHOUT_MEMORY], ids=["renamed", "added"])
async def test_a_waiting_thread_of_another_version_goes_on_from_a_safe_node(
    changes: Mapping[str, str], open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with other_version(data_dir, changes) as desk:
        await desk.ask(thread="t", user="local", text="press")
        assert (await approve(desk))[0] == "waiting"
        asked = await desk.pending("t", user="local")
        waiting = await desk.graph.aget_state(CONFIG)
        assert waiting.next == (("specialist",) if changes is RENAMED else ("expert",))
    play = Play(PLAY)
    async with open_workshop(play) as desk:
        assert (await desk.graph.aget_state(CONFIG)).values["fingerprint"] != fingerprint(desk)
        still = await desk.resume("t", user="local")
        assert (still.pending, happened(data_dir)) == (asked, ["pull_lever"])
        assert await approve(desk) == ("done", "All done.")
        after = (await desk.graph.aget_state(CONFIG)).values
        assert after["fingerprint"] == fingerprint(desk)
    assert happened(data_dir) == ["pull_lever", "press_button"]
    assert play.prompts_of("router") == []


async def test_a_waiting_thread_of_another_version_can_be_cancelled(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with other_version(data_dir, RENAMED) as desk:
        await desk.ask(thread="t", user="local", text="press")
    async with open_workshop(Play(PLAY)) as desk:
        statuses = [(await desk.cancel("t", user="local")).status for _ in range(2)]
        assert statuses == ["waiting", "done"]
        assert (await desk.ask(thread="t", user="local", text="hi")).text == "Hello."
    assert happened(data_dir) == []


async def test_a_thread_at_rest_of_another_version_just_goes_on(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with other_version(data_dir, RENAMED) as desk:
        await desk.ask(thread="t", user="local", text="peek")
    play = Play(PLAY)
    async with open_workshop(play) as desk:
        assert (await desk.ask(thread="t", user="local", text="hi")).text == "Hello."
    assert "I saw three boxes" in play.prompts[0].text


def fingerprint(desk: Desk) -> str:
    return desk.services.fingerprint


async def test_a_thread_of_a_later_schema_is_refused_with_both_versions_named(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await desk.ask(thread="t", user="local", text="hi")
        await desk.graph.aupdate_state(CONFIG, {"schema_version": 99}, as_node="compact")
        with pytest.raises(StateTooNew, match="schema version 99, this Hippograph knows up to 1"):
            await desk.ask(thread="t", user="local", text="hi")


async def test_data_of_the_first_schema_are_read_and_gone_on_with(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    play = Play(PLAY)
    async with open_workshop(play):
        pass
    load(data_dir)
    async with open_workshop(play) as desk:
        assert [turn["user"] for turn in await desk.show("rest", "local")] == ["peek"]
        assert (await desk.ask(thread="rest", user="local", text="hi")).text == "Hello."
        assert "I saw three boxes" in play.prompts[0].text
        assert await approve(desk, "waits") == ("done", "All done.")
        assert [turn["user"] for turn in await desk.show("waits", "local")] == ["peek", "press"]
    assert happened(data_dir) == ["press_button"]


async def test_a_key_that_was_ever_stored_is_still_a_key_of_state(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    """Keys are added, never removed: a removed one would make old threads pause for ever."""
    async with open_workshop(Play(PLAY)):
        pass
    load(data_dir)
    async with open_workshop(Play(PLAY)) as desk:
        saver: Any = desk.graph.checkpointer
        stored = await saver.aget({"configurable": {"thread_id": "default:rest"}})
    values = stored["channel_values"]
    assert values["schema_version"] <= SCHEMA_VERSION
    assert {name for name in values if ":" not in name} <= {
        *State.__annotations__,
        "__pregel_tasks",
    }
