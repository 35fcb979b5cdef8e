"""Inside an epoch a prompt only grows at its end, byte for byte, in every module and process."""

import asyncio
import json
import os
import shutil
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage

from memory.history import opening, render, render_turn
from state import TurnRecord, canonical_json
from tests.fakes.scripted import Prompt
from tests.graph.child import PLAY, digest_of, run_seeded
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call
from tests.tools.parts import SetClock

WIDE = {"high_water_tokens": 1_000_000}
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60)
NAMES = st.sampled_from(["billing", "orders", "analytics"])
ARGS = st.dictionaries(
    TEXT, st.none() | st.booleans() | st.integers() | TEXT | st.lists(TEXT, max_size=2), max_size=3
)
CALLS = st.fixed_dictionaries(
    {
        "id": TEXT,
        "name": NAMES,
        "args": ARGS,
        "effect": st.sampled_from(["read_only", "irreversible"]),
        "status": st.sampled_from(["ok", "error", "rejected", "expired", "unsettled"]),
        "artifact": st.none() | st.just("art_1"),
        "note": TEXT,
    }
)
MODULES: Any = st.fixed_dictionaries(
    {"expert": NAMES, "question": TEXT, "calls": st.lists(CALLS, max_size=3), "output": TEXT}
)


@st.composite
def histories(draw: st.DrawFn) -> list[TurnRecord]:
    """Some closed turns of a thread."""
    return [
        {
            "id": f"turn_{n}",
            "index": n,
            "at": draw(st.datetimes()).isoformat(),
            "user": draw(TEXT),
            "route": sorted(draw(st.lists(NAMES, unique=True))),
            "modules": draw(st.lists(MODULES, max_size=2)),
            "answer": draw(TEXT),
            "status": "done",
        }
        for n in range(draw(st.integers(1, 4)))
    ]


@given(histories())
def test_a_longer_history_begins_with_the_shorter_one(history: list[TurnRecord]) -> None:
    texts = [render(history[:n]).encode() for n in range(len(history) + 1)]
    assert all(after.startswith(before) for before, after in pairwise(texts))
    assert texts[-1] == b"".join(render_turn(record).encode() for record in history)


@given(histories())
def test_a_question_is_the_opening_of_the_record_it_becomes(history: list[TurnRecord]) -> None:
    for record in history:
        assert render_turn(record).startswith(opening(record["index"], record["user"]))


@given(histories(), st.datetimes())
def test_neither_time_nor_ids_nor_key_order_are_rendered(
    history: list[TurnRecord], later: object
) -> None:
    other: list[TurnRecord] = json.loads(canonical_json(history))
    for record in other:
        record["at"], record["id"] = str(later), "another"
        for made in (made for module in record["modules"] for made in module["calls"]):
            made["id"] = "another"
            made["args"] = dict(reversed(made["args"].items()))
    assert render(other) == render(history)


QUESTIONS = {
    "peek": Turn(["hands"], {"hands": [[call("peek_shelf", shelf="C")], "I saw it"]}),
    "both": Turn(["eyes", "hands"], {"eyes": [[call("count_boxes", shelf="B")], "three"]}),
    "press": Turn(["hands"], {"hands": [[call("press_button", item="red")]]}),
    "hi": Turn(),
}


def shared_part(prompt: Prompt) -> list[BaseMessage]:
    """A prompt up to its question: what all modules of a turn share."""
    kinds = [message.additional_kwargs.get("block", {}).get("kind") for message in prompt.messages]
    return prompt.messages[: kinds.index("question") + 1]


def wire(messages: list[BaseMessage]) -> bytes:
    return "\x1e".join(f"{message.type}:{message.text}" for message in messages).encode()


async def test_every_prompt_of_an_epoch_begins_with_the_one_before_it(
    open_workshop: OpenDesk,
) -> None:
    """Across turns, modules, an approval and a second desk; no clock, id or order gets in."""
    play = Play(dict(QUESTIONS))
    async with open_workshop(play, history=WIDE) as desk:
        for question in ("hi", "peek", "both"):
            await desk.ask(thread="t", user="local", text=question)
        reply = await desk.ask(thread="t", user="local", text="press")
    async with open_workshop(play, history=WIDE) as desk:
        decision = {"id": reply.pending[0].id, "type": "approve"}
        await desk.decide("t", [decision], user="local")
        await desk.ask(thread="t", user="local", text="hi")
    turns: dict[bytes, list[Prompt]] = {}
    for prompt in play.prompts:
        turns.setdefault(wire(shared_part(prompt)), []).append(prompt)
    shared = list(turns)
    assert len(shared) == 5
    assert [len(prompts) for prompts in turns.values()] == [1, 4, 5, 4, 1]
    assert all(after.startswith(before) for before, after in pairwise(shared))


async def test_every_module_sends_the_same_tools_in_the_same_order(
    open_workshop: OpenDesk,
) -> None:
    play = Play(dict(QUESTIONS))
    async with open_workshop(play) as desk:
        await desk.ask(thread="t", user="local", text="both")
    sent = [json.dumps(prompt.tools) for prompt in play.prompts]
    names = [tool["function"]["name"] for tool in play.prompts[0].tools]
    assert len(set(sent)) == 1
    assert {prompt.role for prompt in play.prompts} == {"router", "expert", "synthesizer"}
    assert names == sorted(names)
    assert "submit_plan" in names


async def test_the_date_stands_behind_all_that_is_shared(open_workshop: OpenDesk) -> None:
    play = Play(dict(QUESTIONS))
    async with open_workshop(play) as desk:
        await desk.ask(thread="t", user="local", text="peek")
    for prompt in play.prompts:
        assert b"2026-06-30" not in wire(shared_part(prompt))
        assert "2026-06-30" in prompt.text


async def test_two_processes_with_other_hash_seeds_send_the_same_bytes(
    open_workshop: OpenDesk, data_dir: Path, clock: SetClock
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await desk.ask(thread="t", user="local", text="peek")
    twin = data_dir.with_name("twin")
    shutil.copytree(data_dir, twin)
    clock.now = datetime.now(UTC)  # as it is in the other process
    play, seed = Play(PLAY), "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0"
    async with open_workshop(play) as desk:
        await desk.ask(thread="t", user="local", text="peek")
    there = (await asyncio.to_thread(run_seeded, twin, ["ask", "peek"], seed=seed))["prompts"]
    assert len(there) == 4
    assert digest_of(play.prompts[0]) == there[0]
