import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from configs.settings import load_settings
from graph.cli_init import make_app
from memory.database import Database
from memory.episodes import EpisodeItem
from memory.sql_episodes import SqlEpisodes
from state import Scope
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk


@pytest.fixture
def app(tmp_path: Path) -> Path:
    make_app(tmp_path)
    asyncio.run(remember(tmp_path, "ada", "ep_old", day=1))
    asyncio.run(remember(tmp_path, "ada", "ep_new", day=2))
    asyncio.run(remember(tmp_path, "ben", "ep_ben", day=3))
    return tmp_path


@pytest.fixture
def shell() -> Shell:
    return Shell(FakeDesk())


async def remember(app: Path, user: str, id_: str, *, day: int) -> None:
    database = await Database.open(load_settings(app).database_url)
    item = EpisodeItem(
        id=id_,
        kind="episode",
        text=f"Refunded an invoice on day {day}.",
        thread="main",
        turn_id=f"turn_{day}",
        occurred_at=datetime(2030, 1, day, tzinfo=UTC),
        result="positive",
    )
    await SqlEpisodes(database).scoped(Scope(user=user)).add([item])
    await database.close()


def test_memories_are_listed_newest_first_and_only_ones_own(app: Path, shell: Shell) -> None:
    assert shell("memory", "ls", "--app", str(app), "--user", "ada", "--json") == 0
    assert [item["id"] for item in shell.document()] == ["ep_new", "ep_old"]


def test_memories_are_a_table_for_people(app: Path, shell: Shell) -> None:
    shell("memory", "ls", "--app", str(app), "--user", "ben")
    assert "Refunded an invoice on day 3." in shell.out


def test_nothing_remembered_is_said(app: Path, shell: Shell) -> None:
    assert shell("memory", "ls", "--app", str(app), "--user", "cleo") == 0
    assert "Nothing is remembered yet." in shell.out


def test_one_memory_is_shown_whole(app: Path, shell: Shell) -> None:
    assert shell("memory", "show", "ep_old", "--app", str(app), "--user", "ada") == 0
    assert "thread main, turn turn_1" in shell.out


def test_anothers_memory_is_unknown(app: Path, shell: Shell) -> None:
    assert shell("memory", "show", "ep_ben", "--app", str(app), "--user", "ada") == 2
    assert "there is no memory 'ep_ben' for you" in shell.err
