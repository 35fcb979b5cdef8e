"""A provider that misbehaves on command, and what the product makes of it, case by case over HTTP.

Every case names a row of the list of known failures, checks the typed error or the behaviour, the
provider's request log and that the thread goes on in a next turn.
"""

import importlib
import logging
from collections.abc import Sequence
from typing import Final

from evals.faults_bench import Case, Result, run_case
from evals.registry import Outcome, Request

FILES: Final = ("limits", "budgets", "replies", "broken", "history", "counts")
HISTORY_IDS: Final = (
    *(1, 2, 3, 4, 5, 6, 8, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24, 25, 27, 28),
)
PROVIDER_IDS: Final = (*range(1, 10), 11, *range(13, 19))
IDS: Final = (
    *(f"3.{number}" for number in HISTORY_IDS),
    *(f"6.{number}" for number in PROVIDER_IDS),
    "7.11",
)


async def evaluate(request: Request) -> Outcome:
    """Play every case, one after the other."""
    logging.disable(logging.WARNING)
    results = []
    for case in all_cases()[: request.limit]:
        result = await run_case(case)
        _show(request, result)
        results.append(result)
    logging.disable(logging.NOTSET)
    return outcome(results)


def all_cases() -> list[Case]:
    """The cases of all files, by their row."""
    modules = [importlib.import_module(f"evals.faults_{name}") for name in FILES]
    cases = [case for module in modules for case in module.catalogue.cases]
    return sorted(cases, key=lambda case: tuple(map(int, case.fault.split("."))))


def outcome(results: Sequence[Result]) -> Outcome:
    """The figures; a row counts as covered when all of its cases came out right."""
    wrong = {result.case.fault for result in results if result.problem}
    covered = [name for name in IDS if name in {r.case.fault for r in results} - wrong]
    missing = [name for name in IDS if name not in covered]
    notes = [f"wrong: {_named(result)}: {result.problem}" for result in results if result.problem]
    return Outcome(
        figures={
            "cases": len(results),
            "right": sum(not result.problem for result in results),
            "max_requests_per_case": max((result.requests for result in results), default=0),
            "ids_missing": missing,
        },
        notes=(f"ids_covered: {', '.join(covered)}", *notes),
    )


def _show(request: Request, result: Result) -> None:
    mark = "wrong" if result.problem else "right"
    line = f"{mark} {_named(result)}: {result.requests} requests, {result.seconds:.1f} s"
    request.progress.print(line, markup=False, highlight=False)


def _named(result: Result) -> str:
    return f"{result.case.fault} {result.case.title}"
