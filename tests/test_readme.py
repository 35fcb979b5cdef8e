"""What the README shows works as it stands there."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_group

from configs.expert import ParameterConfig
from configs.settings import Settings, load_settings
from evals.registry import EVALUATIONS
from graph.cli import app
from graph.cli_init import make_app
from tests.test_architecture import HEAVY

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROSE = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
COMMANDS: Any = get_group(app)
FLAG = re.compile(r"--[a-z-]+")
LISTENING = """
import sys
from graph.session import Desk
ask = Desk.ask
async def listening(*args, **kwargs):
    reply = await ask(*args, **kwargs)
    print("loaded:", *sys.modules, file=sys.stderr)
    return reply
Desk.ask = listening
"""


def commands_shown() -> list[str]:
    """Each command of the README without the program's name, its comment with it."""
    lines = re.findall(r"^hippograph (.+)$", README, re.MULTILINE)
    groups = "|".join(name for name, one in COMMANDS.commands.items() if hasattr(one, "commands"))
    return lines + re.findall(rf"`(?:hippograph (?=[a-z-])|(?=(?:{groups}) ))([^`]+)`", PROSE)


def command_of(words: Sequence[str]) -> Any:  # noqa: ANN401 - Typer's own kind of click's Command
    """The command that a line calls; each of its words and options must be known."""
    command: Any = COMMANDS
    left = list(words)
    while left:
        word = left.pop(0)
        if FLAG.fullmatch(word):
            options = options_of(command)
            assert word in options, f"{command.name} has no {word}"
            if not options[word].is_flag:
                left.pop(0)
        elif hasattr(command, "commands"):
            assert word in command.commands, f"there is no command {word!r}"
            command = command.commands[word]
    return command


def options_of(command: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    """The options of one command by their names."""
    return {
        name: option
        for option in command.params
        for name in (*option.opts, *option.secondary_opts)
        if name.startswith("--")
    }


def every_command(group: Any) -> Iterator[Any]:  # noqa: ANN401 - as above
    """A group and all that is in it."""
    yield group
    for command in getattr(group, "commands", {}).values():
        yield from every_command(command)


def blocks(language: str) -> list[str]:
    """The README's code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """The Python example, run in a process that says on stderr what was loaded at the answer."""
    (shown,) = blocks("python")
    data_dir = str(tmp_path_factory.mktemp("data"))
    return subprocess.run(
        [sys.executable, "-c", LISTENING + shown],
        env={**os.environ, "HIPPOGRAPH_DATA_DIR": data_dir},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_python_example_answers_on_the_embedded_default(
    example: subprocess.CompletedProcess[str],
) -> None:
    assert example.returncode == 0, example.stderr
    assert example.stdout.startswith("done INV-1042")


def test_a_first_answer_comes_before_what_takes_seconds_to_load(
    example: subprocess.CompletedProcess[str],
) -> None:
    """Vectors wait for something to search, names and the engine for the background."""
    (loaded,) = re.findall(r"^loaded: (.*)$", example.stderr, re.MULTILINE)
    assert set(loaded.split()) & set(HEAVY) == {"tiktoken", "text_to_num"}


def with_shown(app: Path, key: str) -> Settings:
    """A new app with the settings of the README's example that sets the key."""
    make_app(app)
    file = app / "app.yaml"
    (shown,) = [one for one in map(yaml.safe_load, blocks("yaml")) if key in one]
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | shown), encoding="utf-8")
    return load_settings(app)


def test_the_model_settings_are_ones_that_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    assert with_shown(tmp_path / "app", "models").models["expert"].provider == "openai"


def test_the_clock_and_the_purpose_are_ones_that_load(tmp_path: Path) -> None:
    settings = with_shown(tmp_path / "app", "serves")
    assert "bakery" in settings.charter
    assert settings.clock.timezone == "Europe/Berlin"


def test_the_names_of_a_parameter_are_declared_as_shown() -> None:
    (shown,) = [one for one in map(yaml.safe_load, blocks("yaml")) if "tools" in one]
    for name, declared in shown["tools"][0]["parameters"].items():
        names = ParameterConfig.model_validate(declared).names
        assert names is not None, name
        assert (names.tool, names.field, names.id) == ("list_customers", "name", "id")


@pytest.mark.parametrize("line", commands_shown())
def test_each_command_that_is_shown_exists_with_its_options(line: str) -> None:
    shown, _, comment = line.partition("#")
    command: Any = COMMANDS
    for part in re.split(r"\s\|\s", shown):
        command = command_of(shlex.split(part))
    unknown = set(FLAG.findall(comment)) - set(options_of(command))
    assert unknown == set(), f"of {command.name}"


def test_each_option_that_is_named_alone_is_one_of_some_command() -> None:
    named = set(re.findall(r"`(--[a-z-]+)", PROSE))
    known = {name for command in every_command(COMMANDS) for name in options_of(command)}
    assert named
    assert named <= known


def test_each_subcommand_that_is_listed_exists() -> None:
    ((group, names),) = re.findall(r"`(\w+)` also has ([\w, ]+)", README)
    assert set(re.findall(r"\w+", names)) <= set(COMMANDS.commands[group].commands)


def test_each_target_and_evaluation_that_is_shown_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^make ([a-z]+)|`make ([a-z]+)", README, re.MULTILINE))
    evaluations = set(re.findall(r"python -m evals ([a-z_]+)", README))
    assert targets
    assert {one or other for one, other in targets} <= set(
        re.findall(r"^([a-z]+):", makefile, re.MULTILINE)
    )
    assert evaluations <= set(EVALUATIONS)
