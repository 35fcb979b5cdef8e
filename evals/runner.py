"""Run one evaluation here, or all of them in processes of their own, and show what came out."""

import asyncio
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from evals.errors import EvaluationFailed, NotReady
from evals.registry import EVALUATIONS, Evaluation, Outcome, Request, Value

RESULTS = Path(__file__).parent / "RESULTS.md"
ABSENT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One evaluation's row in the table of all."""

    name: str
    outcome: str
    seconds: float
    ran: bool
    failed: bool = False


def run_one(name: str, request: Request) -> Outcome:
    """Run an evaluation in this process.

    Raises:
        EvalError: the data or a part is absent, or the run could not be finished.
    """
    evaluation = EVALUATIONS[name]
    evaluation.check_data(request.data)
    evaluate = evaluation.load()

    async def whole() -> Outcome:
        return await evaluate(request)

    return asyncio.run(whole())


def show(name: str, outcome: Outcome, *, as_json: bool) -> None:
    """Write the table to stdout, and the figures as the last line when asked for."""
    console = Console(soft_wrap=True)
    table = Table(title=name, title_justify="left")
    table.add_column("figure")
    table.add_column("value", justify="right")
    for key, value in outcome.figures.items():
        table.add_row(key, _shown(value))
    console.print(table)
    for note in outcome.notes:
        console.print(note, markup=False)
    if as_json:
        sys.stdout.write(json.dumps(dict(outcome.figures)) + "\n")
        sys.stdout.flush()


def show_list() -> None:
    """Write the names of all evaluations with what each is for."""
    table = Table(title="evaluations", title_justify="left")
    for heading in ("name", "what it measures", "data it reads"):
        table.add_column(heading)
    for evaluation in EVALUATIONS.values():
        folders = sorted({str(Path(path).parent) for path in evaluation.needs})
        table.add_row(evaluation.name, evaluation.purpose, ", ".join(folders) or "none")
    Console().print(table)


def run_all(request: Request, results: Path = RESULTS) -> list[Line]:
    """Run every evaluation in a process of its own and write the table of all to `results`."""
    lines = [_in_process(evaluation, request) for evaluation in EVALUATIONS.values()]
    results.write_text(render_results(lines, request), encoding="utf-8")
    request.progress.print(f"written: {results}")
    return lines


def _in_process(evaluation: Evaluation, request: Request) -> Line:
    request.progress.rule(evaluation.name)
    started = time.monotonic()
    command = [
        sys.executable,
        "-m",
        "evals",
        evaluation.name,
        "--data",
        str(request.data),
    ]
    command += ["--json"] + (["--limit", str(request.limit)] if request.limit else [])
    root = Path(__file__).parent.parent
    process = subprocess.run(command, stdout=subprocess.PIPE, cwd=root, text=True, check=False)
    seconds = time.monotonic() - started
    if process.returncode == ABSENT:
        return Line(name=evaluation.name, outcome="not run", seconds=seconds, ran=False)
    try:
        figures = read_figures(process.stdout)
    except EvaluationFailed as error:
        return Line(
            name=evaluation.name, outcome=str(error), seconds=seconds, ran=True, failed=True
        )
    shown = ", ".join(f"{key} {_shown(value)}" for key, value in figures.items())
    return Line(name=evaluation.name, outcome=shown, seconds=seconds, ran=True)


def read_figures(stdout: str) -> dict[str, Value]:
    """The JSON object in the last line of an evaluation's output.

    Raises:
        EvaluationFailed: there is none.
    """
    lines = stdout.strip().splitlines()
    try:
        figures = json.loads(lines[-1]) if lines else None
    except ValueError:
        figures = None
    if not isinstance(figures, dict):
        came = lines[-1][:200] if lines else "nothing"
        raise EvaluationFailed(f"wanted a JSON object as the last line, came {came!r}")
    return figures


def render_results(lines: Sequence[Line], request: Request) -> str:
    """The table of all evaluations as Markdown, with machine, versions and date."""
    limit = f"the first {request.limit} of each kind" if request.limit else "all of the data"
    rows = [f"| {line.name} | {line.outcome} | {line.seconds:.0f} |" for line in lines]
    return "\n".join(
        [
            "# Results",
            "",
            f"Made by `python -m evals all` on {datetime.now(UTC):%Y-%m-%d} with {limit}.",
            "",
            f"Machine: {_machine()}.",
            f"Versions: {_versions(('langgraph', 'langchain-core', 'langgraph-supervisor'))}.",
            "",
            "| evaluation | figures | s |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def _machine() -> str:
    pages, page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    memory = f"{pages * page / 2**30:.0f} GiB"
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} cores, {memory}, {system}"


def _versions(packages: Iterable[str]) -> str:
    try:
        return ", ".join(f"{package} {version(package)}" for package in packages)
    except ModuleNotFoundError as error:
        message = f"{error.name} is not installed; run `make install` first"
        raise NotReady(message) from error


def _shown(value: Value) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(inner)}" for key, inner in value.items())
    return f"{value:.3f}" if isinstance(value, float) else str(value)
