from pathlib import Path

import pytest

from configs.settings import load_settings
from graph.cli_init import make_app
from graph.cli_options import UsageError
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk
from tools.spec import ToolContext, ToolError, load_tool


@pytest.fixture
def shell() -> Shell:
    return Shell(FakeDesk())


def context_of(app: Path, user: str = "ada", key: str = "k1") -> ToolContext:
    return ToolContext(
        app_dir=app,
        data_dir=app / ".hippograph",
        tenant="default",
        user=user,
        teams=(),
        thread="main",
        idempotency_key=key,
    )


def test_a_new_app_loads_with_the_sample_company_and_an_own_expert(tmp_path: Path) -> None:
    make_app(tmp_path / "desk")
    names = [expert.name for expert in load_settings(tmp_path / "desk").experts]
    assert {"billing", "reminders"} <= set(names)


def test_a_new_app_holds_no_code_of_the_project(tmp_path: Path) -> None:
    files = make_app(tmp_path)
    assert [name for name in files if name.endswith(".py")] == ["own_tools.py"]


def test_the_own_tools_work(tmp_path: Path) -> None:
    make_app(tmp_path)
    expert = next(one for one in load_settings(tmp_path).experts if one.name == "reminders")
    add, listing = (load_tool(tool, tmp_path, "reminders").function for tool in expert.tools)
    added = add(context_of(tmp_path), text="call the accountant", day="2030-01-02")
    again = add(context_of(tmp_path), text="call the accountant", day="2030-01-02")
    assert added == again
    assert listing(context_of(tmp_path)) == [added]
    assert listing(context_of(tmp_path, user="ben")) == []
    with pytest.raises(ToolError, match="wanted a day as YYYY-MM-DD"):
        add(context_of(tmp_path, key="k2"), text="x", day="tomorrow")


def test_init_says_what_to_do_next(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "desk"
    assert shell("init", str(folder)) == 0
    assert f"hippograph chat --app {folder}" in shell.out


def test_init_leaves_a_full_folder_alone(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert shell("init", str(tmp_path), "--json") == 2
    assert "is not an empty folder" in shell.document()["error"]["message"]
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError):
        make_app(tmp_path / "file")
