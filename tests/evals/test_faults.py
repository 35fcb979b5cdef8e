import dataclasses
from pathlib import Path

import pytest
from rich.console import Console

from evals.faults import IDS, all_cases, evaluate, outcome
from evals.faults_bench import Bench, Case, Result, run_case
from evals.faults_provider import broken_rules
from evals.registry import Request

CASES = all_cases()


def named(fault: str, title: str) -> Case:
    return next(case for case in CASES if case.fault == fault and case.title.startswith(title))


def test_every_row_has_a_case() -> None:
    assert {case.fault for case in CASES} == set(IDS)
    assert len(CASES) >= 60
    assert len({(case.fault, case.title) for case in CASES}) == len(CASES)


@pytest.mark.parametrize(
    ("fault", "title"),
    [
        ("3.4", "three calls are cancelled"),
        ("6.2", "Retry-After beyond the deadline"),
        ("6.6", "tools are refused, vLLM, streamed"),
        ("6.9", "the router, a refusal"),
        ("6.13", "a prompt larger than the provider holds"),
        ("6.16", "the same call for ever"),
    ],
)
async def test_a_case_comes_out_right(fault: str, title: str) -> None:
    result = await run_case(named(fault, title))
    assert result.problem == ""
    assert result.requests <= result.case.most_requests


async def test_a_case_that_costs_too_many_requests_is_wrong() -> None:
    case = dataclasses.replace(named("6.9", "the router, a refusal"), most_requests=0)
    assert "requests: wanted 'at most 0', came '1'" in (await run_case(case)).problem


async def test_a_case_that_dies_is_wrong() -> None:
    async def die(_: Bench) -> None:
        message = "no such thing"
        raise LookupError(message)

    case = Case(fault="3.1", title="dies", body=die, most_requests=0)
    assert (await run_case(case)).problem == "LookupError: no such thing"


def test_a_row_with_a_wrong_case_is_missing() -> None:
    results = [
        Result(case=case, problem="it broke" if case.fault == "6.3" else "", requests=1, seconds=0)
        for case in CASES
    ]
    found = outcome(results)
    assert found.figures["ids_missing"] == ["6.3"]
    assert found.figures["right"] == len(CASES) - sum(case.fault == "6.3" for case in CASES)
    assert "6.4" in found.notes[0]


async def test_the_evaluation_plays_what_it_is_asked_for(tmp_path: Path) -> None:
    request = Request(data=tmp_path, limit=1, progress=Console(quiet=True))
    found = await evaluate(request)
    assert (found.figures["cases"], found.figures["right"]) == (1, 1)


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "tool", "tool_call_id": "a", "content": "x"}],
        [{"role": "assistant", "content": None}],
        [{"role": "assistant", "tool_calls": [{"id": "a", "function": {"arguments": "{}"}}]}],
        [
            {"role": "assistant", "tool_calls": [{"id": "a", "function": {"arguments": "{"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "x"},
        ],
    ],
)
def test_the_provider_refuses_what_strict_ones_refuse(messages: list[dict[str, object]]) -> None:
    assert broken_rules([{"role": "user", "content": "hi"}, *messages])
