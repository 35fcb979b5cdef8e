import json
from pathlib import Path

import pytest
from rich.console import Console

from evals.__main__ import main
from evals.errors import EvaluationFailed, NotReady
from evals.registry import EVALUATIONS, Evaluation, Outcome, Request
from evals.runner import Line, read_figures, render_results, show


def request(data: Path, limit: int | None = None) -> Request:
    return Request(data=data, limit=limit, progress=Console(stderr=True))


def test_absent_data_is_exit_code_two_and_names_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["tau_replay", "--data", str(tmp_path), "--json"])
    written = capsys.readouterr()
    assert (code, written.out) == (2, "")
    assert "tau_bench/retail/orders.json" in written.err


def test_the_list_names_every_evaluation(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["--list"])
    written = capsys.readouterr().out
    assert code == 0
    assert all(name in written for name in EVALUATIONS)


def test_the_figures_are_the_last_line(capsys: pytest.CaptureFixture[str]) -> None:
    figures = {"right": 3, "ratio": 0.51, "help_s": None}
    show("sample", Outcome(figures=figures, notes=("a note",)), as_json=True)
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == figures


def test_output_without_figures_is_a_failure_that_quotes_it() -> None:
    with pytest.raises(EvaluationFailed, match="Killed"):
        read_figures("a table\nKilled\n")


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    absent = Evaluation(name="x", module="evals.no_such_part", purpose="")
    with pytest.raises(NotReady, match="no_such_part"):
        absent.load()


def test_the_results_carry_the_limit_and_every_row(tmp_path: Path) -> None:
    lines = [
        Line(name="crash", outcome="points 5", seconds=2.4, ran=True),
        Line(name="latency", outcome="not run", seconds=0.1, ran=False),
    ]
    text = render_results(lines, request(tmp_path, limit=5))
    assert "the first 5 of each kind" in text
    assert "| crash | points 5 | 2 |" in text
    assert "| latency | not run | 0 |" in text


def test_a_limit_below_one_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["crash", "--limit", "0"])
    assert "wanted 1 or more" in capsys.readouterr().err
