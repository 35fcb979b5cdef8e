"""The effects ledger: an effect happens at most once per approval, whatever is killed when.

Every row moves prepared -> approved -> started -> done|failed, each step a compare-and-set in one
transaction with an event appended. A row found started after a crash is settled, never repeated.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import ColumnElement, Connection, or_

from configs.masking import NO_MASKING, Masking
from memory.database import Database
from memory.tables import effects
from state import Scope, ToolCall, clean_text
from tools.deciding import EditCheck, Moved, decide_rows
from tools.decisions import read_decision, without_secrets
from tools.effect_rows import find, insert_once, load, move
from tools.effects import EffectRow, EffectStatus, is_approved, new_row, stamp
from tools.errors import ApprovalMismatch, EffectExpired, InvalidDecision, LedgerError
from tools.notice_rows import Notices
from tools.spec import CallSite

Clock: TypeAlias = Callable[[], datetime]
TransitionHook: TypeAlias = Callable[[str, EffectRow], None]

NOTE_CHARS: Final = 300


class Ledger:
    """The one way to prepare, decide, start and end effects."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        on_transition: TransitionHook | None = None,
        notices: Notices | None = None,
        masking: Masking = NO_MASKING,
    ) -> None:
        """Keep rows in the database.

        Args:
            database: where the rows are.
            clock: tells the time, aware.
            on_transition: called after each commit with `before->after` and the row.
            notices: tells people that a row waits for one.
            masking: hides secrets in what reviewers write.
        """
        self._notices, self._masking = notices, masking
        self._db = database
        self._clock = clock
        self._on_transition = on_transition

    async def prepare(
        self,
        site: CallSite,
        ordinal: int,
        call: ToolCall,
        *,
        needs_approval: bool,
        approver_teams: Iterable[str] = (),
        reasons: Iterable[str] = (),
        ttl_s: float,
    ) -> EffectRow:
        """Write down a call before anyone is asked; a replayed call gives the row that is there.

        Raises:
            LedgerError: the arguments are not plain JSON, or the stored row is of another call.
        """
        now = self._clock()
        try:
            row = new_row(site, ordinal, call, now=now, expires_at=now + timedelta(seconds=ttl_s))
        except (TypeError, ValueError) as error:
            raise LedgerError(call["id"], f"its arguments cannot be kept: {error}") from error
        row = replace(
            row,
            status="prepared" if needs_approval else "approved",
            needs_approval=needs_approval,
            approver_teams=tuple(approver_teams),
            reasons=tuple(reasons),
        )

        def work(conn: Connection) -> tuple[EffectRow, bool]:
            inserted = insert_once(conn, row, site.user)
            if inserted:
                self._have_told(conn, row)
            return load(conn, row.id), inserted

        stored, inserted = await self._db.write(work)
        if (stored.tenant, stored.thread, stored.tool) != (row.tenant, row.thread, row.tool):
            raise LedgerError(row.id, "its row belongs to another call")
        if inserted:
            self._tell([(f"->{stored.status}", stored)])
        return stored

    async def get(self, effect: str) -> EffectRow:
        """One row.

        Raises:
            EffectUnknown: there is none.
        """
        return await self._db.read(lambda conn: load(conn, effect))

    async def rows(
        self, thread: str, turn_id: str | None = None, expert: str | None = None
    ) -> list[EffectRow]:
        """A thread's rows, oldest first, narrowed to a turn and an expert."""
        conditions = [effects.c.thread == thread]
        if turn_id is not None:
            conditions.append(effects.c.turn_id == turn_id)
        if expert is not None:
            conditions.append(effects.c.expert == expert)
        return await self._db.read(lambda conn: find(conn, *conditions))

    async def pending(self, tenant: str, thread: str | None = None) -> list[EffectRow]:
        """What waits for a person: undecided rows that have time left, and unsettled ones."""
        undecided = (effects.c.status == "prepared") & (effects.c.expires_at > stamp(self._clock()))
        conditions = [effects.c.tenant == tenant, or_(undecided, effects.c.status == "unsettled")]
        if thread is not None:
            conditions.append(effects.c.thread == thread)
        return await self._db.read(lambda conn: find(conn, *conditions))

    async def decide(
        self,
        thread: str,
        decisions: Sequence[Mapping[str, Any]],
        *,
        reviewer: Scope,
        validate_edit: EditCheck,
    ) -> list[EffectRow]:
        """Take a reviewer's decisions, without the secrets in them: all of them or none.

        Args:
            thread: the thread's key.
            decisions: each with `id` (of the effect, or its tool-call id) and `type`.
            reviewer: who decides; rights are checked here and now.
            validate_edit: gives the edited arguments back as the tool takes them, or raises
                ToolError or InvalidDecision.

        Returns:
            The decided rows in the order given; for an edit the new row.

        Raises:
            DecisionError: why a decision is refused; nothing has changed.
            ApprovalMismatch: a row is not what was asked for; nothing has changed.
        """
        if not decisions:
            raise InvalidDecision("at least one decision", "none")
        read = [without_secrets(read_decision(one), self._masking) for one in decisions]

        def work(conn: Connection) -> list[Moved]:
            return decide_rows(conn, thread, read, reviewer, self._clock(), validate_edit)

        moved = await self._db.write(work)
        self._tell(moved)
        return [row for _, row in moved if row.status != "superseded"]

    async def start(self, effect: str, digest: str | None = None) -> EffectRow:
        """Use the approval up; the caller runs the effect once, with the arguments of this row.

        Args:
            effect: the row's id.
            digest: of the action as the caller knows it; must be the approved one.

        Raises:
            LedgerError: nothing may run. EffectExpired and ApprovalMismatch close the row.
        """

        def work(conn: Connection) -> tuple[str, EffectRow, LedgerError | None]:
            row, now = load(conn, effect), self._clock()
            if row.status == "approved" and row.expires_at <= now:
                note = "the approval's time was over"
                after = move(conn, row, "expired", by="ledger", at=now, note=note)
                return row.status, after, EffectExpired(effect, row.expires_at)
            if row.status == "approved" and not is_approved(row, digest):
                note = "the approval does not match the action"
                after = move(conn, row, "rejected", by="ledger", at=now, note=note)
                return row.status, after, ApprovalMismatch(effect)
            return row.status, move(conn, row, "started", by="ledger", at=now), None

        before, row, error = await self._db.write(work)
        self._tell([(f"{before}->{row.status}", row)])
        if error is not None:
            raise error
        return row

    async def finish(
        self, effect: str, ok: bool, artifact: str | None = None, note: str = ""
    ) -> EffectRow:
        """Say how a started effect ended; one that came back late ends an unsettled row too.

        Raises:
            LedgerError: the row was not started.
        """
        after: EffectStatus = "done" if ok else "failed"
        return await self._move(effect, after, note=note, artifact=artifact)

    async def unsettle(self, effect: str, note: str = "") -> EffectRow:
        """Say that nobody knows whether a started effect happened; a person is asked."""
        return await self._move(effect, "unsettled", note=note)

    async def settle(
        self,
        effect: str,
        happened: bool,
        by: str,
        note: str = "",
        artifact: str | None = None,
    ) -> EffectRow:
        """Close a started or unsettled row with what a look-up or a person found."""
        after: EffectStatus = "done" if happened else "failed"
        return await self._move(effect, after, by=by, note=note, artifact=artifact)

    async def refuse(self, effect: str, note: str) -> EffectRow:
        """Close an approved row that cannot run, such as one whose tool is gone."""
        return await self._move(effect, "rejected", note=note)

    async def expire(self, thread: str) -> list[EffectRow]:
        """Close what was not decided or not run in time; returns the rows closed now."""
        late = effects.c.expires_at <= stamp(self._clock())
        return await self._close("expired", "not run in time", effects.c.thread == thread, late)

    async def close(
        self,
        thread: str,
        turn_id: str | None,
        status: Literal["rejected", "expired"],
        reason: str,
        by: str = "ledger",
    ) -> list[EffectRow]:
        """Close what has not started, for a cancelled or rolled-back turn (None: all turns)."""
        conditions = [effects.c.thread == thread]
        if turn_id is not None:
            conditions.append(effects.c.turn_id == turn_id)
        return await self._close(status, reason, *conditions, by=by)

    async def _close(
        self,
        status: EffectStatus,
        reason: str,
        *conditions: ColumnElement[bool],
        by: str = "ledger",
    ) -> list[EffectRow]:
        waiting = effects.c.status.in_(("prepared", "approved"))
        text = clean_text(reason)[:NOTE_CHARS]

        def work(conn: Connection) -> list[Moved]:
            now = self._clock()
            return [
                (row.status, move(conn, row, status, by=by, at=now, message=text))
                for row in find(conn, waiting, *conditions)
            ]

        moved = [(f"{before}->{row.status}", row) for before, row in await self._db.write(work)]
        self._tell(moved)
        return [row for _, row in moved]

    async def _move(
        self,
        effect: str,
        after: EffectStatus,
        *,
        by: str = "ledger",
        note: str,
        **changes: Any,  # noqa: ANN401 - columns
    ) -> EffectRow:
        kept = {name: value for name, value in changes.items() if value is not None}

        def work(conn: Connection) -> Moved:
            row = load(conn, effect)
            moved = move(
                conn,
                row,
                after,
                by=by,
                at=self._clock(),
                note=clean_text(note)[:NOTE_CHARS],
                **kept,
            )
            self._have_told(conn, moved)
            return f"{row.status}->{after}", moved

        moved = await self._db.write(work)
        self._tell([moved])
        return moved[1]

    def _have_told(self, conn: Connection, row: EffectRow) -> None:
        """Inside the transaction that made the row wait for a person."""
        if self._notices is not None and row.status in ("prepared", "unsettled"):
            self._notices.write(conn, row, self._clock())

    def _tell(self, moved: Sequence[Moved]) -> None:
        if self._notices is not None:
            self._notices.wake()
        if self._on_transition is not None:
            for step, row in moved:
                self._on_transition(step, row)
