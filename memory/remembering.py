"""The write path: a closed turn becomes an item, its effects an episode."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from memory.entities import pattern_entities
from memory.episodes import EpisodeItem, EpisodeStore, item_id
from memory.errors import IndexUnavailable
from memory.facts import Facts
from memory.indexing import Indexer
from memory.lessons import Learnable, ended_effects, episode_of
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
        facts: Facts | None = None,
        indexer: Indexer | None = None,
        learnable: Learnable | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Bind the stores.

        Args:
            episodes: Where items go.
            facts: Whose mentions a forgotten turn takes along.
            indexer: Puts items into the vector index once that is open.
            learnable: Tool name to the arguments that a reviewer's message may teach.
            clock: Gives aware UTC times.
        """
        self._episodes = episodes
        self._facts = facts
        self._indexer = indexer
        self._learnable: Learnable = learnable or {}
        self._clock = clock

    async def remember_turn(self, scope: Scope, thread: str, record: TurnRecord) -> Remembered:
        """Store the turn's item, and an episode if an effect ended done, failed or rejected.

        Ids are derived from tenant, thread, turn and kind: repeating it stores nothing new, and a
        turn that was forgotten stays forgotten.
        """
        items = [self._turn_item(scope, thread, record)]
        if episode := self._episode_item(scope, thread, record):
            items.append(episode)
        new_items = await self._episodes.scoped(scope).add(items)
        indexed, note = await self._index()
        return Remembered(new_items, indexed, note)

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
            occurred_at=_when(record["at"]),
            recorded_at=self._clock(),
        )

    def _episode_item(self, scope: Scope, thread: str, record: TurnRecord) -> EpisodeItem | None:
        entities = pattern_entities(record["user"])
        found = episode_of(record, self._learnable, tuple(entity.text for entity in entities))
        if found is None:
            return None
        episode, result = found
        actions = "; ".join(f"{action.tool}: {action.outcome}" for action in episode.actions)
        return EpisodeItem(
            id=item_id(scope, thread, record["id"], "episode"),
            kind="episode",
            text=f"{record['user']}\n{actions}",
            thread=thread,
            turn_id=record["id"],
            position=record["index"],
            actor=scope.user,
            domain=",".join(episode.agent),
            operation=",".join(sorted({call["name"] for _, call in ended_effects(record)})),
            result=result,
            occurred_at=_when(record["at"]),
            recorded_at=self._clock(),
            episode=episode,
        )


def _when(at: str) -> datetime:
    """The turn's time; one without a zone is UTC."""
    moment = datetime.fromisoformat(at)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
