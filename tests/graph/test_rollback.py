"""Rollback takes turns back: state, transcript, memory. Effects stay, and are named or undone."""

from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig

from graph.errors import CannotRollBack, UserError
from graph.quick_saver import QuickSqliteSaver
from graph.session import Desk
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call
from tests.graph.workshop import happened, journal

CONFIG: RunnableConfig = {"configurable": {"thread_id": "default:t"}}


def hands(*calls: dict[str, object]) -> Turn:
    return Turn(["hands"], {"hands": [list(calls)]})


PLAY = {
    "peek": Turn(["hands"], {"hands": [[call("peek_shelf")], "I saw tangerines"]}),
    "press": hands(call("press_button", item="red")),
    "say": hands(call("say_plainly", item="goodbye")),
    "move": hands(call("move_box", to="B")),
    "burn": hands(call("burn_box", item="crate")),
    "both": hands(call("move_box", to="C"), call("press_button", item="blue")),
    "hang": hands(call("hang_up", item="coat")),
}


async def ask(desk: Desk, *questions: str) -> None:
    """Ask one after the other and approve whatever is asked."""
    for question in questions:
        reply = await desk.ask(thread="t", user="local", text=question)
        while reply.pending and reply.pending[0].kind == "approval":
            decisions = [{"id": action.id, "type": "approve"} for action in reply.pending]
            reply = await desk.decide("t", decisions, user="local")


async def words(desk: Desk) -> list[str]:
    return [turn["user"] for turn in await desk.show("t", "local")]


async def test_the_last_turns_are_gone_from_history_prompts_and_transcript(
    open_workshop: OpenDesk,
) -> None:
    play = Play(PLAY)
    async with open_workshop(play) as desk:
        await ask(desk, "hi", "peek", "more")
        report = await desk.rollback("t", 2, user="local")
        assert (report.turns, report.cannot_undo, report.compensations) == (
            ["more", "peek"],
            [],
            [],
        )
        assert await words(desk) == ["hi"]
        seen = len(play.prompts)
        await ask(desk, "and now")
        values = (await desk.graph.aget_state(CONFIG)).values
    assert not any("tangerines" in prompt.text for prompt in play.prompts[seen:])
    assert [record["index"] for record in values["history"]] == [0, 1]
    assert [message.text for message in values["messages"]] == ["hi", "Hello.", "and now", "Hello."]


async def test_a_rollback_of_everything_leaves_an_empty_thread_of_the_same_owner(
    open_workshop: OpenDesk,
) -> None:
    play = Play(PLAY)
    async with open_workshop(play) as desk:
        await ask(desk, "peek", "hi")
        await desk.rollback("t", 2, user="local")
        assert await words(desk) == []
        assert [found.turns for found in await desk.threads("local")] == [0]
        await ask(desk, "hi")
        assert await words(desk) == ["hi"]
    assert "tangerines" not in play.prompts[-1].text


async def test_what_was_rolled_back_is_seen_by_a_second_desk(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await ask(desk, "hi", "peek")
        await desk.rollback("t", 1, user="local")
    play = Play(PLAY)
    async with open_workshop(play) as desk:
        await ask(desk, "and now")
        assert await words(desk) == ["hi", "and now"]
    assert "tangerines" not in play.prompts[0].text


async def test_what_cannot_be_undone_is_listed_and_the_ledger_keeps_it(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await ask(desk, "press", "say")
        report = await desk.rollback("t", 2, user="local")
        rows = await desk.services.ledger.rows("default:t")
    assert report.cannot_undo == [
        'say_plainly({"item":"goodbye"})',
        'press_button({"amount":1,"item":"red"})',
    ]
    assert [row.status for row in rows] == ["done", "done"]
    assert happened(data_dir) == ["press_button", "say_plainly"]


async def test_a_declared_compensation_that_needs_no_approval_runs_at_once(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await ask(desk, "hi", "move")
        report = await desk.rollback("t", 1, user="local")
        assert (report.turns, report.cannot_undo, report.compensations) == (["move"], [], [])
        assert (await words(desk))[0] == "hi"
        assert "move" not in await words(desk)
    assert [line["args"]["to"] for line in journal(data_dir)] == ["B", "shelf A"]


async def test_a_compensation_with_consequences_asks_for_approval_first(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await ask(desk, "burn")
        report = await desk.rollback("t", 1, user="local")
        (action,) = report.compensations
        assert (action.tool, action.args) == ("rebuild_box", {"item": "crate"})
        assert happened(data_dir) == ["burn_box"]
    async with open_workshop(Play(PLAY)) as desk:
        decision = {"id": action.id, "type": "approve"}
        assert (await desk.decide("t", [decision], user="local")).status == "done"
        await ask(desk, "hi")
    assert happened(data_dir) == ["burn_box", "rebuild_box"]


async def test_a_compensation_can_be_declined(open_workshop: OpenDesk, data_dir: Path) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await ask(desk, "burn")
        report = await desk.rollback("t", 1, user="local")
        decision = {"id": report.compensations[0].id, "type": "reject"}
        assert (await desk.decide("t", [decision], user="local")).status == "done"
        await ask(desk, "hi")
    assert happened(data_dir) == ["burn_box"]


async def test_effects_are_sorted_into_undone_and_not(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await ask(desk, "both")
        report = await desk.rollback("t", 1, user="local")
    assert report.cannot_undo == ['press_button({"amount":1,"item":"blue"})']
    assert happened(data_dir) == ["move_box", "press_button", "move_box"]


async def test_a_waiting_turn_is_taken_back_with_its_approval(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await ask(desk, "hi")
        asked = await desk.ask(thread="t", user="local", text="press")
        report = await desk.rollback("t", 1, user="local")
        assert (report.turns, await desk.pending("t", user="local")) == (["press"], [])
        with pytest.raises(UserError, match="rejected"):
            await desk.decide("t", [{"id": asked.pending[0].id, "type": "approve"}], user="local")
        await ask(desk, "hi")
        assert await words(desk) == ["hi", "hi"]
    assert happened(data_dir) == []


@pytest.mark.parametrize("before", [(), ("peek",)])
async def test_a_message_that_was_taken_but_not_opened_yet_is_taken_back_alone(
    before: tuple[str, ...], open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a process leaves it that was killed in the very first node."""
    async with open_workshop(Play(PLAY)) as desk:
        await ask(desk, *before)
        with monkeypatch.context() as broken, pytest.raises(RuntimeError):
            broken.setattr("nodes.open_turn.upgrade", killed)
            await desk.ask(thread="t", user="local", text="never opened")
        report = await desk.rollback("t", 1, user="local")
        assert report.turns == ["never opened"]
        assert await words(desk) == list(before)
        await ask(desk, "hi")


def killed(_: object) -> None:
    message = "killed"
    raise RuntimeError(message)


async def died(*_: object) -> None:
    killed(None)


async def test_an_unsettled_effect_must_be_settled_first(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await ask(desk, "hi", "hang")
        with pytest.raises(UserError, match="Settle it first"):
            await desk.rollback("t", 1, user="local")
        (action,) = await desk.pending("t", user="local")
        settled = {"id": action.id, "type": "respond", "message": "happened"}
        await desk.decide("t", [settled], user="local")
        report = await desk.rollback("t", 1, user="local")
    assert report.cannot_undo == ['hang_up({"item":"coat"})']


@pytest.mark.parametrize("before", [(), ("hi",)])
async def test_a_rollback_that_is_cut_off_before_the_state_went_back_is_carried_out_later(
    before: tuple[str, ...], open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a process leaves it that was killed before the new checkpoint was stored."""
    async with open_workshop(Play(PLAY)) as desk:
        await ask(desk, *before, "burn")
        with monkeypatch.context() as broken, pytest.raises(RuntimeError):
            broken.setattr(QuickSqliteSaver, "adelete_thread" if not before else "aput", died)
            await desk.rollback("t", 1, user="local")
    async with open_workshop(Play(PLAY)) as desk:
        (action,) = (await desk.resume("t", user="local")).pending
        assert (action.tool, await words(desk)) == ("rebuild_box", list(before))
        await desk.cancel("t", user="local")
        await ask(desk, "peek")
        values = (await desk.graph.aget_state(CONFIG)).values
        assert [record["user"] for record in values["history"]] == await words(desk)
        assert [record["index"] for record in values["history"]] == list(range(len(before) + 2))


async def test_a_rollback_that_is_cut_off_takes_the_unfinished_turn_with_it(
    open_workshop: OpenDesk, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await ask(desk, "hi", "peek")
        await desk.ask(thread="t", user="local", text="press")
        with monkeypatch.context() as broken, pytest.raises(RuntimeError):
            broken.setattr(QuickSqliteSaver, "aput", died)
            await desk.rollback("t", 2, user="local")
    async with open_workshop(Play(PLAY)) as desk:
        assert (await desk.resume("t", user="local")).status == "done"
        await ask(desk, "hi")
        values = (await desk.graph.aget_state(CONFIG)).values
        assert [record["user"] for record in values["history"]] == await words(desk) == ["hi", "hi"]
    assert happened(data_dir) == []


@pytest.mark.parametrize("turns", [0, -1, 3, 10_000])
async def test_a_wrong_number_of_turns_changes_nothing(turns: int, open_workshop: OpenDesk) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await ask(desk, "hi", "peek")
        with pytest.raises(CannotRollBack, match="the thread has 2"):
            await desk.rollback("t", turns, user="local")
        assert await words(desk) == ["hi", "peek"]


async def test_a_turn_asked_again_after_a_rollback_acts_anew(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await ask(desk, "press")
        await desk.rollback("t", 1, user="local")
        await ask(desk, "press")
    assert happened(data_dir) == ["press_button", "press_button"]


async def test_a_rollback_reaches_behind_a_fold(open_workshop: OpenDesk) -> None:
    play = Play({f"peek {n}": PLAY["peek"] for n in range(14)})
    low = {"high_water_tokens": 120, "low_water_tokens": 40}
    async with open_workshop(play, history=low) as desk:
        await ask(desk, *play.turns)
        await desk.rollback("t", 13, user="local")
        assert await words(desk) == ["peek 0"]
        await ask(desk, "and now")
        values = (await desk.graph.aget_state(CONFIG)).values
    assert [record["user"] for record in values["history"]] == ["peek 0", "and now"]
    assert "peek 1" not in play.prompts[-1].text
