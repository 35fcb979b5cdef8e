"""One day for all: router, experts, synthesizer, tools and facts count from the app's clock."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory.facts import Facts
from state import Scope
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, block_of, call, observations
from tests.graph.workshop import workshop
from tests.tools.parts import SetClock
from tools.spec import ToolContext

LOCAL = Scope(user="local")
FIXED = {"today": "2026-03-12"}  # a Thursday


def tell_day(context: ToolContext) -> str:
    """Workshop's tool for this file."""
    return context.today.isoformat()


def with_tool(data_dir: Path) -> tuple[Any, ...]:
    """The workshop's experts, the first with a tool that tells the day."""
    eyes, hands = workshop(data_dir).experts
    update = {"name": "tell_day", "function": "tests.graph.test_clock:tell_day"}
    return (eyes.model_copy(update={"tools": (eyes.tools[0].model_copy(update=update),)}), hands)


def days(play: Play) -> dict[str, set[str]]:
    """The day each module was told, in its block and in its text."""
    told: dict[str, set[str]] = {}
    for prompt in play.prompts:
        day = block_of(prompt.messages, "brief")["today"]
        assert f"Today is {day}." in prompt.text
        told.setdefault(prompt.role, set()).add(day)
    return told


async def test_every_module_and_tool_is_told_the_fixed_day_and_the_turn_keeps_its_real_time(
    open_workshop: OpenDesk, data_dir: Path, clock: SetClock
) -> None:
    play = Play({"when": Turn(["eyes"], {"eyes": [[call("tell_day")]]})})
    async with open_workshop(play, clock=FIXED, experts=with_tool(data_dir)) as desk:
        await desk.ask(thread="t", user="local", text="when")
        record = (await desk.show("t", "local"))[0]
    one = {"2026-03-12"}
    assert days(play) == {"router": one, "expert": one, "synthesizer": one}
    assert "2026-03-12" in observations(play.prompts_of("expert")[1])[0]
    assert record["at"] == clock().isoformat()


async def test_without_a_fixed_day_it_is_the_date_in_the_apps_zone(
    open_workshop: OpenDesk, data_dir: Path, clock: SetClock
) -> None:
    clock.now = datetime(2026, 6, 30, 22, 30, tzinfo=UTC)
    play = Play({"when": Turn(["eyes"], {"eyes": [[call("tell_day")]]})})
    zone = {"today": None, "timezone": "Europe/Berlin"}
    async with open_workshop(play, clock=zone, experts=with_tool(data_dir)) as desk:
        await desk.ask(thread="t", user="local", text="when")
    one = {"2026-07-01"}
    assert days(play) == {"router": one, "expert": one, "synthesizer": one}
    assert "2026-07-01" in observations(play.prompts_of("expert")[1])[0]


async def happened(facts: Facts) -> list[tuple[str, str]]:
    """Each event, with its stated period and the day a model is shown for it."""
    view: Any = await facts.view(LOCAL)
    found = [fact for fact in await facts.current(LOCAL) if fact.slot == "milestone"]
    return [
        (fact.mentions[0].period, str(shown.since))
        for fact, shown in zip(found, view.milestone, strict=True)
    ]


async def test_last_friday_counts_from_the_fixed_day(
    open_workshop: OpenDesk, clock: SetClock
) -> None:
    text = "I was promoted to lead last Friday."
    async with open_workshop(Play(), clock=FIXED) as desk:
        await desk.ask(thread="t", user="local", text=text)
        await desk.services.background.drain(20)
        assert await happened(desk.services.facts) == [("2026-03-06", "2026-03-06")]


async def test_a_fixed_day_to_come_dates_events_and_they_can_still_be_taken_back(
    open_workshop: OpenDesk, clock: SetClock
) -> None:
    async with open_workshop(Play(), clock={"today": "2027-01-08"}) as desk:
        await desk.ask(thread="t", user="local", text="I was promoted to lead yesterday.")
        await desk.services.background.drain(20)
        facts = desk.services.facts
        assert await happened(facts) == [("2027-01-07", "2027-01-07")]
        (fact,) = [one for one in await facts.current(LOCAL) if one.slot == "milestone"]
        assert fact.valid_from <= clock()


async def test_what_is_recalled_is_not_dated_after_the_fixed_day(open_workshop: OpenDesk) -> None:
    play = Play({"count the boxes on shelf B": Turn(["eyes"], {"eyes": [[call("count_boxes")]]})})
    more = {"clock": FIXED, "recall": {"enabled": True}}
    async with open_workshop(play, **more) as desk:
        await desk.ask(thread="t", user="local", text="count the boxes on shelf B")
        await desk.services.background.drain(20)
        await desk.ask(thread="u", user="local", text="how many boxes are on shelf B")
    note = block_of(play.prompts[-1].messages, "memory")["note"]["text"]
    assert "[2026-03-12, " in note
    assert "2026-06" not in note
