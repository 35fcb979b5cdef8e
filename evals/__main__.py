"""`python -m evals NAME --data DIR --json`: exit 0 when it ran, 2 when its data are absent."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from evals.errors import DataAbsent, EvalError, NotReady
from evals.registry import EVALUATIONS, Request
from evals.runner import ABSENT, run_all, run_one, show, show_list

DEFAULT_DATA = Path("../shared/data")
FAILED = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line names.

    Returns:
        0 when it ran, 2 when data or a part it needs are absent, 1 when it failed.
    """
    options = _parser().parse_args(arguments)
    progress = Console(stderr=True)
    if options.list or options.name is None:
        show_list()
        return 0
    request = Request(
        data=options.data.resolve(),
        limit=options.limit,
        progress=progress,
        only=options.only,
        show=options.show,
    )
    try:
        if options.name == "all":
            return _run_all(request)
        show(options.name, run_one(options.name, request), as_json=options.json)
    except EvalError as error:
        progress.print(f"not run: {error}", markup=False, soft_wrap=True)
        return ABSENT if isinstance(error, DataAbsent | NotReady) else FAILED
    return 0


def _run_all(request: Request) -> int:
    lines = run_all(request)
    if any(line.failed for line in lines):
        return FAILED
    return 0 if any(line.ran for line in lines) else ABSENT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals", description=__doc__)
    parser.add_argument("name", nargs="?", choices=[*EVALUATIONS, "all"], metavar="NAME")
    parser.add_argument("--list", action="store_true", help="show what there is")
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, metavar="DIR")
    parser.add_argument("--json", action="store_true", help="figures as the last line of stdout")
    parser.add_argument("--limit", type=_positive, metavar="N", help="only the first N of a kind")
    for option, purpose in (
        ("--only", "embedded: play these sets only"),
        ("--show", "embedded: print what went wrong at these desks of the checkout"),
    ):
        parser.add_argument(option, type=_names, default=(), metavar="NAME,NAME", help=purpose)
    return parser


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"wanted 1 or more, came {text!r}")
    return number


if __name__ == "__main__":
    sys.exit(main())
