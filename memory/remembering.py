"""The write path: a closed turn becomes an item, a segment of conversation its episodes."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from memory.consolidation import Draft
from memory.drafts import item_of, when
from memory.episode_rows import insert_new, to_row
from memory.episodes import EpisodeItem, EpisodeStore, item_id
from memory.errors import IndexUnavailable
from memory.facts import Facts
from memory.indexing import Indexer
from memory.outgrowing import judged, successes_among
from memory.segment_shapes import Segment
from memory.segments import Segments
from memory.situations import Traits
from memory.values import Values, said_of
from memory.warning import MOST_LESSONS
from models.errors import ModelError
from state import Scope, TurnRecord

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What `remember_turn` did.

    Attributes:
        new_items: How many items were stored; 0 when the turn was remembered before.
        indexed: Whether the vector index holds them; if not, a later sweep puts them in.
        note: Why they are not indexed yet.
    """

    new_items: int
    indexed: bool
    note: str = ""


class Memory:
    """Remembers and forgets turns; every call names the scope, and every call may be repeated."""

    def __init__(
        self,
        *,
        episodes: EpisodeStore,
        segments: Segments,
        facts: Facts | None = None,
        indexer: Indexer | None = None,
        values: Values | None = None,
        traits: Mapping[str, Traits] | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Bind the stores.

        Args:
            episodes: Where items go.
            segments: Where it is kept what became of each message.
            facts: Whose mentions a forgotten turn takes along.
            values: Credits and retires earlier lessons.
            traits: By tool, what is known of its arguments.
            indexer: Puts items into the vector index once that is open.
            clock: Gives aware UTC times.
        """
        self._episodes = episodes
        self._segments = segments
        self._facts = facts
        self._indexer = indexer
        self._values = values
        self._traits: Mapping[str, Traits] = traits or {}
        self._clock = clock

    async def remember_turn(self, scope: Scope, thread: str, record: TurnRecord) -> Remembered:
        """Store the turn's item.

        Its id is derived from tenant, thread, turn and kind: repeating it stores nothing new, and a
        turn that was forgotten stays forgotten.
        """
        new_items = await self._episodes.scoped(scope).add([self._turn_item(scope, thread, record)])
        indexed, note = await self._index()
        return Remembered(new_items, indexed, note)

    async def remember_segment(
        self, scope: Scope, thread: str, segment: Segment, drafts: Sequence[Draft], reason: str
    ) -> Remembered:
        """Store a segment with its episodes, or without any and why; all of it, or nothing.

        A segment that has ended stays as it is.
        """
        rows = [to_row(scope, item_of(scope, thread, draft, self._clock())) for draft in drafts]
        added: list[int] = []
        ended = await self._segments.settle(
            scope,
            thread,
            segment,
            "episode" if drafts else "discarded",
            episode_ids=[draft["id"] for draft in drafts],
            reason=reason,
            also=lambda conn: added.append(insert_new(conn, _valued(conn, rows, drafts))),
        )
        if not ended or not drafts:
            return Remembered(0, True)
        await self._outgrow(scope, thread, drafts)
        indexed, note = await self._index()
        return Remembered(sum(added), indexed, note)

    async def _outgrow(self, scope: Scope, thread: str, drafts: Sequence[Draft]) -> None:
        """Credit earlier lessons that these successes have kept; retire those they contradict."""
        successes = successes_among(drafts)
        if not successes or self._values is None:
            return
        for failure in await self._episodes.scoped(scope).failures(MOST_LESSONS):
            for success in successes:
                kept, contradicted = judged(failure, success, self._traits, thread)
                if kept:
                    await self._values.credit(scope, [failure.id])
                elif contradicted:
                    await self._values.retire(scope, failure.id, success["id"])

    async def forget_turn(self, scope: Scope, thread: str, turn_id: str) -> int:
        """Erase what a turn left in episodes and facts; return how many entries were erased."""
        erased = await self._episodes.scoped(scope).forget_turn(thread, turn_id)
        if self._facts is not None:
            erased += await self._facts.forget_turn(scope, thread, turn_id)
        await self._index()
        return erased

    async def close(self) -> None:
        """End background work and give up the index; rows not yet indexed are swept later."""
        if self._indexer is not None:
            await self._indexer.close()

    async def _index(self) -> tuple[bool, str]:
        # The index opens at the first recall that has something to search, not for a write.
        if self._indexer is None or not self._indexer.started:
            return False, "the vector index is not open yet"
        try:
            await self._indexer.sweep()
        except (IndexUnavailable, ModelError) as error:
            logger.warning("new memories wait for the vector index: %s", error)
            return False, str(error)
        return True, ""

    def _turn_item(self, scope: Scope, thread: str, record: TurnRecord) -> EpisodeItem:
        return EpisodeItem(
            id=item_id(scope, thread, record["id"], "turn"),
            kind="turn",
            text=f"{record['user']}\n{record['answer']}".strip(),
            thread=thread,
            turn_id=record["id"],
            position=record["index"],
            actor=scope.user,
            domain=",".join(sorted(set(record["route"]))),
            occurred_at=when(record["at"]),
            recorded_at=self._clock(),
        )


def _valued(
    conn: Connection, rows: Sequence[dict[str, Any]], drafts: Sequence[Draft]
) -> list[dict[str, Any]]:
    """The rows with what people have said about the turns they come from."""
    turns = [draft["episode"]["turns"] for draft in drafts]
    return [
        {**row, "successes": said_of(conn, cited)} for row, cited in zip(rows, turns, strict=True)
    ]
