"""A desk in a process of its own: does what it is told, and may be killed while it does.

    python -m tests.graph.child DATA_DIR '[["ask", "press"], ["approve"]]'

It prints one JSON line: the last reply's status and text, what waits, and a hash of each prompt.
"""

import asyncio
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from graph.replies import Reply
from graph.session import Desk, open_desk
from state import canonical_json
from tests.fakes.scripted import Prompt, scripted
from tests.forks import FORKS
from tests.graph.plays import Play, Turn, call
from tests.graph.workshop import workshop
from tools.effects import EffectRow

ROOT = Path(__file__).parents[2]
THREAD = "t"
PLAY = {
    "press": Turn(["hands"], {"hands": [[call("press_button", item="red")]]}),
    "pull": Turn(["hands"], {"hands": [[call("pull_lever", item="red")]]}),
    "peek": Turn(["hands"], {"hands": [[call("peek_shelf", shelf="C")], "I saw three boxes"]}),
}


def run(
    data_dir: Path, *steps: Sequence[str], kill_at: str | None = None, late_s: float = 0
) -> subprocess.CompletedProcess[str]:
    """Do the steps in a new process, `late_s` seconds from now, and wait for its end."""
    order = {"steps": steps, "kill_at": kill_at, "late_s": late_s}
    with TemporaryDirectory() as folder:
        said, failed = (Path(folder) / name for name in ("out", "err"))
        process = FORKS.Process(target=_forked, args=(data_dir, order, said, failed))
        process.start()
        process.join(60)
        code = process.exitcode
        process.kill()
        assert code is not None, "the process did not end"
        return subprocess.CompletedProcess([], code, said.read_text(), failed.read_text())


def run_seeded(data_dir: Path, *steps: Sequence[str], seed: str) -> dict[str, Any]:
    """Do the steps in a new interpreter with a seed of its own for hashes."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.graph.child", str(data_dir), json.dumps(steps)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        stdout=subprocess.PIPE,
        timeout=60,
        check=True,
    )
    result: dict[str, Any] = json.loads(ended.stdout)
    return result


def _forked(data_dir: Path, order: dict[str, Any], said: Path, failed: Path) -> None:
    for file, descriptor in ((said, 1), (failed, 2)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), descriptor)
    asyncio.run(_do(data_dir, **order))


async def _do(
    data_dir: Path,
    steps: Sequence[Sequence[str]],
    kill_at: str | None = None,
    late_s: float = 0,
) -> None:
    def on_transition(step: str, _row: EffectRow) -> None:
        if step == kill_at:
            die()

    async def script(
        role: str, messages: list[BaseMessage], tools: object
    ) -> AIMessage | str | Exception:
        if role == kill_at:
            die()
        return await play.say(role, messages, tools)

    play = Play(PLAY)
    models = scripted(script)
    play.models = models
    reply: Reply | None = None
    async with open_desk(
        workshop(data_dir, hippocampus={"drain_s": 0.0}),  # memory is for the process that tests
        models=models,
        clock=lambda: datetime.now(UTC) + timedelta(seconds=late_s),
        on_transition=on_transition,
    ) as desk:
        for verb, *words in steps:
            reply = await _step(desk, verb, words)
    assert reply is not None
    result = {
        "status": reply.status,
        "text": reply.text,
        "pending": [action.kind for action in reply.pending],
        "prompts": [digest_of(prompt) for prompt in play.prompts],
    }
    sys.stdout.write(json.dumps(result) + "\n")


async def _step(desk: Desk, verb: str, words: Sequence[str]) -> Reply:
    if verb == "ask":
        return await desk.ask(thread=THREAD, user="local", text=words[0])
    if verb == "resume":
        return await desk.resume(THREAD, user="local")
    waiting = await desk.pending(THREAD, user="local")
    decisions = [{"id": action.id, "type": "approve"} for action in waiting]
    return await desk.decide(THREAD, decisions, user="local")


def digest_of(prompt: Prompt) -> str:
    """A hash of all that a model is sent."""
    return hashlib.sha256(canonical_json([prompt.text, prompt.tools]).encode()).hexdigest()


def die() -> None:
    """End here, without any clean-up."""
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    asyncio.run(_do(Path(sys.argv[1]), json.loads(sys.argv[2])))
