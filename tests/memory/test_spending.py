from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from configs.sections import SpendingSettings
from memory.call_log import CallLog
from memory.cost_report import cost_report
from memory.database import Database
from memory.spending import Spending
from memory.transcript import Transcript
from models.errors import BudgetExceeded
from models.replies import ModelReply, Usage
from state import Scope, thread_key

ANA, BOB = Scope(user="ana"), Scope(user="bob")
MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


class Desk:
    """The kept calls, and a clock that tests set."""

    def __init__(self, database: Database) -> None:
        self.now = MONDAY
        self.database = database
        self.calls = CallLog(database, lambda: self.now)

    def spending(self, **limits: Any) -> Spending:  # noqa: ANN401 - settings as written
        chosen = SpendingSettings.model_validate(limits)
        return Spending(self.database, self.calls, chosen, lambda: self.now)

    async def used(
        self, name: str, tokens: int, *, turn: int = 0, usd: float | None = 0.0, who: Scope = ANA
    ) -> None:
        """A call that read this many tokens."""
        key = thread_key(who.tenant, name)
        await Transcript(self.database, lambda: self.now).claim(key, who, name)
        reply = ModelReply(AIMessage("x"), Usage(tokens, 0, tokens // 2), model="m", cost_usd=usd)
        self.calls.add(key, turn, "desk", messages=[], tools=[], reply=reply)
        await self.calls.drain()


@pytest.fixture
async def desk(database: Database) -> AsyncIterator[Desk]:
    opened = Desk(database)
    yield opened
    await opened.calls.drain()


KEY = thread_key("default", "a")


@pytest.mark.parametrize(
    ("scope", "stopped"),
    [
        ("turn", {"a0": True, "a1": False, "b0": False}),
        ("thread", {"a0": True, "a1": True, "b0": False}),
        ("user", {"a0": True, "a1": True, "b0": True, "c0": False}),
        ("day", {"a0": True, "a1": True, "b0": True, "c0": True}),
    ],
)
async def test_a_budget_counts_what_belongs_to_it(
    desk: Desk, scope: str, stopped: dict[str, bool]
) -> None:
    await desk.used("a", 90)
    await desk.used("b", 0)
    await desk.used("c", 0, who=BOB)
    spending = desk.spending(**{scope: {"tokens": 100}})
    for place, stop in stopped.items():
        key = thread_key("default", place[0])
        if stop:
            with pytest.raises(BudgetExceeded, match=rf"spending\.{scope}\.tokens"):
                await spending.check(key, int(place[1]), 20)
        else:
            assert await spending.check(key, int(place[1]), 20) == ()


async def test_a_day_ends_at_midnight_utc(desk: Desk) -> None:
    await desk.used("a", 100)
    spending = desk.spending(user={"tokens": 100})
    with pytest.raises(BudgetExceeded, match="after midnight UTC"):
        await spending.check(KEY, 0, 1)
    desk.now = MONDAY.replace(day=3, hour=0)
    assert await spending.check(KEY, 0, 1) == ()


async def test_money_stops_too_and_a_call_of_unknown_price_is_told(desk: Desk) -> None:
    await desk.used("a", 10, usd=0.02)
    await desk.used("a", 10, usd=None)
    spending = desk.spending(thread={"usd": 0.05})
    assert ["no known price" in warning for warning in await spending.check(KEY, 0, 1)] == [True]
    await desk.used("a", 10, usd=0.04)
    with pytest.raises(BudgetExceeded, match=r"\$0\.0600 spent already.*spending\.thread\.usd"):
        await spending.check(KEY, 0, 1)


async def test_a_warning_comes_at_four_fifths(desk: Desk) -> None:
    await desk.used("a", 70)
    spending = desk.spending(thread={"tokens": 100})
    assert await spending.check(KEY, 0, 9) == ()
    assert await spending.check(KEY, 0, 10) == (
        "this thread has used 80 of 100 tokens (spending.thread)",
    )


async def test_without_limits_nothing_is_counted(desk: Desk) -> None:
    await desk.used("a", 10**9)
    assert await desk.spending().check(KEY, 0, 10**9) == ()


async def test_a_report_sums_by_everything_and_only_the_users_own(desk: Desk) -> None:
    await desk.used("a", 100, usd=0.5)
    await desk.used("a", 50, turn=1, usd=None)
    await desk.used("b", 10, usd=0.25)
    await desk.used("c", 999, who=BOB)
    report = await cost_report(desk.database, ANA)
    total = report["total"][0]
    assert (total.calls, total.input_tokens, total.cached_tokens) == (3, 160, 80)
    assert (total.usd, total.unpriced) == (0.75, 1)
    assert [(row.name, row.usd) for row in report["turn"]] == [
        ("a 0", 0.5),
        ("a 1", None),
        ("b 0", 0.25),
    ]
    assert [row.name for row in report["thread"]] == ["a", "b"]
    assert [row.name for row in report["user"]] == ["ana"]
    one = await cost_report(desk.database, ANA, "b")
    assert one["total"][0].calls == 1


async def test_nobody_has_used_anything_yet(desk: Desk) -> None:
    assert (await cost_report(desk.database, ANA))["total"][0].calls == 0


async def test_what_follows_an_answered_turn_is_not_stopped_by_the_turns_own_budget(
    desk: Desk,
) -> None:
    await desk.used("a", 100)
    spending = desk.spending(turn={"tokens": 100})
    assert await spending.check(KEY, 0, 50, afterwards=True) == ()
    with pytest.raises(BudgetExceeded, match=r"spending\.turn\.tokens"):
        await spending.check(KEY, 0, 50)
    both = desk.spending(turn={"tokens": 100}, thread={"tokens": 120})
    with pytest.raises(BudgetExceeded, match=r"spending\.thread\.tokens"):
        await both.check(KEY, 0, 50, afterwards=True)
