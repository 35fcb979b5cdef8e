"""What the README shows works as it stands there."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest
import yaml
from typer.main import get_group

from configs.settings import load_settings
from graph.cli import app
from graph.cli_init import make_app

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The README's code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


async def test_the_python_example_answers_on_the_embedded_default(tmp_path: Path) -> None:
    (example,) = blocks("python")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        example,
        env={**os.environ, "HIPPOGRAPH_DATA_DIR": str(tmp_path)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 0, err.decode()
    assert out.decode().startswith("done INV-1042")


def test_the_model_settings_are_ones_that_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    make_app(tmp_path / "app")
    file = tmp_path / "app" / "app.yaml"
    shown = yaml.safe_load(blocks("yaml")[0])
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | shown), encoding="utf-8")
    assert load_settings(tmp_path / "app").models["expert"].provider == "openai"


def test_each_command_that_is_shown_exists() -> None:
    shown = set(re.findall(r"^hippograph (?:--app \S+ )?([a-z-]+)", README, re.MULTILINE))
    assert shown
    assert shown <= set(get_group(app).commands)
