"""Reads: tried again where that helps, cached for one scope, limited, kept with an audit row."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from configs.masking import Masking
from memory.artifacts import Artifacts
from memory.tool_log import ToolCallRow, ToolLog
from state import CallRecord
from tests.tools.parts import ADA, SITE, a_call, spec_of
from tools.checking import CheckedCall
from tools.errors import ToolError
from tools.executor import Executor
from tools.ledger import Ledger
from tools.registry import Registry
from tools.spec import CallSite, ToolSpec

Make = Callable[..., Executor]
TOKEN = "ghp_" + "a1B2c3D4e5" * 4


@pytest.fixture
def make(artifacts: Artifacts, ledger: Ledger, log: ToolLog, tmp_path: Path) -> Make:
    def build(*specs: ToolSpec) -> Executor:
        return Executor(
            Registry(specs),
            artifacts,
            ledger,
            log,
            app_dir=tmp_path,
            data_dir=tmp_path,
            masking=Masking.of(["the-very-secret-value"]),
        )

    return build


class Flaky:
    """Fails so many times, then answers."""

    def __init__(self, error: Exception, times: int) -> None:
        self.error, self.times, self.ran = error, times, 0

    def __call__(self) -> str:
        self.ran += 1
        if self.ran <= self.times:
            raise self.error
        return f"answer {self.ran}"


async def observed(
    executor: Executor,
    ordinal: int = 0,
    site: CallSite = SITE,
    **args: Any,  # noqa: ANN401
) -> CallRecord:
    checked = executor.check(a_call("look", **args), site)
    assert isinstance(checked, CheckedCall), checked
    return await executor.observe(checked, ordinal, site)


async def rows(log: ToolLog) -> list[ToolCallRow]:
    return [one.call for one in await log.calls(ADA)]


@pytest.mark.parametrize("error", [ToolError("busy", retryable=True), ConnectionError("reset")])
async def test_a_read_that_may_work_later_is_tried_again(
    make: Make, log: ToolLog, error: Exception
) -> None:
    flaky = Flaky(error, 2)
    executor = make(spec_of(lambda: flaky(), name="look", tries=3))
    record = await observed(executor)
    assert (record["status"], flaky.ran) == ("ok", 3)
    assert [row.tries for row in await rows(log)] == [3]


@pytest.mark.parametrize("error", [ToolError("no such thing", kind="not_found"), ValueError("x")])
async def test_a_read_that_will_not_work_is_tried_once(make: Make, error: Exception) -> None:
    flaky = Flaky(error, 5)
    executor = make(spec_of(lambda: flaky(), name="look", tries=3))
    assert (await observed(executor))["status"] == "error"
    assert flaky.ran == 1


async def test_tries_end(make: Make) -> None:
    flaky = Flaky(ToolError("busy", retryable=True), 5)
    executor = make(spec_of(lambda: flaky(), name="look", tries=2))
    assert "busy" in (await observed(executor))["note"]
    assert flaky.ran == 2


async def test_a_cached_result_serves_its_own_scope_until_something_changes(
    make: Make, ledger: Ledger, log: ToolLog
) -> None:
    flaky = Flaky(ValueError(), 0)
    pay = spec_of(lambda: "paid", name="pay", effect="idempotent")
    executor = make(spec_of(lambda: flaky(), name="look", cache_s=60), pay)
    await observed(executor, 0)
    await observed(executor, 1)
    assert flaky.ran == 1
    await observed(executor, 2, replace(SITE, user="ben"))
    await observed(executor, 3, replace(SITE, teams=("support", "finance")))
    assert flaky.ran == 3
    checked = executor.check(a_call("pay"), SITE)
    assert isinstance(checked, CheckedCall)
    row = await executor.prepare(checked, 4, SITE, ttl_s=60)
    await executor.perform(row, SITE)
    await observed(executor, 5)
    assert flaky.ran == 4
    assert [row.cached for row in await rows(log)] == [False, True, False, False, False]


async def test_a_tool_is_called_so_many_times_a_turn(make: Make) -> None:
    executor = make(spec_of(lambda: "x", name="look", max_calls=2))
    ended = [(await observed(executor, n))["status"] for n in range(3)]
    next_turn = await observed(executor, 0, replace(SITE, turn_id="u2"))
    assert (ended, next_turn["status"]) == (["ok", "ok", "error"], "ok")


async def test_a_tool_for_a_team_is_for_its_members(make: Make) -> None:
    executor = make(spec_of(lambda: "x", name="look", allowed_teams=("finance",)))
    refused = executor.check(a_call("look"), SITE)
    assert not isinstance(refused, CheckedCall)
    assert "for members of finance" in refused["note"]
    allowed = executor.check(a_call("look"), replace(SITE, teams=("finance",)))
    assert isinstance(allowed, CheckedCall)


async def test_secrets_are_masked_in_what_is_kept_shown_and_audited(
    make: Make, artifacts: Artifacts, log: ToolLog
) -> None:
    executor = make(spec_of(lambda: {"note": TOKEN, "env": "the-very-secret-value"}, name="look"))
    record = await observed(executor)
    stored = await artifacts.get(ADA, record["artifact"] or "")
    assert stored is not None
    shown = await executor.observation(record, SITE)
    for text in (stored.text, shown, repr(await rows(log))):
        assert TOKEN not in text
        assert "the-very-secret-value" not in text
    assert [row.masked for row in await rows(log)] == [2]


async def test_an_error_carries_no_secret(make: Make) -> None:
    def fail() -> str:
        raise ToolError(f"401 for {TOKEN}", hint=f"replace {TOKEN}")

    executor = make(spec_of(fail, name="look"))
    record = await observed(executor)
    assert TOKEN not in record["note"] + await executor.observation(record, SITE)


async def test_a_result_can_be_read_before_and_after_it_is_on_disk(make: Make) -> None:
    executor = make(spec_of(lambda: "here", name="look"))
    record = await observed(executor)
    before = await executor.observation(record, SITE)
    await executor.flush()
    assert before == await executor.observation(record, SITE) == "here"


def greet(*, who: str) -> str:
    return f"hello {who}"


async def test_the_audit_holds_digests_and_sizes_and_no_payload(make: Make, log: ToolLog) -> None:
    executor = make(spec_of(greet, name="look"))
    await observed(executor, who="zz417-canary")
    (row,) = await rows(log)
    assert "canary" not in repr(row)
    assert (row.args_bytes, row.result_bytes) == (22, 18)
    assert len(row.args_sha256) == len(row.result_sha256) == 64


async def test_a_refused_call_is_in_the_audit(make: Make, log: ToolLog) -> None:
    executor = make(spec_of(lambda: "x", name="look"))
    refused = executor.check(a_call("look", zz417="canary"), SITE)
    assert not isinstance(refused, CheckedCall)
    executor.refuse([refused], 0, SITE)
    (row,) = await rows(log)
    assert (row.outcome, row.kind, row.tries) == ("error", "invalid_arguments", 0)
    assert "canary" not in repr(row)
