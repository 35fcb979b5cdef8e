"""People are told about actions that wait: signed, masked, once, and again after a failure."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.session import Desk
from tests.graph.conftest import OpenDesk
from tests.graph.mailboxes import Posted, Receiver, mailbox, receiver
from tests.graph.plays import Play, Turn, call
from tests.tools.mcp_parts import free_port
from tests.tools.parts import SetClock
from tools.notices import is_signed

HOUR = 3600.0
SECRET = "the-secret-of-the-webhook"
KEY = "sk-proj-abcdefghijklmnopqrstuvwx"
HANDS = [[call("press_button", "a", item=f"use {KEY}"), call("press_button", "b", item="blue")]]
PLAY = {
    "press": Turn(["hands"], {"hands": HANDS}),
    "sign": Turn(["eyes"], {"eyes": [[call("sign_off", item="list")]]}),
    "break": Turn(["hands"], {"hands": [[call("break_half_way", item="cup")]]}),
}


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    monkeypatch.setenv("HOOK_SECRET", SECRET)
    with receiver() as found:
        yield found


def webhook(hook: Receiver, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any setting
    channel = {"kind": "webhook", "url": hook.url, "secret_env": "HOOK_SECRET", **more}
    return {"channels": {"ops": channel}}


async def ask(desk: Desk, text: str = "press") -> None:
    assert (await desk.ask(thread="t", user="local", text=text)).status == "waiting"


def read(posted: Posted) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(posted.body)
    return body


async def test_a_webhook_tells_what_waits_why_until_when_and_how_to_decide(
    open_workshop: OpenDesk, hook: Receiver
) -> None:
    """One message for all that waits in the thread."""
    async with open_workshop(Play(PLAY), notify=webhook(hook)) as desk:
        await ask(desk)
        waiting = await desk.pending("t", user="local")
    (posted,) = hook.posted
    said = read(posted)
    assert (said["type"], said["thread"], said["requested_by"]) == (
        "approval.requested",
        "t",
        "local",
    )
    assert [action["id"] for action in said["actions"]] == [action.id for action in waiting]
    action = said["actions"][0]
    assert (action["tool"], action["reasons"][0]) == ("press_button", "irreversible")
    assert action["expires_at"] == waiting[0].expires_at
    assert action["arguments"] == {"item": "use [masked token]", "amount": 1}
    assert said["how_to_decide"]["command_line"].startswith("hippograph decide 't' --approve eff_")


async def test_a_webhook_is_signed_with_its_time(open_workshop: OpenDesk, hook: Receiver) -> None:
    async with open_workshop(Play(PLAY), notify=webhook(hook)) as desk:
        await ask(desk)
        now = desk.services.clock()
    (posted,) = hook.posted
    stamp, mark = (posted.headers[f"X-Hippograph-{name}"] for name in ("Timestamp", "Signature"))
    assert is_signed(SECRET, stamp, posted.body, mark, now)
    assert not is_signed(SECRET, stamp, posted.body + b" ", mark, now)
    assert not is_signed("another", stamp, posted.body, mark, now)
    assert not is_signed(SECRET, stamp, posted.body, mark, datetime(2030, 1, 1, tzinfo=UTC))
    assert SECRET.encode() not in posted.body


async def test_a_message_that_was_not_taken_is_sent_again_after_a_restart(
    open_workshop: OpenDesk, hook: Receiver, clock: SetClock
) -> None:
    hook.answers = [503, 503]
    for _ in range(2):
        async with open_workshop(Play(PLAY), notify=webhook(hook)) as desk:
            if not hook.posted:
                await ask(desk)
    refused = len(hook.posted)
    assert refused == 2, "each of the two rows was tried, and then left alone for a while"
    clock.advance(60)
    async with open_workshop(Play(PLAY), notify=webhook(hook)):
        pass
    assert len(hook.posted) == refused + 1
    first, *_, last = hook.posted
    assert first.headers["X-Hippograph-Delivery"] == last.headers["X-Hippograph-Delivery"]


async def test_nobody_is_told_what_was_decided_meanwhile(
    open_workshop: OpenDesk, hook: Receiver, clock: SetClock
) -> None:
    hook.answers = [503, 503]
    async with open_workshop(Play(PLAY), notify=webhook(hook)) as desk:
        await ask(desk)
    tried = len(hook.posted)
    async with open_workshop(Play(PLAY), notify=webhook(hook)) as desk:
        await desk.cancel("t", user="local")
        clock.advance(100 * HOUR)
    async with open_workshop(Play(PLAY), notify=webhook(hook)):
        pass
    assert len(hook.posted) == tried


async def test_a_reminder_comes_before_the_time_is_over_and_only_then(
    open_workshop: OpenDesk, hook: Receiver, clock: SetClock
) -> None:
    async def reopened(hours: float) -> list[str]:
        clock.advance(hours * HOUR)
        async with open_workshop(Play(PLAY), notify=webhook(hook)):
            pass
        return [read(posted)["type"] for posted in hook.posted]

    async with open_workshop(Play(PLAY), notify=webhook(hook)) as desk:
        await ask(desk)
    assert await reopened(60) == ["approval.requested"]
    assert await reopened(9) == ["approval.requested", "approval.expiring"]
    assert await reopened(1) == ["approval.requested", "approval.expiring"]
    assert await reopened(10) == ["approval.requested", "approval.expiring"]


async def test_a_channel_of_a_team_hears_of_its_own_actions_only(
    open_workshop: OpenDesk, hook: Receiver
) -> None:
    notify = webhook(hook, teams=["finance"])
    async with open_workshop(Play(PLAY), notify=notify) as desk:
        await ask(desk, "press")
        await desk.cancel("t", user="local")
        await ask(desk, "sign")
    (posted,) = hook.posted
    assert [action["tool"] for action in read(posted)["actions"]] == ["sign_off"]


async def test_people_are_asked_about_an_outcome_that_nobody_knows(
    open_workshop: OpenDesk, hook: Receiver
) -> None:
    async with open_workshop(Play(PLAY), notify=webhook(hook)) as desk:
        await ask(desk, "break")
        (action,) = await desk.pending("t", user="local")
        await desk.decide("t", [{"id": action.id, "type": "approve"}], user="local")
    said = read(hook.posted[-1])
    assert said["type"] == "outcome.unknown"
    assert "--message happened|not_happened" in said["how_to_decide"]["command_line"]


async def test_slack_gets_its_own_shape(open_workshop: OpenDesk, hook: Receiver) -> None:
    slack = {"kind": "webhook", "url": hook.url, "format": "slack"}
    async with open_workshop(Play(PLAY), notify={"channels": {"ops": slack}}) as desk:
        await ask(desk)
    (posted,) = hook.posted
    said = read(posted)
    assert said["text"] == "Approval needed: press_button (thread t)"
    assert {block["type"] for block in said["blocks"]} == {"section"}
    assert KEY not in posted.body.decode()


async def test_a_mail_says_the_same(open_workshop: OpenDesk) -> None:
    port = free_port()
    mail = {
        "kind": "email",
        "host": "127.0.0.1",
        "port": port,
        "security": "none",
        "sender": "desk@example.com",
        "to": ["ben@example.com"],
    }
    with mailbox(port) as box:
        async with open_workshop(Play(PLAY), notify={"channels": {"mail": mail}}) as desk:
            await ask(desk)
    (found,) = box.mails
    text = found.get_payload(decode=True)
    assert isinstance(text, bytes)
    assert found["Subject"] == "Approval needed: press_button (thread t)"
    assert found["To"] == "ben@example.com"
    assert "hippograph decide 't' --approve eff_" in text.decode()
    assert KEY not in text.decode()


async def test_a_receiver_that_is_gone_stops_no_turn_and_shows_among_the_jobs(
    open_workshop: OpenDesk,
) -> None:
    dead = {"kind": "webhook", "url": "http://127.0.0.1:9/secret-path", "format": "slack"}
    notify = {"channels": {"ops": dead}}
    async with open_workshop(Play(PLAY), notify=notify) as desk:
        await ask(desk)
    async with open_workshop(Play(PLAY), notify=notify) as desk:
        jobs = [job for job in await desk.jobs(user="local") if job.kind == "notify"]
        assert (await desk.cancel("t", user="local")).status == "done"
    tried = [job.note for job in jobs if job.tries]
    assert tried == ["NoticeNotSent: the webhook: ConnectError"] * 2
