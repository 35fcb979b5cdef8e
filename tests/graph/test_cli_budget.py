"""`show --budget` adds up to what was sent."""

from pathlib import Path

from graph.cli_budget import budget_of
from graph.session import open_desk
from models.tokens import PRIMING_TOKENS
from tests.graph.plays import Play, Turn, call
from tests.graph.workshop import workshop


async def test_each_call_is_kept_with_its_budget(tmp_path: Path) -> None:
    play = Play({"count": Turn(["eyes"], {"eyes": [[call("count_boxes")]]})})
    async with open_desk(workshop(tmp_path), models=play.models) as desk:
        await desk.ask(thread="t", user="local", text="count")
        calls = await desk.services.calls.calls("default:t")
    budgets = [budget_of(one) for one in calls]
    assert [one.module for one in budgets] == ["router", "eyes", "eyes", "synthesizer"]
    for one, kept in zip(budgets, calls, strict=True):
        parts = one.system + one.memory + one.tools + one.history
        assert parts + PRIMING_TOKENS == kept.input_tokens
        assert min(one.system, one.tools, one.history) > 0
        assert sum(one.blocks.values()) == parts
