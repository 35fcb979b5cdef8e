"""Conversations that wait to be consolidated: written by the product's own transcript, then due."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, func, select, update

from configs.settings import Settings
from evals.sgd_desk import expert_name, record_of, tool_names
from evals.sgd_dialogues import ServiceDialogue, load_schema
from memory.database import Database
from memory.outbox import Pause
from memory.tables import outbox
from memory.transcript import Transcript
from state import Scope, thread_key

NEVER: Final = Pause(rest_s=1e8, ceiling_s=1e8)
OTHERS: Final = 20


class Load:
    """The outbox seen from outside, and conversations of other users put into it."""

    def __init__(self, database: Database) -> None:
        """Use an open database."""
        self._database = database
        self._transcript = Transcript(database, lambda: datetime.now(UTC), NEVER)

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings) -> "AsyncIterator[Load]":
        """Open the app's database for the length of the block."""
        database = await Database.open(settings.database_url)
        try:
            yield cls(database)
        finally:
            await database.close()

    async def write(self, dialogues: Sequence[ServiceDialogue], data: Path) -> None:
        """Write dialogues as closed turns of other users; none of them is due yet.

        The refinement of their turns lies behind: it follows each turn, not the pause.
        """
        names = tool_names(load_schema(data))
        for number, dialogue in enumerate(dialogues):
            scope = Scope(tenant="default", user=f"customer-{number % OTHERS}", teams=())
            key = thread_key("default", dialogue.name)
            await self._transcript.claim(key, scope)
            for index, exchange in enumerate(dialogue.exchanges):
                experts = [expert_name(exchange.service)]
                record = record_of(index, exchange, experts, names)
                record["id"] = f"turn_{dialogue.name}_{index}"
                record["at"] = datetime.now(UTC).isoformat()
                await self._transcript.close_turn(key, scope, record, exchange.answer)
        behind = update(outbox).where(outbox.c.kind == "turn_closed").values(state="done")
        await self._database.write(lambda conn: conn.execute(behind))

    async def release(self, parts: int) -> None:
        """Let one of so many parts of the conversations that are left be due."""
        now = datetime.now(UTC).isoformat()
        later = (
            outbox.c.state == "pending",
            outbox.c.due_at > now,
            outbox.c.user != "local",
            outbox.c.kind == "consolidate",
        )

        def work(conn: Connection) -> None:
            ids = conn.execute(select(outbox.c.id).where(*later).order_by(outbox.c.id)).scalars()
            left = list(ids)
            chosen = outbox.c.id.in_(left[: -(-len(left) // parts)])
            conn.execute(update(outbox).where(chosen).values(due_at=now, updated_at=now))

        await self._database.write(work)

    async def waiting(self) -> int:
        """How many jobs are due and not ended."""
        now = datetime.now(UTC).isoformat()
        return await self._count(outbox.c.state == "pending", outbox.c.due_at <= now)

    async def consolidated(self) -> int:
        """How many of the conversations are consolidated."""
        return await self._count(
            outbox.c.kind == "consolidate", outbox.c.user != "local", outbox.c.state != "pending"
        )

    async def ended(self) -> dict[str, int]:
        """How the consolidations ended."""
        query = (
            select(outbox.c.state, func.count())
            .where(outbox.c.kind == "consolidate", outbox.c.user != "local")
            .group_by(outbox.c.state)
        )
        rows = await self._database.read(lambda conn: conn.execute(query).all())
        return {row[0]: row[1] for row in rows}

    async def _count(self, *conditions: object) -> int:
        query = select(func.count()).select_from(outbox).where(*conditions)  # type: ignore[arg-type]  # SQL
        return await self._database.read(lambda conn: int(conn.execute(query).scalar_one()))
