"""LangGraph's SQLite saver with one hop to the connection's thread for each write.

The saver it builds on opens a cursor, executes, commits and closes, each in a hop of its own: some
125 hops a turn. On a connection in autocommit mode one statement is one transaction, so one hop
does. What is stored is the same, row for row.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from typing_extensions import override

_PUT: Final = (
    "INSERT OR REPLACE INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id,"
    " parent_checkpoint_id, type, checkpoint, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_WRITES: Final = (
    "INSERT OR {or_else} INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path,"
    " idx, channel, type, value) VALUES {rows}"
)
_ROW: Final = "(?, ?, ?, ?, ?, ?, ?, ?, ?)"
_MOST_ROWS: Final = 1_000
"""SQLite takes 32,766 values in a statement."""


class QuickSqliteSaver(AsyncSqliteSaver):
    """A saver over a connection opened with `isolation_level=None`."""

    @override
    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint."""
        await self.setup()
        places = config["configurable"]
        kind, body = self.serde.dumps_typed(checkpoint)
        told = json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False)
        ids = {
            "thread_id": str(places["thread_id"]),
            "checkpoint_ns": places["checkpoint_ns"],
            "checkpoint_id": checkpoint["id"],
        }
        parent = places.get("checkpoint_id")
        values = (*ids.values(), parent, kind, body, told.encode("utf-8", "ignore"))
        async with self.lock:
            await self.conn.execute_fetchall(_PUT, values)
        return {"configurable": ids}

    @override
    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task has written, all of it or nothing."""
        if len(writes) > _MOST_ROWS:
            await super().aput_writes(config, writes, task_id, task_path)
            return
        await self.setup()
        places = config["configurable"]
        owner = (
            str(places["thread_id"]),
            str(places["checkpoint_ns"]),
            str(places["checkpoint_id"]),
            task_id,
            task_path,
        )
        values = [
            value
            for number, (channel, written) in enumerate(writes)
            for value in (
                *owner,
                WRITES_IDX_MAP.get(channel, number),
                channel,
                *self.serde.dumps_typed(written),
            )
        ]
        special = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        statement = _WRITES.format(
            or_else="REPLACE" if special else "IGNORE", rows=", ".join([_ROW] * len(writes))
        )
        async with self.lock:
            await self.conn.execute_fetchall(statement, values)
