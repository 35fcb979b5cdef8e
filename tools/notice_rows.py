"""Outbox rows for messages to people, written in the transaction that makes an action wait."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, cast

from sqlalchemy import Connection, select

from configs.notify import NotifySettings
from memory.database import Database
from memory.outbox import Job, enqueue_once
from memory.tables import outbox
from state import Scope, derived_id
from tools.effects import EffectRow
from tools.notices import Phase

KIND: Final = "notify"


class Notices:
    """Writes a row for each channel that is to be told, and one for its reminder."""

    def __init__(self, settings: NotifySettings, database: Database) -> None:
        """Use the channels of the settings."""
        self._settings = settings
        self._database = database
        self._wake: Callable[[], None] | None = None

    def bind(self, wake: Callable[[], None]) -> None:
        """Say who is to be woken when there is a row."""
        self._wake = wake

    def write(self, conn: Connection, row: EffectRow, now: datetime) -> None:
        """Have people told, inside the caller's transaction, that a row waits for one."""
        phase: Phase = "unknown" if row.status == "unsettled" else "asked"
        for name, channel in self._settings.channels.items():
            if not channel.wants(row.approver_teams):
                continue
            _enqueue(conn, row, name, phase, now, now)
            remind_at = row.expires_at - timedelta(hours=self._settings.remind_before_hours)
            if phase == "asked" and self._settings.remind_before_hours and remind_at > now:
                _enqueue(conn, row, name, "reminder", now, remind_at)

    def wake(self) -> None:
        """Rows are committed."""
        if self._settings.channels and self._wake is not None:
            self._wake()

    async def told(self, job: Job) -> set[str]:
        """Effects that earlier messages of the job's channel and phase were about."""
        _, channel, phase = read_key(job)
        ended = select(outbox.c.turn_id, outbox.c.note).where(
            outbox.c.kind == KIND, outbox.c.thread == job.thread, outbox.c.state == "done"
        )
        rows = await self._database.read(lambda conn: conn.execute(ended).all())
        same = [row.note for row in rows if row.turn_id.split(" ")[1:] == [channel, phase]]
        return {word for note in same for word in note.split()}


def _enqueue(
    conn: Connection, row: EffectRow, channel: str, phase: Phase, now: datetime, due: datetime
) -> None:
    """Write a row, in a place of its own beside the thread's.

    A thread's own jobs are done early when a desk closes, and its name must not outlive it here.
    """
    enqueue_once(
        conn,
        KIND,
        Scope(tenant=row.tenant, user=row.requested_by),
        derived_id("notices", row.thread),
        f"{row.id} {channel} {phase}",
        now.isoformat(),
        due_at=due.isoformat(),
    )


def read_key(job: Job) -> tuple[str, str, Phase]:
    """Effect, channel and phase of a job."""
    effect, channel, phase = job.turn_id.split(" ")
    return effect, channel, cast("Phase", phase)
