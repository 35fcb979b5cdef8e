"""The audit of tool calls: one row a call, whatever came of it; ids, digests and sizes only."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, func, insert, select

from memory.database import Database
from memory.group_commit import GroupCommit
from memory.tables_calls import tool_calls
from state import Scope, canonical_json

MOST_SHOWN: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallRow:
    """One call as the audit keeps it.

    Attributes:
        outcome: how it ended: ok, error, rejected, expired, responded, unsettled.
        kind: the kind of error, empty for none.
        effect_id: the ledger's row, empty for a read.
        args_bytes, result_bytes: sizes in UTF-8.
        tries: how often the tool ran; 0 when it did not.
        masked: how many secret-shaped strings the result held.
        suspicion: how much the result looks like instructions to the model, 0 to 1.
    """

    tenant: str
    user: str
    thread: str
    turn_id: str
    expert: str
    ordinal: int
    tool: str
    tool_call_id: str
    effect: str
    effect_id: str = ""
    outcome: str
    kind: str = ""
    args_sha256: str = ""
    args_bytes: int = 0
    artifact: str = ""
    result_sha256: str = ""
    result_bytes: int = 0
    duration_ms: float = 0.0
    tries: int = 0
    cached: bool = False
    masked: int = 0
    suspicion: float = 0.0
    cost_usd: float = 0.0


_NAMES: Final = tuple(field.name for field in fields(ToolCallRow))


def _values(row: ToolCallRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _NAMES}


@dataclass(frozen=True, slots=True)
class AuditedCall:
    """A row with when it was written."""

    at: str
    call: ToolCallRow

    def as_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        return {"at": self.at, **_values(self.call)}


class ToolLog:
    """Keeps and reads the audit; rows are committed with the results they are about."""

    def __init__(
        self, database: Database, group: GroupCommit, clock: Callable[[], datetime]
    ) -> None:
        """Use an open database; `clock` gives aware UTC times."""
        self._database = database
        self._clock = clock
        self.group = group

    def add(self, row: ToolCallRow) -> None:
        """Have a row written with the group's next commit."""
        self.group.add(_insert, {"at": self._clock().isoformat(), **_values(row)})

    async def calls(
        self, scope: Scope, thread: str | None = None, limit: int = MOST_SHOWN
    ) -> list[AuditedCall]:
        """The scope's calls, oldest first, of one thread (by its key) or all; the last `limit`."""
        await self.group.flush()
        mine = [tool_calls.c.tenant == scope.tenant, tool_calls.c.user == scope.user]
        if thread is not None:
            mine.append(tool_calls.c.thread == thread)
        query = select(tool_calls).where(*mine).order_by(tool_calls.c.number.desc()).limit(limit)
        rows = await self._database.read(lambda conn: conn.execute(query).mappings().all())
        return [_read(dict(row)) for row in reversed(rows)]

    async def cost_of_turn(self, tenant: str, thread: str, turn_id: str) -> float:
        """US dollars that the tools of a turn have cost so far."""
        await self.group.flush()
        query = select(func.coalesce(func.sum(tool_calls.c.cost_usd), 0.0)).where(
            tool_calls.c.tenant == tenant,
            tool_calls.c.thread == thread,
            tool_calls.c.turn_id == turn_id,
        )
        return float(await self._database.read(lambda conn: conn.execute(query).scalar_one()))


def digest_and_size(value: object) -> tuple[str, int]:
    """Sha256 and size in bytes of a text, or of the canonical JSON of anything else."""
    text = value if isinstance(value, str) else canonical_json(value)
    raw = text.encode("utf-8", "replace")
    return hashlib.sha256(raw).hexdigest(), len(raw)


def _insert(conn: Connection, rows: Sequence[dict[str, Any]]) -> None:
    conn.execute(insert(tool_calls), list(rows))


def _read(row: dict[str, Any]) -> AuditedCall:
    at = row.pop("at")
    row.pop("number")
    return AuditedCall(at, ToolCallRow(**row))
