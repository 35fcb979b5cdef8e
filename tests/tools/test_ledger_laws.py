"""The once law and the approval law, over every sequence of steps hypothesis can think of."""

import asyncio
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

from memory.database import Database
from state import Scope
from tests.tools.parts import ADA, BEN, HOUR_S, SITE, THREAD, SetClock, a_call, accept
from tools.effects import CLOSED, EffectRow
from tools.errors import DecisionError, LedgerError
from tools.ledger import Ledger

AMOUNTS = st.integers(1, 3)
KINDS = ["approve", "approve", "edit", "reject", "respond"]


FOUNDED: list[Path] = []


@pytest.fixture(autouse=True, scope="module")
def _founded(founded: Path) -> None:
    """A machine of rules takes no fixture."""
    FOUNDED.append(founded)


class LedgerLaws(RuleBasedStateMachine):
    """Any order of prepare, decide, start, finish, kill, expire, settle and close.

    `runs` counts how often an effect was run, `granted` how often one was approved; both are kept
    outside of the ledger, as the world and the reviewers would see it.
    """

    rows = Bundle("rows")
    running = Bundle("running")

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = SetClock()
        self.runs: Counter[str] = Counter()
        self.granted: Counter[str] = Counter()
        self.closed: dict[str, EffectRow] = {}

    @initialize(target=rows)
    def open(self) -> str:
        shutil.copy(FOUNDED[-1], self.folder.name)
        url = f"sqlite:///{Path(self.folder.name) / 'hippograph.db'}"
        self.database = self.runner.run(Database.open(url))
        self.ledger = Ledger(self.database, self.clock)
        return self._prepared(0, 1, asked=True)

    def _prepared(self, ordinal: int, amount: int, *, asked: bool) -> str:
        call = a_call(amount=amount, call_id=f"call_{ordinal}")
        row = self.runner.run(
            self.ledger.prepare(SITE, ordinal, call, needs_approval=asked, ttl_s=HOUR_S)
        )
        if not row.needs_approval:
            self.granted[row.id] = 1
        return row.id

    def teardown(self) -> None:
        self.runner.run(self.database.close())
        self.runner.close()
        self.folder.cleanup()

    @rule(target=rows, ordinal=st.integers(0, 2), amount=AMOUNTS, asked=st.booleans())
    def prepare(self, ordinal: int, amount: int, asked: bool) -> str:
        return self._prepared(ordinal, amount, asked=asked)

    @rule(
        target=rows,
        first=rows,
        second=rows,
        kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=2),
        amount=AMOUNTS,
        reviewer=st.sampled_from([ADA, ADA, BEN]),
    )
    def decide(  # the second row is decided too when there are two kinds
        self, first: str, second: str, kinds: list[str], amount: int, reviewer: Scope
    ) -> Any:  # noqa: ANN401 - hypothesis' multiple
        given = list(zip([first, second], kinds, strict=False))
        before = {effect: self.runner.run(self.ledger.get(effect)) for effect, _ in given}
        decisions = [
            {
                "id": effect,
                "type": kind,
                "message": "happened",
                "edited_action": {"name": "pay", "args": {"amount": amount}},
            }
            for effect, kind in given
        ]
        try:
            decided = self.runner.run(
                self.ledger.decide(THREAD, decisions, reviewer=reviewer, validate_edit=accept)
            )
        except DecisionError:
            for effect, row in before.items():
                assert self.runner.run(self.ledger.get(effect)) == row
            return multiple()
        assert reviewer == ADA
        for row in decided:
            if row.status == "approved":
                self.granted[row.id] += 1
        return multiple(*(row.id for row in decided))

    @rule(target=running, effect=rows)
    def start(self, effect: str) -> Any:  # noqa: ANN401 - hypothesis' multiple
        try:
            row = self.runner.run(self.ledger.start(effect))
        except LedgerError:
            return multiple()
        assert row.expires_at > self.clock.now
        self.runs[effect] += 1
        return effect

    @rule(effect=consumes(running), ok=st.booleans())
    def finish(self, effect: str, ok: bool) -> None:
        self._try(self.ledger.finish(effect, ok))

    @rule(effect=consumes(running))
    def kill(self, effect: str) -> None:
        self.ledger = Ledger(self.database, self.clock)

    @rule(effect=rows)
    def unsettle(self, effect: str) -> None:
        self._try(self.ledger.unsettle(effect))

    @rule(effect=rows, happened=st.booleans())
    def settle(self, effect: str, happened: bool) -> None:
        self._try(self.ledger.settle(effect, happened, "look-up"))

    @rule(seconds=st.sampled_from([60.0, HOUR_S]))
    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule()
    def expire(self) -> None:
        self.runner.run(self.ledger.expire(THREAD))

    @rule(status=st.sampled_from(["rejected", "expired"]))
    def close(self, status: Any) -> None:  # noqa: ANN401 - a Literal
        self.runner.run(self.ledger.close(THREAD, "u1", status, "cancelled"))

    def _try(self, step: Any) -> None:  # noqa: ANN401 - a coroutine
        try:
            self.runner.run(step)
        except LedgerError:
            return

    @invariant()
    def nothing_runs_twice_or_unapproved(self) -> None:
        for effect, times in self.runs.items():
            assert times == 1
            assert self.granted[effect] == 1

    @invariant()
    def what_is_closed_stays_as_it_is(self) -> None:
        if not hasattr(self, "ledger"):
            return
        rows = {row.id: row for row in self.runner.run(self.ledger.rows(THREAD))}
        for effect, row in self.closed.items():
            assert rows[effect] == row
        self.closed = {effect: row for effect, row in rows.items() if row.status in CLOSED}


TestLedgerLaws = LedgerLaws.TestCase
TestLedgerLaws.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
