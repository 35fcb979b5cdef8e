import asyncio
from typing import Any

import pytest
from sqlalchemy import Connection, select, text, update

from memory.database import Database
from memory.tables import effect_events, effects
from state import Scope
from tests.tools.parts import ADA, BEN, HOUR_S, ON_BOTH, SITE, THREAD, SetClock, a_call, accept
from tools.effects import EffectRow, row_digest
from tools.errors import (
    ApprovalMismatch,
    EffectConflict,
    EffectExpired,
    EffectUnknown,
    ExpiredDecision,
    InvalidDecision,
    LedgerError,
    NotAllowed,
    RepeatedDecision,
    ToolError,
    UnknownDecision,
)
from tools.ledger import Ledger


async def prepare(ledger: Ledger, ordinal: int = 0, **more: Any) -> EffectRow:  # noqa: ANN401 - any
    values = {"needs_approval": True, "ttl_s": HOUR_S, **more}
    call = values.pop("call", None) or a_call(amount=82, call_id=f"call_{ordinal}")
    return await ledger.prepare(values.pop("site", SITE), ordinal, call, **values)


async def decide(
    ledger: Ledger,
    *decisions: dict[str, Any],
    reviewer: Scope = ADA,
) -> list[EffectRow]:
    return await ledger.decide(THREAD, decisions, reviewer=reviewer, validate_edit=accept)


async def approved(ledger: Ledger) -> EffectRow:
    row = await prepare(ledger)
    return (await decide(ledger, {"id": row.id, "type": "approve"}))[0]


async def started(ledger: Ledger) -> EffectRow:
    return await ledger.start((await approved(ledger)).id)


@ON_BOTH
async def test_a_replayed_prepare_gives_the_row_that_is_there(ledger: Ledger) -> None:
    first = await approved(ledger)
    again = await prepare(ledger)
    assert again == first
    assert again.status == "approved"


async def test_the_order_of_arguments_and_the_spelling_of_numbers_make_no_other_row(
    ledger: Ledger,
) -> None:
    first = await prepare(ledger, call=a_call(a=1, b=2.0))
    second = await prepare(ledger, call=a_call(b=2, a=1.0))
    assert (first.id, first.digest) == (second.id, second.digest)


async def test_other_arguments_at_the_same_place_make_another_row(ledger: Ledger) -> None:
    first = await prepare(ledger, call=a_call(amount=82))
    second = await prepare(ledger, call=a_call(amount=820))
    assert first.id != second.id
    assert first.digest != second.digest


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 2**64, object(), {1: 2}])
async def test_arguments_that_cannot_be_kept_are_refused(ledger: Ledger, bad: object) -> None:
    with pytest.raises(LedgerError, match="cannot be kept"):
        await prepare(ledger, call=a_call(amount=bad))


async def test_an_effect_that_needs_nobody_is_born_approved(ledger: Ledger) -> None:
    row = await prepare(ledger, needs_approval=False)
    assert row.status == "approved"
    assert (await ledger.start(row.id)).status == "started"


async def test_an_undecided_effect_does_not_start(ledger: Ledger) -> None:
    row = await prepare(ledger)
    with pytest.raises(EffectConflict, match="prepared"):
        await ledger.start(row.id)
    assert (await ledger.get(row.id)).status == "prepared"


@ON_BOTH
async def test_an_approval_is_used_once(ledger: Ledger) -> None:
    row = await started(ledger)
    with pytest.raises(EffectConflict):
        await ledger.start(row.id)
    await ledger.finish(row.id, True, "art_1", "paid")
    with pytest.raises(EffectConflict):
        await ledger.start(row.id)


@ON_BOTH
async def test_arguments_changed_behind_an_approval_do_not_run(
    ledger: Ledger, database: Database
) -> None:
    row = await approved(ledger)

    def tamper(conn: Connection) -> None:
        conn.execute(update(effects).where(effects.c.id == row.id).values(args='{"amount":820}'))

    await database.write(tamper)
    with pytest.raises(ApprovalMismatch):
        await ledger.start(row.id)
    assert (await ledger.get(row.id)).status == "rejected"


async def test_arguments_changed_behind_a_request_are_not_approved(
    ledger: Ledger, database: Database
) -> None:
    row = await prepare(ledger)

    def tamper(conn: Connection) -> None:
        conn.execute(update(effects).where(effects.c.id == row.id).values(args='{"amount":820}'))

    await database.write(tamper)
    with pytest.raises(ApprovalMismatch):
        await decide(ledger, {"id": row.id, "type": "approve"})
    assert (await ledger.get(row.id)).status == "prepared"


async def test_a_caller_that_knows_another_action_does_not_start_it(ledger: Ledger) -> None:
    row = await approved(ledger)
    with pytest.raises(ApprovalMismatch):
        await ledger.start(row.id, "another digest")


async def test_a_status_forged_without_a_reviewer_does_not_run(
    ledger: Ledger, database: Database
) -> None:
    row = await prepare(ledger)

    def forge(conn: Connection) -> None:
        conn.execute(update(effects).where(effects.c.id == row.id).values(status="approved"))

    await database.write(forge)
    with pytest.raises(ApprovalMismatch):
        await ledger.start(row.id)


@ON_BOTH
async def test_a_late_approval_does_not_run(ledger: Ledger, clock: SetClock) -> None:
    row = await approved(ledger)
    clock.advance(HOUR_S)
    with pytest.raises(EffectExpired):
        await ledger.start(row.id)
    assert (await ledger.get(row.id)).status == "expired"


@ON_BOTH
async def test_a_late_decision_says_that_nothing_ran(ledger: Ledger, clock: SetClock) -> None:
    row = await prepare(ledger)
    clock.advance(HOUR_S)
    with pytest.raises(ExpiredDecision, match="not run"):
        await decide(ledger, {"id": row.id, "type": "approve"})
    assert await ledger.pending("default") == []
    assert [late.id for late in await ledger.expire(THREAD)] == [row.id]
    with pytest.raises(ExpiredDecision):
        await decide(ledger, {"id": row.id, "type": "approve"})


@ON_BOTH
async def test_a_decision_sent_twice_is_an_error(ledger: Ledger) -> None:
    row = await approved(ledger)
    with pytest.raises(RepeatedDecision, match="already approved"):
        await decide(ledger, {"id": row.id, "type": "approve"})


async def test_a_late_click_for_one_request_does_not_approve_the_next(ledger: Ledger) -> None:
    first = await prepare(ledger, 0, call=a_call(amount=1, call_id="same"))
    await decide(ledger, {"id": "same", "type": "approve"})
    second = await prepare(ledger, 1, call=a_call(amount=2, call_id="same"))
    with pytest.raises(InvalidDecision, match="own id"):
        await decide(ledger, {"id": "same", "type": "approve"})
    with pytest.raises(RepeatedDecision):
        await decide(ledger, {"id": first.id, "type": "approve"})
    assert (await ledger.get(second.id)).status == "prepared"


@ON_BOTH
async def test_one_bad_decision_leaves_all_rows_as_they_were(ledger: Ledger) -> None:
    first, second = await prepare(ledger, 0), await prepare(ledger, 1)
    await decide(ledger, {"id": second.id, "type": "reject"})
    with pytest.raises(RepeatedDecision):
        await decide(
            ledger, {"id": first.id, "type": "approve"}, {"id": second.id, "type": "approve"}
        )
    assert (await ledger.get(first.id)).status == "prepared"


async def test_two_decisions_for_one_row_are_refused(ledger: Ledger) -> None:
    row = await prepare(ledger)
    with pytest.raises(InvalidDecision, match="one decision for each"):
        await decide(
            ledger,
            {"id": row.id, "type": "approve"},
            {"id": row.tool_call_id, "type": "reject"},
        )
    assert (await ledger.get(row.id)).status == "prepared"


@ON_BOTH
async def test_rejecting_one_call_leaves_its_siblings_alone(ledger: Ledger) -> None:
    first, second = await prepare(ledger, 0), await prepare(ledger, 1)
    rows = await decide(
        ledger,
        {"id": first.id, "type": "reject", "message": "too much"},
        {"id": second.id, "type": "approve"},
    )
    assert [row.status for row in rows] == ["rejected", "approved"]
    assert rows[0].message == "too much"


async def test_unknown_ids_and_other_threads_are_errors(ledger: Ledger) -> None:
    row = await prepare(ledger)
    with pytest.raises(UnknownDecision):
        await decide(ledger, {"id": "eff_none", "type": "approve"})
    with pytest.raises(UnknownDecision):
        await ledger.decide(
            "default:t2",
            [{"id": row.id, "type": "approve"}],
            reviewer=ADA,
            validate_edit=accept,
        )
    stranger = Scope(tenant="other", user="ada")
    with pytest.raises(UnknownDecision):
        await decide(ledger, {"id": row.id, "type": "approve"}, reviewer=stranger)


async def test_only_the_requester_decides_where_no_team_is_named(ledger: Ledger) -> None:
    row = await prepare(ledger)
    with pytest.raises(NotAllowed, match="the person who asked"):
        await decide(ledger, {"id": row.id, "type": "approve"}, reviewer=BEN)
    assert (await decide(ledger, {"id": row.id, "type": "approve"}))[0].decided_by == "ada"


async def test_only_a_member_decides_where_teams_are_named(ledger: Ledger) -> None:
    row = await prepare(ledger, approver_teams=["finance"])
    with pytest.raises(NotAllowed, match="finance"):
        await decide(ledger, {"id": row.id, "type": "approve"}, reviewer=ADA)
    rows = await decide(ledger, {"id": row.id, "type": "approve"}, reviewer=BEN)
    assert rows[0].decided_by == "ben"


@ON_BOTH
async def test_an_edit_is_one_act_with_a_new_digest_and_a_closed_old_row(ledger: Ledger) -> None:
    row = await prepare(ledger)
    edit = {"id": row.id, "type": "edit", "edited_action": {"name": "pay", "args": {"amount": 40}}}
    (new,) = await decide(ledger, edit)
    old = await ledger.get(row.id)
    assert (old.status, new.status, new.supersedes) == ("superseded", "approved", row.id)
    assert new.args == {"amount": 40}
    assert new.digest == row_digest(new) != row.digest
    assert new.decided_by == "ada"
    with pytest.raises(EffectConflict):
        await ledger.start(row.id)
    assert (await ledger.start(new.id)).args == {"amount": 40}


async def test_an_edit_to_the_same_arguments_is_still_an_edit(ledger: Ledger) -> None:
    row = await prepare(ledger)
    edit = {"id": row.id, "type": "edit", "edited_action": {"name": "pay", "args": row.args}}
    (new,) = await decide(ledger, edit)
    assert new.id != row.id
    assert new.status == "approved"


async def test_an_edit_of_the_tool_or_to_wrong_arguments_is_refused(ledger: Ledger) -> None:
    row = await prepare(ledger)

    def picky(tool: str, args: dict[str, Any]) -> dict[str, Any]:
        message = f"{tool} wants a number, came {args}"
        raise ToolError(message, kind="invalid_arguments")

    other = {"id": row.id, "type": "edit", "edited_action": {"name": "pay_all", "args": {}}}
    with pytest.raises(InvalidDecision, match="same tool"):
        await decide(ledger, other)
    wrong = {"id": row.id, "type": "edit", "edited_action": {"name": "pay", "args": {"x": 1}}}
    with pytest.raises(InvalidDecision, match="wants a number"):
        await ledger.decide(THREAD, [wrong], reviewer=ADA, validate_edit=picky)
    assert await ledger.rows(THREAD) == [row]


@pytest.mark.parametrize(
    "bad",
    [
        None,
        {"type": "approve"},
        {"id": "x", "type": "maybe"},
        {"id": "x", "type": ["approve"]},
        {"id": "x", "type": "respond"},
        {"id": "x", "type": "reject", "message": 7},
        {"id": "x", "type": "reject", "message": "m" * 1001},
        {"id": "x", "type": "edit"},
        {"id": "x", "type": "edit", "edited_action": {"name": "pay"}},
    ],
)
async def test_malformed_decisions_are_refused(ledger: Ledger, bad: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidDecision):
        await decide(ledger, bad)


async def test_no_decisions_at_all_are_refused(ledger: Ledger) -> None:
    with pytest.raises(InvalidDecision):
        await decide(ledger)


@ON_BOTH
async def test_an_answer_in_place_of_the_tool_closes_the_row(ledger: Ledger) -> None:
    row = await prepare(ledger)
    (closed,) = await decide(ledger, {"id": row.id, "type": "respond", "message": "paid by hand\0"})
    assert (closed.status, closed.message) == ("responded", "paid by hand\ufffd")


@ON_BOTH
async def test_an_unsettled_effect_is_asked_about_and_only_settled(ledger: Ledger) -> None:
    row = await started(ledger)
    await ledger.unsettle(row.id, "killed")
    assert [found.id for found in await ledger.pending("default", THREAD)] == [row.id]
    for wrong in ({"type": "approve"}, {"type": "respond", "message": "perhaps"}):
        with pytest.raises(InvalidDecision, match="not_happened"):
            await decide(ledger, {"id": row.id, **wrong})
    (done,) = await decide(ledger, {"id": row.id, "type": "respond", "message": "happened"})
    assert done.status == "done"
    with pytest.raises(RepeatedDecision):
        await decide(ledger, {"id": row.id, "type": "respond", "message": "not_happened"})


async def test_an_unsettled_effect_is_asked_about_however_late(
    ledger: Ledger, clock: SetClock
) -> None:
    row = await started(ledger)
    await ledger.unsettle(row.id)
    clock.advance(100 * HOUR_S)
    assert await ledger.expire(THREAD) == []
    settle = {"id": row.id, "type": "respond", "message": "not_happened"}
    assert (await decide(ledger, settle))[0].status == "failed"


@ON_BOTH
async def test_a_look_up_settles_a_started_effect_once(ledger: Ledger) -> None:
    row = await started(ledger)
    done = await ledger.settle(row.id, True, "look-up", "found", "art_1")
    assert (done.status, done.artifact, done.note) == ("done", "art_1", "found")
    with pytest.raises(EffectConflict):
        await ledger.settle(row.id, False, "look-up")


async def test_an_answer_that_comes_late_ends_an_unsettled_effect(ledger: Ledger) -> None:
    row = await started(ledger)
    await ledger.unsettle(row.id)
    assert (await ledger.finish(row.id, True)).status == "done"


@ON_BOTH
async def test_closing_a_turn_closes_only_what_has_not_started(ledger: Ledger) -> None:
    first, running = await prepare(ledger, 1), await started(ledger)
    closed = await ledger.close(THREAD, "u1", "rejected", "the turn was rolled back")
    assert [row.id for row in closed] == [first.id]
    assert (await ledger.get(running.id)).status == "started"
    assert await ledger.close(THREAD, "u1", "rejected", "again") == []


@ON_BOTH
async def test_rows_are_found_by_turn_and_expert_and_stay_in_their_tenant(ledger: Ledger) -> None:
    row = await prepare(ledger)
    assert await ledger.rows(THREAD, "u1", "billing") == [row]
    assert await ledger.rows(THREAD, "u2") == []
    assert await ledger.rows(THREAD, "u1", "orders") == []
    assert await ledger.pending("other") == []


async def test_what_is_not_in_the_ledger_cannot_move(ledger: Ledger) -> None:
    with pytest.raises(EffectUnknown):
        await ledger.start("eff_none")
    with pytest.raises(EffectUnknown):
        await ledger.finish("eff_none", True)


@ON_BOTH
async def test_every_step_leaves_an_event_and_is_told_after_its_commit(
    database: Database, clock: SetClock
) -> None:
    told: list[tuple[str, str]] = []
    ledger = Ledger(database, clock, lambda step, row: told.append((step, row.status)))
    row = await started(ledger)
    await ledger.finish(row.id, False, None, "refused")
    steps = ["->prepared", "prepared->approved", "approved->started", "started->failed"]
    assert [step for step, _ in told] == steps

    def events(conn: Connection) -> list[tuple[str | None, str, str]]:
        columns = (effect_events.c.before, effect_events.c.after, effect_events.c.by)
        found = conn.execute(select(*columns).order_by(effect_events.c.number))
        return [tuple(event) for event in found]

    assert await database.read(events) == [
        (None, "prepared", "ada"),
        ("prepared", "approved", "ada"),
        ("approved", "started", "ledger"),
        ("started", "failed", "ledger"),
    ]


@ON_BOTH
async def test_of_many_starts_at_once_exactly_one_wins(ledger: Ledger) -> None:
    row = await approved(ledger)
    results = await asyncio.gather(
        *(ledger.start(row.id) for _ in range(8)), return_exceptions=True
    )
    assert sum(isinstance(result, EffectRow) for result in results) == 1
    assert sum(isinstance(result, EffectConflict) for result in results) == 7


async def test_no_effect_starts_while_the_ledger_is_broken(
    ledger: Ledger, database: Database
) -> None:
    row = await approved(ledger)
    await database.write(lambda conn: conn.execute(text("DROP TABLE effect_events")))
    with pytest.raises(Exception, match="effect_events"):
        await ledger.start(row.id)
    assert (await ledger.get(row.id)).status == "approved"
