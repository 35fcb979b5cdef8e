"""The pipeline's figures are measured at a real executor, whose tools are found by their names."""

from pathlib import Path

from rich.console import Console

from evals.pipeline import evaluate
from evals.registry import Request


async def test_one_round_gives_both_figures(tmp_path: Path) -> None:
    request = Request(data=tmp_path, limit=1, progress=Console(stderr=True, quiet=True))
    outcome = await evaluate(request)
    assert set(outcome.figures) == {"parallel_ms", "overhead_ms"}
    parallel = outcome.figures["parallel_ms"]
    assert isinstance(parallel, float)
    assert 200 <= parallel < 8 * 200
