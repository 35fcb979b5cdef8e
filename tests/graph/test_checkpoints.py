"""What is checkpointed is small, plain and readable by strict readers; files stay flat."""

import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph._internal import _serde
from langgraph.checkpoint.serde import _msgpack
from langgraph.types import StateSnapshot

from graph.checkpoints import damage_of, look_through
from graph.errors import CheckpointsUnreadable
from graph.session import Desk
from state import State, canonical_json
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Step, Turn, call
from tests.graph.workshop import CANARY, happened, workshop

GROWTH = 20_000
"""Bytes by which the checkpoint file may grow in a turn."""
CONFIG: RunnableConfig = {"configurable": {"thread_id": "default:t"}}
SECRET = "sk-canary-secret-0417"
TALK = Turn(["hands"], {"hands": [[call("peek_shelf", shelf="C")], "I saw it. " * 20]})


async def talk(desk: Desk, turns: int, play: Play) -> None:
    for n in range(turns):
        question = f"question {n} " + "with some words " * 20
        play.turns[question] = TALK
        reply = await desk.ask(thread="t", user="local", text=question)
        assert reply.status == "done"


def not_plain(value: object, path: str = "state") -> Iterator[str]:
    """Paths of values that are neither JSON nor a message."""
    if isinstance(value, BaseMessage) or value is None or isinstance(value, bool | int | float):
        return
    if isinstance(value, str):
        value.encode()  # a lone surrogate raises
        if "\x00" in value:
            yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from not_plain(item, f"{path}.{key}")
    elif isinstance(value, list):
        for n, item in enumerate(value):
            yield from not_plain(item, f"{path}[{n}]")
    else:
        yield f"{path}: {type(value).__name__}"


async def test_every_value_in_state_is_json_or_a_message(open_workshop: OpenDesk) -> None:
    """Also in an expert's own state, while it waits and after it has ended."""
    strange = Turn(
        ["eyes", "hands"],
        {
            "eyes": [[call("read_odd"), call("read_broken"), call("read_huge")]],
            "hands": [[call("press_button", item="a\x00\ud800", amount=1e308)]],
        },
    )
    async with open_workshop(Play({"go": strange})) as desk:
        reply = await desk.ask(thread="t", user="local", text="go")
        waiting = await desk.graph.aget_state(CONFIG, subgraphs=True)
        decision = {"id": reply.pending[0].id, "type": "approve"}
        await desk.decide("t", [decision], user="local")
        ended = await desk.graph.aget_state(CONFIG)
    found = [waiting.values, ended.values, *(pause.value for pause in waiting.interrupts)]
    found += [task.state.values for task in waiting.tasks if isinstance(task.state, StateSnapshot)]
    assert len(found) >= 4
    assert [path for value in found for path in not_plain(value)] == []
    for name, value in ended.values.items():
        if name != "messages":
            canonical_json(value)


async def test_state_has_its_schema_version_and_its_graphs_fingerprint(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(Play()) as desk:
        await desk.ask(thread="t", user="local", text="hi")
        values = (await desk.graph.aget_state(CONFIG)).values
    assert values["schema_version"] == 1
    assert len(values["fingerprint"]) == 16
    assert set(values) <= set(State.__annotations__)


@pytest.mark.parametrize("strict", [False, True])
async def test_strict_readers_find_only_plain_values_and_say_nothing(
    open_workshop: OpenDesk,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    strict: bool,
) -> None:
    """As they are, and under LANGGRAPH_STRICT_MSGPACK, which langgraph reads as it is imported."""
    for reader in (_msgpack, _serde):
        monkeypatch.setattr(reader, "STRICT_MSGPACK_ENABLED", strict)
    play = Play({"go": Turn(["hands"], {"hands": [[call("press_button", item="red")]]})})
    with caplog.at_level(logging.DEBUG):
        async with open_workshop(play) as desk:
            await desk.ask(thread="t", user="local", text="go")
        async with open_workshop(play) as desk:
            await desk.cancel("t", user="local")
    assert "nregistered" not in caplog.text
    assert "Blocked" not in caplog.text


async def test_a_checkpoint_row_names_no_class_but_messages(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    play = Play({"go": Turn(["hands"], {"hands": [[call("press_button", item="red")]]})})
    async with open_workshop(play) as desk:
        await desk.ask(thread="t", user="local", text="go")
    classes: set[str] = set()

    def note(_code: int, data: bytes) -> None:
        inner = ormsgpack.unpackb(data, ext_hook=note)
        classes.add(".".join(inner[:2]))

    with closing(sqlite3.connect(data_dir / "checkpoints.db")) as books:
        rows = books.execute("SELECT checkpoint FROM checkpoints").fetchall()
        rows += books.execute("SELECT value FROM writes WHERE type = 'msgpack'").fetchall()
    for (blob,) in rows:
        ormsgpack.unpackb(blob, ext_hook=note)
    allowed = ("langchain_core.messages.", "langgraph.types.")
    assert {name for name in classes if not name.startswith(allowed)} == set()


async def test_no_payload_and_no_secret_is_in_any_checkpoint_or_transcript(
    open_workshop: OpenDesk, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lean law: a canary returned by a tool is in no checkpoint row and in no record.

    The pull of the lever returns it after an approval; both waits and both ends are searched.
    """
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    steps: list[Step] = [[call("peek_shelf")], [call("pull_lever", item="red")], "I saw it"]
    play = Play({"go tangerine": Turn(["hands"], {"hands": steps})})
    async with open_workshop(play) as desk:
        reply = await desk.ask(thread="t", user="local", text="go tangerine")
        with pytest.raises(AssertionError, match="tangerine"):
            await assert_not_kept(data_dir, "tangerine")
        await assert_not_kept(data_dir, CANARY, SECRET)
        decision = {"id": reply.pending[0].id, "type": "approve"}
        await desk.decide("t", [decision], user="local")
        await assert_not_kept(data_dir, CANARY, SECRET)
        records = await desk.show("t", "local")
        await desk.services.background.drain(10)
    assert CANARY not in json.dumps(records)
    others = [p for p in play.prompts if p.role != "expert"]
    assert [prompt.role for prompt in others] == ["router", "synthesizer"]
    assert not any(CANARY in prompt.text for prompt in others)
    assert sum(CANARY in prompt.text for prompt in play.prompts_of("expert")) == 2
    await assert_not_kept(data_dir, SECRET, files=("hippograph.db", "hippograph.db-wal"))


async def assert_not_kept(
    data_dir: Path,
    *words: str,
    files: tuple[str, ...] = ("checkpoints.db", "checkpoints.db-wal"),
) -> None:
    for name in files:
        raw = (data_dir / name).read_bytes() if (data_dir / name).exists() else b""
        assert [word for word in words if word.encode() in raw] == [], name


async def test_checkpoint_metadata_holds_the_thread_and_nothing_about_the_user(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play()) as desk:
        await desk.ask(thread="t", user="ada", text="hi")
    with closing(sqlite3.connect(data_dir / "checkpoints.db")) as books:
        rows = books.execute("SELECT metadata FROM checkpoints").fetchall()
    keys = {key for (raw,) in rows for key in json.loads(raw)}
    assert keys <= {"source", "step", "parents", "run_id", "thread_id"}


async def test_history_and_messages_grow_by_one_turn_a_turn(open_workshop: OpenDesk) -> None:
    play = Play()
    async with open_workshop(play, history={"high_water_tokens": 100_000}) as desk:
        await talk(desk, 4, play)
        values = (await desk.graph.aget_state(CONFIG)).values
    assert [record["index"] for record in values["history"]] == [0, 1, 2, 3]
    assert len(values["messages"]) == 8


async def test_a_long_thread_keeps_its_state_and_its_file_small(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    """Two kB of talk a turn: state is folded, old checkpoints go, freed pages are used again."""
    play = Play()
    sizes: list[int] = []
    async with open_workshop(play) as desk:
        for _ in range(3):
            await talk(desk, 12, play)
            values = (await desk.graph.aget_state(CONFIG)).values
            sizes.append(_pages(data_dir))
            kept = {name: value for name, value in values.items() if name != "messages"}
            assert len(canonical_json(kept)) < 40_000
            assert len(values["messages"]) <= 2 * len(values["history"])
            play.turns.clear()
    assert sizes[2] - sizes[1] <= 12 * GROWTH
    assert max(sizes) < 1_000_000


def _pages(data_dir: Path) -> int:
    """Bytes of the file in use or free, after the write-ahead log was written back."""
    with closing(sqlite3.connect(data_dir / "checkpoints.db")) as books:
        books.execute("PRAGMA wal_checkpoint")
        count: Any = books.execute("PRAGMA page_count").fetchone()
        size: Any = books.execute("PRAGMA page_size").fetchone()
    return int(count[0]) * int(size[0])


async def test_a_thread_that_waits_keeps_all_it_needs(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    play = Play({"go": Turn(["hands"], {"hands": [[call("press_button", item="red")]]})})
    async with open_workshop(play) as desk:
        await talk(desk, 3, play)
        await desk.ask(thread="t", user="local", text="go")
        for _ in range(3):
            assert (await desk.resume("t", user="local")).status == "waiting"
        (action,) = await desk.pending("t", user="local")
        done = await desk.decide("t", [{"id": action.id, "type": "approve"}], user="local")
    assert (done.status, happened(data_dir)) == ("done", ["press_button"])


@pytest.mark.parametrize("content", [b"junk" * 5_000, b"SQLite format 3\x00" + b"junk" * 5_000])
async def test_a_file_that_is_no_database_is_named_with_what_to_do(
    content: bytes, open_workshop: OpenDesk, data_dir: Path
) -> None:
    (data_dir / "checkpoints.db").write_bytes(content)
    with pytest.raises(CheckpointsUnreadable, match=r"checkpoints\.db, but: .+ put a backup"):
        async with open_workshop(Play()):
            pass
    assert (data_dir / "checkpoints.db").read_bytes() == content


async def test_a_place_that_cannot_be_opened_asks_for_rights_and_not_for_a_backup(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    (data_dir / "checkpoints.db").mkdir()
    with pytest.raises(CheckpointsUnreadable, match="Check that it is writable"):
        async with open_workshop(Play()):
            pass


async def test_damage_behind_the_first_page_is_found_by_looking_through(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play()) as desk:
        await desk.ask(thread="t", user="local", text="hi")
    settings, file = workshop(data_dir), data_dir / "checkpoints.db"
    assert await look_through(settings, 60) == f"{file} can be read"
    with file.open("r+b") as damaged:
        damaged.seek(4096)
        damaged.write(b"junk" * (file.stat().st_size // 4 - 1024))
    with pytest.raises(CheckpointsUnreadable, match="put a backup"):
        await look_through(settings, 60)


async def test_looking_through_a_file_ends_when_its_time_is_over(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play()) as desk:
        await desk.ask(thread="t", user="local", text="hi")
    file = data_dir / "hippograph.db"
    with closing(sqlite3.connect(file)) as books:
        books.execute("CREATE TABLE filling AS SELECT 1 AS x")
        for _ in range(16):
            books.execute("INSERT INTO filling SELECT x FROM filling")
        books.commit()
    assert damage_of(file, 60) == ""
    assert damage_of(file, 0) == ""
