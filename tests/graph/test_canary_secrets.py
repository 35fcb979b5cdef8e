"""A secret in the environment, one in a config and one in a tool's result turn up nowhere else."""

import logging
import zlib
from pathlib import Path

import pytest
from langchain_core.tracers.context import collect_runs
from langchain_core.tracers.schemas import Run
from sqlalchemy import select

from configs.settings import ExpertConfig
from graph.session import Desk
from memory.tables import artifacts
from state import Scope
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Step, Turn, call
from tools.spec import ToolError

ENVIRONMENT = "zq417-canary-of-the-environment"
CONFIG = "sk-zq417CanaryOfTheConfig0123456789"
TOKEN = "ghp_zq417CanaryOfTheTool0123456789abcdef"
CANARIES = (ENVIRONMENT, CONFIG, TOKEN)


def read_token() -> dict[str, str]:
    return {"token": TOKEN, "seen": ENVIRONMENT, "header": f"Authorization: Bearer {TOKEN}"}


def read_much() -> str:
    return f"{'all is well ' * 1000} {TOKEN} {ENVIRONMENT}"


def read_failing() -> str:
    logging.getLogger("a tool").warning("refused %s", TOKEN)
    raise ToolError(f"401 for {TOKEN}", hint=f"renew {ENVIRONMENT}")


def read_breaking() -> str:
    raise ValueError(TOKEN)


def write_token(*, to: str) -> str:
    return f"{to} has {TOKEN} and {ENVIRONMENT}"


NAMES = ("read_token", "read_much", "read_failing", "read_breaking")
STEPS: list[Step] = [
    [call(name) for name in NAMES],
    [call("write_token", to="Ana")],
    "done",
]


def keeper() -> ExpertConfig:
    tools = [
        {
            "name": name,
            "function": f"{__name__}:{name}",
            "effect": "irreversible" if name.startswith("write") else "read_only",
            "description": name,
            "when": "a test says so",
            "returns": "a secret",
        }
        for name in (*NAMES, "write_token")
    ]
    texts = dict.fromkeys(("title", "description", "brief"), "Keeps secrets.")
    return ExpertConfig.model_validate({"name": "keeper", "tools": tools, **texts})


async def stored_bodies(desk: Desk) -> list[bytes]:
    """Every artifact's text, unpacked."""
    query = select(artifacts.c.encoding, artifacts.c.body)
    rows = await desk.services.database.read(lambda conn: conn.execute(query).all())
    return [zlib.decompress(row.body) if row.encoding == "zlib" else row.body for row in rows]


def all_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def traced(runs: list[Run]) -> str:
    """All that a tracer gets to see of runs and the runs inside them."""
    return "".join(
        f"{run.inputs} {run.outputs} {run.extra} {run.error} {traced(run.child_runs)}"
        for run in runs
    )


def found_in(data: bytes) -> list[str]:
    return [canary for canary in CANARIES if canary.encode() in data]


async def test_a_secret_is_in_no_checkpoint_log_trace_or_memory(
    open_workshop: OpenDesk,
    data_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("WAREHOUSE_TOKEN", ENVIRONMENT)
    play = Play({"go": Turn(["keeper"], {"keeper": STEPS})})
    profile = {"provider": "openai", "model": "m", "extra_body": {"api_key": CONFIG}}
    settings = {"experts": (keeper(),), "models": {"default": profile}}
    with collect_runs() as runs:
        async with open_workshop(play, **settings) as desk:
            await desk.ask(thread="t", user="local", text="go")
            (action,) = await desk.pending("t", user="local")
            await desk.decide("t", [{"id": action.id, "type": "approve"}], user="local")
            audit = await desk.services.tool_log.calls(Scope(user="local"))
            bodies = await stored_bodies(desk)
            logging.getLogger("memory").error("it said %s", ENVIRONMENT)
    assert [one.call.masked > 0 for one in audit if one.call.outcome == "ok"] == [True] * 3
    assert "[masked" in b"".join(bodies).decode()
    assert not found_in(b"".join(bodies))
    files = all_files(data_dir)
    assert {"hippograph.db", "checkpoints.db"} <= set(files)
    assert not {name: found for name, data in files.items() if (found := found_in(data))}
    assert "[masked" in caplog.text
    assert not found_in(caplog.text.encode())
    seen = traced(runs.traced_runs)
    assert "[masked" in seen
    assert not found_in(seen.encode())
    assert not found_in("".join(prompt.text for prompt in play.prompts).encode())
