"""What models have used, by turn, thread, user and day, and whether a budget has room for more.

The kept calls of `memory.call_log` are summed, so all processes of a database share the budgets.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, func, select

from configs.sections import SpendingLimit, SpendingSettings
from memory.call_log import CallLog
from memory.database import Database
from memory.tables import model_calls, threads
from models.errors import BudgetExceeded

SCOPES: Final = ("turn", "thread", "user", "day")
_NEXT_STEP: Final = {
    "turn": "Ask for a smaller part",
    "thread": "Go on in a new thread",
    "user": "Ask again after midnight UTC",
    "day": "Ask again after midnight UTC",
}
_NAMED: Final = {
    "turn": "this turn",
    "thread": "this thread",
    "user": "this user today",
    "day": "everybody together today",
}


@dataclass(frozen=True, slots=True)
class Spent:
    """Sums over calls; `unpriced` is how many of them have no known cost."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0


class Spending:
    """Checks budgets before a call is made."""

    def __init__(
        self,
        database: Database,
        calls: CallLog,
        settings: SpendingSettings,
        clock: Callable[[], datetime],
    ) -> None:
        """Bind the kept calls and the limits; `clock` gives aware UTC times."""
        self._database = database
        self._calls = calls
        self._settings = settings
        self._clock = clock
        limits = {scope: getattr(settings, scope) for scope in SCOPES}
        self._limits: dict[str, SpendingLimit] = {
            scope: limit for scope, limit in limits.items() if limit != SpendingLimit()
        }

    async def check(
        self, thread: str, turn: int, tokens: int, *, afterwards: bool = False
    ) -> tuple[str, ...]:
        """Make sure that a call may be made.

        Args:
            thread: LangGraph's key.
            turn: its index in the thread.
            tokens: what the call is going to read.
            afterwards: the turn has been answered, so that its own budget, which would never have
                room again, does not stop what is learned from it; all others do.

        Returns:
            A warning for each budget that is nearly used up.

        Raises:
            BudgetExceeded: a budget has no room for it.
        """
        if not self._limits:
            return ()
        await self._calls.drain()
        warnings = []
        for scope, limit in self._limits.items():
            if afterwards and scope == "turn":
                continue
            spent = await self.spent(scope, thread, turn)
            _refuse(scope, limit, spent, tokens)
            warnings.extend(_warnings(scope, limit, spent, tokens, self._settings.warn_at))
        return tuple(warnings)

    async def of_turn(self, thread: str, turn: int) -> float:
        """US dollars that models have cost in a turn so far, by the calls whose price is known."""
        await self._calls.drain()
        return (await self.spent("turn", thread, turn)).usd

    async def spent(self, scope: str, thread: str, turn: int) -> Spent:
        """What has been used in the scope of a turn, up to now."""
        today = self._clock().date().isoformat()
        calls, owner = model_calls.c, select(threads).where(threads.c.key == thread).subquery()
        same_day = calls.at >= today
        of_user = select(threads.c.key).where(
            threads.c.tenant == owner.c.tenant, threads.c.owner == owner.c.owner
        )
        of_tenant = select(threads.c.key).where(threads.c.tenant == owner.c.tenant)
        where: dict[str, tuple[ColumnElement[bool], ...]] = {
            "turn": (calls.thread == thread, calls.turn == turn),
            "thread": (calls.thread == thread,),
            "user": (same_day, calls.thread.in_(of_user)),
            "day": (same_day, calls.thread.in_(of_tenant)),
        }
        query = select(*_SUMS).where(*where[scope])
        return await self._database.read(lambda conn: _spent(conn, query))


_SUMS: Final = (
    func.count(),
    func.coalesce(func.sum(model_calls.c.input_tokens + model_calls.c.output_tokens), 0),
    func.coalesce(func.sum(model_calls.c.cost_usd), 0.0),
    func.count() - func.count(model_calls.c.cost_usd),
)


def _spent(conn: Connection, query: Select[Any]) -> Spent:
    calls, tokens, usd, unpriced = conn.execute(query).one()
    return Spent(calls, int(tokens), float(usd), unpriced)


def _refuse(scope: str, limit: SpendingLimit, spent: Spent, tokens: int) -> None:
    """Stop a call that a budget has no room for."""
    if limit.tokens is not None and spent.tokens + tokens > limit.tokens:
        wanted = f"room for {tokens} tokens in the budget of {_NAMED[scope]} ({limit.tokens})"
        raise _exceeded(scope, wanted, f"{spent.tokens} used already", "tokens")
    if limit.usd is not None and spent.usd >= limit.usd:
        wanted = f"a budget of {_NAMED[scope]} that is not used up (${limit.usd:g})"
        raise _exceeded(scope, wanted, f"${spent.usd:.4f} spent already", "usd")


def _exceeded(scope: str, wanted: str, came: str, unit: str) -> BudgetExceeded:
    step = f"{_NEXT_STEP[scope]}, or raise spending.{scope}.{unit} in app.yaml."
    return BudgetExceeded(wanted=wanted, came=came, next_step=step)


def _warnings(
    scope: str, limit: SpendingLimit, spent: Spent, tokens: int, share: float
) -> list[str]:
    """What to tell the user when a budget is nearly used up, or cannot be watched."""
    found = []
    used = spent.tokens + tokens
    if limit.tokens is not None and used >= share * limit.tokens:
        found.append(f"{_NAMED[scope]} has used {used} of {limit.tokens} tokens (spending.{scope})")
    if limit.usd is not None and spent.usd >= share * limit.usd:
        found.append(
            f"{_NAMED[scope]} has spent ${spent.usd:.4f} of ${limit.usd:g} (spending.{scope})"
        )
    if limit.usd is not None and spent.unpriced:
        found.append(
            f"{spent.unpriced} model calls of {_NAMED[scope]} have no known price, so "
            f"spending.{scope}.usd does not see them; set `price` in their profile"
        )
    return found
