"""How long a person waits for the command line: the help page, and a first answer.

Python keeps bytecode, as it does unless it is told not to: a build machine that forbids it would
compile all of the project at each start.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from evals.errors import EvaluationFailed

TRIES = 5
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
QUESTION = "Which invoices are overdue?"
ROOT = Path(__file__).parent.parent


def command_line() -> list[str]:
    """The installed command, or its module where it is not installed."""
    script = Path(sys.executable).parent / "hippograph"
    return [str(script)] if script.exists() else [sys.executable, "-m", "graph.cli"]


def help_seconds() -> float:
    """Median seconds of `hippograph --help`, from start to exit."""
    return statistics.median(_timed([*command_line(), "--help"], {})[1] for _ in range(TRIES))


def first_answer_seconds() -> tuple[float, float]:
    """Median seconds of a first `hippograph ask` in an empty data folder: to the answer, to exit.

    Work for memory goes on after the answer is shown, hence the two figures.
    """
    shown, ended = zip(*(_first_answer() for _ in range(TRIES)), strict=True)
    return statistics.median(shown), statistics.median(ended)


def _first_answer() -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        asked = [*command_line(), "ask", "--thread", "first", "--json", QUESTION]
        return _timed(asked, {"HIPPOGRAPH_DATA_DIR": folder})


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != NO_BYTECODE}


def _timed(command: Sequence[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds until the first full line of output and until exit.

    Raises:
        EvaluationFailed: the command failed or said nothing.
    """
    started = time.perf_counter()
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env={**_environment(), **environment},
        text=True,
    ) as process:
        if process.stdout is None or process.stderr is None:
            raise EvaluationFailed("wanted pipes to the command, came none")
        first = process.stdout.readline()
        shown = time.perf_counter() - started
        process.stdout.read()
        said = process.stderr.read()
        code = process.wait()
    ended = time.perf_counter() - started
    if code != 0 or not first:
        came = json.dumps({"exit": code, "stderr": said[-500:]})
        raise EvaluationFailed(f"wanted an answer of {' '.join(command)}, came {came}")
    return shown, ended
