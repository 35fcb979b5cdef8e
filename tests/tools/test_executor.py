import asyncio
import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from langgraph.errors import GraphBubbleUp
from pydantic import Field

from memory.artifacts import Artifacts
from memory.tool_log import ToolLog
from state import CallRecord
from tests.tools.parts import ADA, HOUR_S, SITE, THREAD, SetClock, a_call, spec_of
from tools.effects import EffectRow
from tools.errors import EffectConflict, InvalidDecision, LedgerError, ToolError
from tools.executor import CheckedCall, Executor
from tools.ledger import Ledger
from tools.registry import Registry
from tools.spec import ToolContext, ToolSpec

Make = Callable[..., Executor]


@pytest.fixture
def make(artifacts: Artifacts, ledger: Ledger, log: ToolLog, tmp_path: Path) -> Make:
    def build(*specs: ToolSpec) -> Executor:
        return Executor(
            Registry(specs), artifacts, ledger, log, app_dir=tmp_path, data_dir=tmp_path
        )

    return build


def look_up(*, customer: str, limit: Annotated[int, Field(ge=1)] = 10) -> dict[str, Any]:
    return {"customer": customer, "limit": limit}


async def observed(executor: Executor, name: str = "look_up", **args: Any) -> CallRecord:  # noqa: ANN401
    checked = executor.check(a_call(name, **args), SITE)
    assert isinstance(checked, CheckedCall), checked
    return await executor.observe(checked, 0, SITE)


def refused(executor: Executor, name: str, args: Any) -> CallRecord:  # noqa: ANN401
    record = executor.check({"id": "c", "name": name, "args": args}, SITE)
    assert not isinstance(record, CheckedCall)
    assert record["status"] == "error"
    return record


async def test_a_read_leaves_an_artifact_and_no_payload(make: Make, artifacts: Artifacts) -> None:
    executor = make(spec_of(look_up))
    record = await observed(executor, customer="canary")
    assert record["artifact"] is not None
    stored = await artifacts.get(ADA, record["artifact"])
    assert stored is not None
    assert json.loads(stored.text) == {"customer": "canary", "limit": 10}
    assert record == {
        "id": "call_1",
        "name": "look_up",
        "args": {"customer": "canary"},
        "effect": "read_only",
        "status": "ok",
        "artifact": record["artifact"],
        "note": "",
    }
    assert json.loads(await executor.observation(record, SITE)) == json.loads(stored.text)


async def test_a_replayed_read_keeps_its_first_result(make: Make) -> None:
    seen = iter(["first", "second"])
    executor = make(spec_of(lambda: next(seen), name="look_up"))
    first, again = await observed(executor), await observed(executor)
    assert first == again
    assert await executor.observation(again, SITE) == "first"


def test_a_call_that_may_not_run_says_what_was_wanted_and_what_came(make: Make) -> None:
    executor = make(spec_of(look_up), spec_of(look_up, name="track", expert="orders"))
    assert "wanted one of look_up" in refused(executor, "lookup", {})["note"]
    assert "belongs to orders" in refused(executor, "track", {"customer": "a"})["note"]
    assert "customer: Field required" in refused(executor, "look_up", {})["note"]
    strict = refused(executor, "look_up", {"customer": "a", "limit": "5"})
    assert "limit: Input should be a valid integer, came '5'" in strict["note"]
    assert "came 0" in refused(executor, "look_up", {"customer": "a", "limit": 0})["note"]
    assert "Extra inputs" in refused(executor, "look_up", {"customer": "a", "x": 1})["note"]


@pytest.mark.parametrize(
    "args",
    [None, [], "text", {"customer": float("nan")}, {"customer": object()}, {"customer": 2**70}],
)
def test_arguments_that_are_not_plain_json_are_refused(make: Make, args: object) -> None:
    assert "invalid_arguments" in refused(make(spec_of(look_up)), "look_up", args)["note"]


def test_arguments_without_end_are_refused_and_not_kept(make: Make) -> None:
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]
    executor = make(spec_of(look_up))
    assert "levels" in refused(executor, "look_up", {"customer": deep})["note"]
    record = refused(executor, "look_up", {"customer": "x" * 1_000_000})
    assert record["args"] == {"customer": "…"}


def test_nul_and_lone_surrogates_in_arguments_are_replaced(make: Make) -> None:
    checked = make(spec_of(look_up)).check(a_call("look_up", customer="a\0b\ud800"), SITE)
    assert isinstance(checked, CheckedCall)
    assert checked.args == {"customer": "a\ufffdb\ufffd"}


class Sullen:
    def __str__(self) -> str:
        message = "do not look at me"
        raise RuntimeError(message)


SHARED = {"n": 1}


def a_family() -> dict[str, Any]:
    parent: dict[str, Any] = {"name": "Ada"}
    parent["children"] = [{"name": "Ben", "parent": parent}]
    return parent


def a_cycle() -> list[Any]:
    cycle: list[Any] = []
    cycle.extend([cycle, cycle])
    return cycle


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        ("a\0b\ud800", "a\ufffdb\ufffd"),
        ({"n": float("nan"), "i": float("-inf")}, '{"n": "nan", "i": "-inf"}'),
        (np.float64(2.5), "2.5"),
        ({"a": np.arange(3), "b": np.bool_(True)}, '{"a": [0, 1, 2], "b": true}'),
        ({"at": datetime(2026, 1, 2), "on": date(2026, 1, 2)}, None),  # noqa: DTZ001 - a tool's own
        ({"eur": Decimal("12.50")}, '{"eur": "12.50"}'),
        ({1: {2}, (3, 4): b"x"}, '{"1": [2], "(3, 4)": "x"}'),
        (2**80, str(2**80)),
        (Sullen(), "<Sullen>"),
        (threading.Lock(), None),
        (a_cycle(), '["…", "…"]'),
        (a_family(), '{"name": "Ada", "children": [{"name": "Ben", "parent": "…"}]}'),
        ([SHARED, SHARED], '[{"n": 1}, {"n": 1}]'),
        ((n for n in range(3)), None),
    ],
)
async def test_whatever_a_tool_returns_becomes_text(
    make: Make, value: object, shown: str | None
) -> None:
    executor = make(spec_of(lambda: value, name="look_up"))
    record = await observed(executor)
    assert record["status"] == "ok"
    text = await executor.observation(record, SITE)
    text.encode()
    assert shown is None or text == shown


async def test_a_megabyte_is_shown_in_part_and_says_how_to_get_the_rest(make: Make) -> None:
    text = "word " * 200_000
    executor = make(spec_of(lambda: text, name="look_up", max_output_tokens=100))
    record = await observed(executor)
    shown = await executor.observation(record, SITE)
    assert len(shown) < 1_000
    assert "The call ran OK. 100 of" in shown
    assert f'recall_artifact(id="{record["artifact"]}", offset=' in shown


def failing(error: BaseException) -> Callable[[], None]:
    def look() -> None:
        raise error

    return look


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ToolError("no such", kind="not_found", hint="list first"), "not_found: no such"),
        (ValueError("x\0" * 10_000), "failed: ValueError: x"),
        (SystemExit(3), "failed: CallCrashed"),
        (KeyboardInterrupt(), "failed: CallCrashed"),
        (StopIteration(), "failed: CallCrashed"),
        (asyncio.CancelledError(), "failed: CallCrashed"),
    ],
)
async def test_a_tool_that_raises_leaves_an_error_to_read(
    make: Make, error: BaseException, kind: str
) -> None:
    executor = make(spec_of(failing(error), name="look_up"))
    record = await observed(executor)
    assert record["status"] == "error"
    assert record["note"].startswith(kind)
    assert len(record["note"]) <= 200
    said = json.loads(await executor.observation(record, SITE))["error"]
    assert set(said) == {"kind", "message", "retryable", "hint"}


async def test_a_tool_that_cancels_itself_or_exits_in_the_loop_leaves_an_error(make: Make) -> None:
    async def cancel() -> None:
        raise asyncio.CancelledError

    async def leave() -> None:
        raise SystemExit

    executor = make(spec_of(cancel), spec_of(leave))
    assert (await observed(executor, "cancel"))["status"] == "error"
    assert (await observed(executor, "leave"))["status"] == "error"


async def test_control_flow_of_the_graph_is_not_an_error_of_the_tool(make: Make) -> None:
    executor = make(spec_of(failing(GraphBubbleUp()), name="look_up"))
    with pytest.raises(GraphBubbleUp):
        await observed(executor)


async def test_a_hanging_tool_is_abandoned_in_time(make: Make) -> None:
    release = threading.Event()

    async def sleep() -> None:
        await asyncio.sleep(60)

    hang = spec_of(lambda: release.wait(60), name="hang", timeout_s=0.05)
    executor = make(hang, spec_of(sleep, timeout_s=0.05))
    before = time.monotonic()
    for name in ("hang", "sleep"):
        record = await observed(executor, name)
        assert record["note"].startswith("timeout: no answer within 0.05 s")
    assert time.monotonic() - before < 5
    release.set()


async def test_more_hanging_tools_than_a_pool_has_workers_do_not_stop_the_others(
    make: Make,
) -> None:
    release = threading.Event()

    def stuck(*, n: int) -> bool:
        return release.wait(60) and n > 0

    executor = make(spec_of(stuck, timeout_s=0.1), spec_of(look_up))
    stuck_calls = (observed(executor, "stuck", n=n) for n in range(40))
    records = await asyncio.gather(*stuck_calls, observed(executor, customer="a"))
    assert [record["status"] for record in records] == ["error"] * 40 + ["ok"]
    release.set()


async def test_a_tool_gets_its_context_and_typed_arguments(make: Make) -> None:
    seen: list[Any] = []

    def look(context: ToolContext, *, on: date, amount: Decimal) -> None:
        seen.extend([context.user, context.thread, on, amount])

    await observed(make(spec_of(look)), "look", on="2026-01-02", amount="1.50")
    assert seen == ["ada", THREAD, date(2026, 1, 2), Decimal("1.50")]


class World:
    """What an effect changes; counts how often it did."""

    def __init__(self) -> None:
        self.paid: list[int] = []
        self.keys: list[str] = []
        self.error: Exception | None = None
        self.hold: threading.Event | None = None
        self.result: Any = {"refund": "r1"}
        self.known: Any = None
        self.begun = threading.Event()
        self.acted = threading.Event()

    def pay(self, context: ToolContext, *, amount: int, reason: str = "") -> Any:  # noqa: ANN401
        self.begun.set()
        if self.hold is not None:
            self.hold.wait(30)
        self.paid.append(amount)
        self.keys.append(context.idempotency_key)
        self.acted.set()
        if self.error is not None:
            raise self.error
        return self.result

    def settle(self, context: ToolContext, **_: object) -> Any:  # noqa: ANN401
        if isinstance(self.known, Exception):
            raise self.known
        return self.known

    def spec(self, *, settle: bool = False, **parts: Any) -> ToolSpec:  # noqa: ANN401
        values = {"effect": "irreversible", "approval": True, "name": "pay", **parts}
        return spec_of(self.pay, settle=self.settle if settle else None, **values)


@pytest.fixture
def world() -> World:
    return World()


async def approve(executor: Executor, ledger: Ledger, ordinal: int = 0) -> EffectRow:
    checked = executor.check(a_call(amount=82, call_id=f"call_{ordinal}"), SITE)
    assert isinstance(checked, CheckedCall)
    row = await executor.prepare(checked, ordinal, SITE, ttl_s=HOUR_S)
    decision = {"id": row.id, "type": "approve"}
    decided = await ledger.decide(
        THREAD, [decision], reviewer=ADA, validate_edit=executor.validate_edit
    )
    return decided[0]


async def test_an_effect_runs_once_with_its_key_and_defaults_shown(
    make: Make, ledger: Ledger, world: World
) -> None:
    executor = make(world.spec())
    row = await approve(executor, ledger)
    assert row.args == {"amount": 82, "reason": ""}
    assert row.reasons == ("irreversible",)
    record = await executor.perform(row, SITE)
    again = await executor.perform(row, SITE)
    assert (record["status"], again) == ("ok", record)
    assert world.paid == [82]
    assert world.keys == [row.id]
    assert "r1" in await executor.observation(record, SITE)
    assert executor.closed(await ledger.get(row.id), SITE) == record


async def test_an_effect_is_never_run_as_a_read(make: Make, world: World) -> None:
    executor = make(world.spec())
    checked = executor.check(a_call(amount=1), SITE)
    assert isinstance(checked, CheckedCall)
    with pytest.raises(ToolError, match="ledger row only"):
        await executor.observe(checked, 0, SITE)
    assert world.paid == []


async def test_an_action_other_than_the_approved_one_does_not_run(
    make: Make, ledger: Ledger, world: World
) -> None:
    executor = make(world.spec())
    row = await approve(executor, ledger)
    record = await executor.perform(replace(row, args={"amount": 820, "reason": ""}), SITE)
    assert (record["status"], world.paid) == ("rejected", [])


async def test_an_expired_approval_does_not_run(
    make: Make, ledger: Ledger, world: World, clock: SetClock
) -> None:
    executor = make(world.spec())
    row = await approve(executor, ledger)
    clock.advance(HOUR_S)
    record = await executor.perform(row, SITE)
    assert (record["status"], world.paid) == ("expired", [])
    assert "nobody approved it in time" in await executor.observation(record, SITE)


async def test_an_undecided_effect_or_one_of_another_thread_does_not_run(
    make: Make, ledger: Ledger, world: World
) -> None:
    executor = make(world.spec())
    checked = executor.check(a_call(amount=1), SITE)
    assert isinstance(checked, CheckedCall)
    row = await executor.prepare(checked, 0, SITE, ttl_s=HOUR_S)
    with pytest.raises(EffectConflict):
        await executor.perform(row, SITE)
    with pytest.raises(LedgerError, match="another thread"):
        await executor.perform(row, replace(SITE, thread="default:t2"))
    with pytest.raises(EffectConflict):
        executor.closed(row, SITE)
    assert world.paid == []


async def test_an_effect_whose_tool_is_gone_is_closed_and_not_run(
    make: Make, ledger: Ledger, world: World
) -> None:
    row = await approve(make(world.spec()), ledger)
    record = await make(spec_of(look_up)).perform(row, SITE)
    assert record["status"] == "rejected"
    assert "any more" in record["note"]
    assert (await ledger.get(row.id)).status == "rejected"


async def test_a_tool_that_says_no_has_not_acted(make: Make, ledger: Ledger, world: World) -> None:
    world.error = ToolError("not refundable", kind="conflict")
    executor = make(world.spec())
    record = await executor.perform(await approve(executor, ledger), SITE)
    assert (record["status"], record["note"]) == ("error", "conflict: not refundable")


@pytest.mark.parametrize("error", [ValueError("connection reset"), ToolError("?", kind="timeout")])
async def test_an_effect_that_breaks_half_way_is_asked_about(
    make: Make, ledger: Ledger, world: World, error: Exception
) -> None:
    world.error = error
    executor = make(world.spec())
    row = await approve(executor, ledger)
    record = await executor.perform(row, SITE)
    assert record["status"] == "unsettled"
    assert [found.id for found in await ledger.pending("default", THREAD)] == [row.id]
    assert "Do not repeat" in await executor.observation(record, SITE)
    await executor.perform(row, SITE)
    assert len(world.paid) == 1


async def test_an_idempotent_effect_that_breaks_is_a_plain_error(
    make: Make, ledger: Ledger, world: World
) -> None:
    world.error = ValueError("connection reset")
    executor = make(world.spec(effect="idempotent"))
    record = await executor.perform(await approve(executor, ledger), SITE)
    assert record["status"] == "error"


@pytest.mark.parametrize(
    ("known", "status"),
    [
        ({"happened": True, "result": {"refund": "r9"}}, "ok"),
        ({"happened": False}, "error"),
        (None, "unsettled"),
        ({"happened": "yes"}, "unsettled"),
        (RuntimeError("away"), "unsettled"),
    ],
)
async def test_an_effect_that_breaks_half_way_is_looked_up(
    make: Make, ledger: Ledger, world: World, known: object, status: str
) -> None:
    world.error, world.known = ValueError("connection reset"), known
    executor = make(world.spec(settle=True))
    record = await executor.perform(await approve(executor, ledger), SITE)
    assert record["status"] == status
    assert ("r9" in await executor.observation(record, SITE)) == (status == "ok")


async def test_a_late_effect_is_not_believed_to_have_not_happened(
    make: Make, ledger: Ledger, world: World
) -> None:
    world.hold, world.known = threading.Event(), {"happened": False}
    executor = make(world.spec(settle=True, timeout_s=0.05))
    row = await approve(executor, ledger)
    record = await executor.perform(row, SITE)
    assert record["status"] == "unsettled"
    assert "abandoned" in record["note"]
    assert await executor.recover(row, SITE) is None
    world.hold.set()
    assert await asyncio.to_thread(world.acted.wait, 5)
    world.known = {"happened": True, "result": "r1"}
    found = await executor.recover(row, SITE)
    assert found is not None
    assert found["status"] == "ok"
    assert world.paid == [82]


@pytest.mark.parametrize(
    ("known", "status"),
    [({"happened": True}, "done"), ({"happened": False}, "failed"), (None, "unsettled")],
)
async def test_an_effect_found_started_after_a_crash_is_settled_and_never_repeated(
    make: Make, ledger: Ledger, world: World, known: object, status: str
) -> None:
    world.known = known
    executor = make(world.spec(settle=True))
    row = await ledger.start((await approve(executor, ledger)).id)
    record = await executor.recover(row, SITE)
    assert (record is None) == (status == "unsettled")
    assert (await ledger.get(row.id)).status == status
    assert world.paid == []


async def test_an_effect_found_started_without_look_up_or_tool_is_asked_about(
    make: Make, ledger: Ledger, world: World
) -> None:
    executor = make(world.spec())
    first = await ledger.start((await approve(executor, ledger, 0)).id)
    second = await ledger.start((await approve(executor, ledger, 1)).id)
    assert await executor.recover(first, SITE) is None
    assert await make(spec_of(look_up)).recover(second, SITE) is None
    waiting = await ledger.pending("default", THREAD)
    assert [row.status for row in waiting] == ["unsettled", "unsettled"]


async def test_only_a_started_effect_is_recovered(make: Make, ledger: Ledger, world: World) -> None:
    executor = make(world.spec())
    row = await approve(executor, ledger)
    with pytest.raises(EffectConflict, match="started row"):
        await executor.recover(row, SITE)
    record = await executor.perform(row, SITE)
    assert await executor.recover(row, SITE) == record


async def test_a_row_that_another_run_has_started_is_left_alone(
    make: Make, ledger: Ledger, world: World
) -> None:
    world.known = {"happened": False}
    executor = make(world.spec(settle=True))
    row = await approve(executor, ledger)
    await ledger.start(row.id)
    record = await executor.perform(row, SITE)
    assert record["status"] == "unsettled"
    assert (await ledger.get(row.id)).status == "started"
    assert world.paid == []


async def test_a_cancelled_caller_waits_until_the_outcome_is_written_down(
    make: Make, ledger: Ledger, world: World
) -> None:
    world.hold = threading.Event()
    executor = make(world.spec())
    row = await approve(executor, ledger)
    task = asyncio.create_task(executor.perform(row, SITE))
    assert await asyncio.to_thread(world.begun.wait, 5)
    task.cancel()
    asyncio.get_running_loop().call_later(0.05, world.hold.set)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await ledger.get(row.id)).status == "done"
    assert world.paid == [82]


@pytest.mark.parametrize("result", [Sullen(), a_cycle(), np.float64(2.5), None, "a\0\ud800"])
async def test_an_effect_that_happened_is_done_whatever_it_returned(
    make: Make, ledger: Ledger, world: World, result: object
) -> None:
    world.result = result
    executor = make(world.spec())
    record = await executor.perform(await approve(executor, ledger), SITE)
    assert record["status"] == "ok"
    assert await executor.observation(record, SITE)


async def test_an_effect_that_happened_is_done_though_its_result_cannot_be_kept(
    make: Make, ledger: Ledger, world: World, artifacts: Artifacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        message = "disk full"
        raise OSError(message)

    monkeypatch.setattr(artifacts.__class__, "put_soon", full)
    executor = make(world.spec())
    record = await executor.perform(await approve(executor, ledger), SITE)
    assert (record["status"], record["artifact"]) == ("ok", None)
    assert "could not be kept" in record["note"]


async def test_what_a_reviewer_said_reaches_the_model(
    make: Make, ledger: Ledger, world: World
) -> None:
    executor = make(world.spec())
    rows = []
    for ordinal in range(3):
        checked = executor.check(a_call(amount=1, call_id=f"c{ordinal}"), SITE)
        assert isinstance(checked, CheckedCall)
        rows.append(await executor.prepare(checked, ordinal, SITE, ttl_s=HOUR_S))
    edited = {"name": "pay", "args": {"amount": 40}}
    decided = await ledger.decide(
        THREAD,
        [
            {"id": rows[0].id, "type": "reject", "message": "ask finance"},
            {"id": rows[1].id, "type": "respond", "message": "paid by hand"},
            {"id": rows[2].id, "type": "edit", "edited_action": edited},
        ],
        reviewer=ADA,
        validate_edit=executor.validate_edit,
    )
    rejected, responded = executor.closed(decided[0], SITE), executor.closed(decided[1], SITE)
    said = await executor.observation(rejected, SITE)
    assert said == "Not run. Do not repeat this call: ask finance"
    assert await executor.observation(responded, SITE) == "paid by hand"
    assert executor.closed(await ledger.get(rows[2].id), SITE)["status"] == "rejected"
    done = await executor.perform(decided[2], SITE)
    assert "a reviewer changed the arguments" in await executor.observation(done, SITE)
    assert world.paid == [40]


def test_an_edit_is_checked_against_the_tool(make: Make, world: World) -> None:
    executor = make(world.spec())
    assert executor.validate_edit("pay", {"amount": 5}) == {"amount": 5, "reason": ""}
    with pytest.raises(InvalidDecision, match="arguments that pay takes"):
        executor.validate_edit("pay", {"amount": "5"})
    with pytest.raises(InvalidDecision, match="still exists"):
        executor.validate_edit("gone", {})


async def test_an_effect_acts_for_the_person_who_asked_whoever_resumes(
    make: Make, ledger: Ledger, world: World, artifacts: Artifacts
) -> None:
    executor = make(world.spec())
    row = await approve(executor, ledger)
    record = await executor.perform(row, replace(SITE, user="ben", teams=("finance",)))
    assert record["artifact"] is not None
    assert await artifacts.get(ADA, record["artifact"]) is not None


async def test_a_record_without_its_artifact_still_has_an_observation(make: Make) -> None:
    executor = make(spec_of(look_up))
    record = await observed(executor, customer="a")
    other = replace(SITE, user="ben")
    assert await executor.observation(record, other) == "Done."
