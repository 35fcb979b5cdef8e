"""Commands about a turn that is over, on the sample company: a thumb, budgets, caches, jobs."""

import asyncio
from pathlib import Path

import pytest

from configs.settings import load_settings
from graph.session import open_desk
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of an app in which one question was answered."""
    folder = tmp_path_factory.mktemp("answered")

    async def ask() -> None:
        async with open_desk(load_settings(data_dir=folder)) as desk:
            await desk.ask(thread="main", user="local", text="Show me invoice INV-1042")

    asyncio.run(ask())
    return folder


@pytest.fixture
def shell(answered: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("HIPPOGRAPH_DATA_DIR", str(answered))
    return Shell(FakeDesk())


def test_a_thumb_says_what_it_has_changed(shell: Shell) -> None:
    assert shell("feedback", "main", "--good") == 0
    assert "new memories were credited" in shell.out
    note = "never show what was paid"
    assert shell("feedback", "main", "--bad", "--note", note, "--json") == 0
    lesson = shell.document()["lesson"]
    assert shell("memory", "ls", "--json") == 0
    assert note in {item["id"]: item["text"] for item in shell.document()}[lesson]
    assert shell("feedback", "main", "--bad", "--note", note) == 0
    assert "new memories were debited" in shell.out
    assert "Remembered as a lesson" in shell.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("main",), "wanted --good or --bad"),
        (("main", "--good", "--turn", "7"), "7"),
        (("nowhere", "--good"), "nowhere"),
    ],
)
def test_a_thumb_that_points_nowhere_is_refused(
    shell: Shell, words: tuple[str, ...], said: str
) -> None:
    assert shell("feedback", *words) == 2
    assert said in shell.err


def test_each_model_call_is_shown_with_its_budget(shell: Shell) -> None:
    assert shell("show", "main", "--budget", "--json") == 0
    rows = shell.document()
    assert [row["module"] for row in rows] == ["router", "billing", "billing", "synthesizer"]
    assert all(row["system"] > 0 and row["reply"] >= 0 for row in rows)
    assert shell("show", "main", "--budget") == 0
    assert "synthesizer" in shell.out


def test_a_prediction_is_compared_module_by_module(shell: Shell) -> None:
    assert shell("cache-report", "main", "--rule", "openai", "--json") == 0
    rows = {row["module"]: row for row in shell.document()["rows"]}
    assert rows["billing"]["calls"] == 2
    assert rows["billing"]["tokens"] > 0
    assert shell("cache-report", "main") == 0
    assert "predicted" in shell.out


def test_a_conversation_becomes_memory_by_hand_and_its_jobs_are_listed(shell: Shell) -> None:
    assert shell("consolidate", "main", "--json") == 0
    made = shell.document()
    assert made["state"] == "done"
    assert shell("jobs", "--json") == 0
    found = {job["id"]: job for job in shell.document()}
    assert found[made["id"]]["thread"] == "main"
    assert shell("jobs", "--retry", "all") == 0
    assert "0 job(s) tried again." in shell.out
    assert made["id"][:12] in shell.out
    assert shell("jobs", "--retry", "no-such-job") == 2
    assert "no-such-job" in shell.err
    assert shell("worker", "--once", "--json") == 0
    assert shell.document() == {"handled": 0}
