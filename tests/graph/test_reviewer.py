"""A reviewer from an approver team decides; the owner of the thread may always withdraw."""

import pytest

from graph.errors import DecisionRefused, UnknownThread
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call

SIGN = Turn(["eyes"], {"eyes": [[call("sign_off", item="x")]]}, answer="Signed, secretly.")


async def test_a_reviewer_who_is_not_the_owner_does_not_see_the_answer(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(Play({"sign": SIGN})) as desk:
        paused = await desk.ask(thread="t", user="ada", text="sign")
        approve = [{"id": paused.pending[0].id, "type": "approve"}]
        with pytest.raises(DecisionRefused, match="finance"):
            await desk.decide("t", approve, user="ada")
        seen = await desk.decide("t", approve, user="ben")
        answered = await desk.resume("t", user="ada")
    assert (seen.status, "secretly" in seen.text) == ("done", False)
    assert answered.text == "Signed, secretly."


async def test_a_reviewer_sees_the_thread_of_another_before_and_after_the_decision(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(Play({"sign": SIGN})) as desk:
        paused = await desk.ask(thread="t", user="ada", text="sign")
        assert await desk.pending("t", user="ben") == paused.pending
        await desk.decide("t", [{"id": paused.pending[0].id, "type": "approve"}], user="ben")
        assert await desk.pending("t", user="ben") == []
        with pytest.raises(UnknownThread):
            await desk.pending("t", user="cleo")


async def test_who_asked_for_an_action_may_withdraw_it(open_workshop: OpenDesk) -> None:
    async with open_workshop(Play({"sign": SIGN})) as desk:
        await desk.ask(thread="t", user="ada", text="sign")
        ended = await desk.cancel("t", user="ada")
        pending = await desk.pending(user="ben")
    assert (ended.status, pending) == ("done", [])
