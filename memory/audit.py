"""What people did to memories, without the memories' text: an append-only list."""

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, func, insert, select

from memory.database import Database
from memory.tables import memory_audit
from state import Scope, clean_text


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One act: who did what to which id; `detail` names kinds, readers and numbers, never text."""

    at: datetime
    user: str
    action: str
    subject: str
    detail: str


def note_down(
    conn: Connection,
    scope: Scope,
    action: str,
    subject: str,
    detail: str = "",
    *,
    at: datetime | None = None,
) -> None:
    """Append an act, in the transaction that does it; `at` is now unless told."""
    conn.execute(
        insert(memory_audit).values(
            at=(at or datetime.now(UTC)).isoformat(),
            tenant=scope.tenant,
            user=scope.user,
            action=action,
            subject=clean_text(subject),
            detail=clean_text(detail),
        )
    )


async def acts_on(database: Database, scope: Scope, subject: str) -> list[AuditEntry]:
    """What the scope's user did to an item, oldest first."""
    query = (
        select(memory_audit)
        .where(
            memory_audit.c.tenant == scope.tenant,
            memory_audit.c.user == scope.user,
            memory_audit.c.subject == subject,
        )
        .order_by(memory_audit.c.number)
    )
    rows = await database.read(lambda conn: conn.execute(query).all())
    return [
        AuditEntry(datetime.fromisoformat(row.at), row.user, row.action, row.subject, row.detail)
        for row in rows
    ]


async def last_act(database: Database, action: str) -> str:
    """When something was last done, ISO 8601 UTC; empty if it never was."""
    query = select(func.max(memory_audit.c.at)).where(memory_audit.c.action == action)
    return await database.read(lambda conn: conn.execute(query).scalar() or "")
