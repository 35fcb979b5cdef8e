"""What each call of a model read, wrote and found in the provider's cache, kept for reports.

A row holds sizes and digests of the prompt's blocks, never their text. Rows are written in the
background, a batch at a time; a crash loses the last ones, and nothing depends on them.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from langchain_core.messages import BaseMessage
from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import SQLAlchemyError

from memory.database import Database
from memory.tables import model_calls
from models.caching_blocks import Block, outline
from models.replies import ModelReply
from state import canonical_json

FLUSH_AFTER_S: Final = 0.5

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """One kept call; `blocks` are digests and sizes, `read` and `written` the provider's figures.

    `counted` says that the provider gave no figures, so `read` means nothing.
    """

    turn: int
    module: str
    model: str
    at: datetime
    blocks: tuple[Block, ...]
    input_tokens: int
    output_tokens: int
    read: int
    written: int
    counted: bool


@dataclass(frozen=True, slots=True)
class _Waiting:
    thread: str
    turn: int
    module: str
    at: datetime
    messages: Sequence[BaseMessage]
    tools: Sequence[Any]
    reply: ModelReply


class CallLog:
    """Keeps calls; `add` never waits and never fails."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        """Use an open database; `clock` gives aware UTC times."""
        self._database = database
        self._clock = clock
        self._waiting: list[_Waiting] = []
        self._later: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()

    def add(
        self,
        thread: str,
        turn: int,
        module: str,
        *,
        messages: Sequence[BaseMessage],
        tools: Sequence[Any],
        reply: ModelReply,
    ) -> None:
        """Keep a call that was answered; its thread by LangGraph's key."""
        row = _Waiting(thread, turn, module, self._clock(), messages, tools, reply)
        self._waiting.append(row)
        if self._later is None or self._later.done():
            self._later = asyncio.create_task(self._write_later(), name="keep model calls")

    async def drain(self) -> None:
        """Write what waits, after what is being written."""
        if self._later is not None and not self._writing.locked():
            self._later.cancel()
            await asyncio.gather(self._later, return_exceptions=True)
        async with self._writing:
            await self._write()

    async def calls(self, thread: str) -> list[LoggedCall]:
        """A thread's calls in the order in which they were answered."""
        await self.drain()
        query = (
            select(model_calls).where(model_calls.c.thread == thread).order_by(model_calls.c.number)
        )
        rows = await self._database.read(lambda conn: conn.execute(query).all())
        return [_read(row) for row in rows]

    async def _write_later(self) -> None:
        await asyncio.sleep(FLUSH_AFTER_S)
        async with self._writing:
            await self._write()

    async def _write(self) -> None:
        batch, self._waiting = self._waiting, []
        if not batch:
            return

        def work(conn: Connection) -> None:
            conn.execute(insert(model_calls), [_row(one) for one in batch])

        try:
            await self._database.write(work)
        except SQLAlchemyError as error:
            log.warning("%d model calls were not kept: %s", len(batch), error)


def _row(one: _Waiting) -> dict[str, Any]:
    usage = one.reply.usage
    blocks = [
        [block.kind, block.digest[:12], block.tokens]
        for block in outline(one.messages, one.tools, one.reply.model)
    ]
    return {
        "thread": one.thread,
        "turn": one.turn,
        "module": one.module,
        "model": one.reply.model,
        "at": one.at.isoformat(),
        "blocks": canonical_json(blocks),
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "counted": usage.counted,
        "cost_usd": one.reply.cost_usd,
    }


def _read(row: Any) -> LoggedCall:  # noqa: ANN401 - a row of the table
    blocks = tuple(Block(kind, digest, tokens) for kind, digest, tokens in json.loads(row.blocks))
    return LoggedCall(
        turn=row.turn,
        module=row.module,
        model=row.model,
        at=datetime.fromisoformat(row.at),
        blocks=blocks,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        read=row.cache_read_tokens,
        written=row.cache_write_tokens,
        counted=row.counted,
    )
