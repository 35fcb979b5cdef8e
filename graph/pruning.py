"""Keeps checkpoints small: of a thread at rest only its last turn boundaries stay.

A boundary is the newest checkpoint of a run that ended with nothing next. The database's transcript
has everything; the boundaries are what a rollback goes back to.
"""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import StateSnapshot

BOUNDARIES = 10

TABLE = """
CREATE TABLE IF NOT EXISTS turn_boundaries (
    thread_id TEXT NOT NULL, checkpoint_id TEXT NOT NULL, PRIMARY KEY (thread_id, checkpoint_id)
)
"""
_KEPT = (
    "SELECT checkpoint_id FROM turn_boundaries WHERE thread_id = {p} "
    f"ORDER BY checkpoint_id DESC LIMIT {BOUNDARIES}"
)
_STEPS = (
    "INSERT INTO turn_boundaries VALUES ({p}, {p}) ON CONFLICT DO NOTHING",
    f"DELETE FROM turn_boundaries WHERE thread_id = {{p}} AND checkpoint_id NOT IN ({_KEPT})",
)
_UNREFERENCED = (
    "DELETE FROM checkpoint_blobs b WHERE thread_id = %s AND NOT EXISTS ("
    "SELECT 1 FROM checkpoints c WHERE c.thread_id = b.thread_id "
    "AND c.checkpoint_ns = b.checkpoint_ns "
    "AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version)"
)


class Pruning:
    """Deletes a thread's intermediate checkpoints; never called while anything is next."""

    def __init__(self, saver: BaseCheckpointSaver[str]) -> None:
        """Use the saver that the graph was compiled with; one of an unknown kind is left alone."""
        self._saver: Any = saver
        self._prepared = False

    async def run(self, snapshot: StateSnapshot) -> None:
        """Keep the thread's last boundaries, this snapshot among them.

        Args:
            snapshot: the thread's newest state, with nothing next.
        """
        places = snapshot.config["configurable"]
        thread, checkpoint = places["thread_id"], places.get("checkpoint_id")
        if snapshot.tasks or checkpoint is None:
            return
        if isinstance(self._saver, AsyncSqliteSaver):
            await self._sqlite(self._saver, thread, checkpoint)
        elif hasattr(self._saver, "_cursor"):
            await self._postgres(thread, checkpoint)

    async def _sqlite(self, saver: AsyncSqliteSaver, thread: str, checkpoint: str) -> None:
        async with saver.lock:
            if not self._prepared:
                await saver.conn.execute(TABLE)
                self._prepared = True
            await saver.conn.execute("BEGIN IMMEDIATE")
            for statement, values in _statements("?", "writes", thread, checkpoint):
                await saver.conn.execute(statement, values)
            await saver.conn.commit()

    async def _postgres(self, thread: str, checkpoint: str) -> None:
        async with self._saver._cursor(pipeline=True) as cursor:
            for statement, values in _statements("%s", "checkpoint_writes", thread, checkpoint):
                await cursor.execute(statement, values)
            await cursor.execute(_UNREFERENCED, (thread,))


def _statements(
    p: str, writes: str, thread: str, checkpoint: str
) -> list[tuple[str, tuple[str, ...]]]:
    """What to run in one transaction, with `p` as the driver's placeholder."""
    note, forget = (step.format(p=p) for step in _STEPS)
    kept = _KEPT.format(p=p)
    gone = f"WHERE thread_id = {p} AND checkpoint_id NOT IN ({kept})"
    twice = (thread, thread)
    return [
        (note, (thread, checkpoint)),
        (forget, twice),
        (f"DELETE FROM {writes} {gone}", twice),
        (f"DELETE FROM checkpoints {gone}", twice),
    ]
