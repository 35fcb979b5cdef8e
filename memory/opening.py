"""Opens the memory of an app: one call, so that graph, evaluations and tests wire it alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from configs.settings import SHIPPED_APP, Settings, read_secret
from memory.chroma_episodes import ChromaEpisodes
from memory.database import Database
from memory.entities import EntityFinder
from memory.episodes import Visibility
from memory.facts import Facts
from memory.floor import floor_of
from memory.indexing import Indexer
from memory.near_values import Judge, NearValues
from memory.ranking import Weights
from memory.recall import Recall, RecallOptions
from memory.remembering import Memory
from memory.reranking import Reranker
from memory.segments import Segments
from memory.sharing import PromotionRule, Redaction, Sharing
from memory.situations import Traits
from memory.slots import Slot, load_slots
from memory.sql_episodes import SqlEpisodes
from memory.threaded_index import ThreadedIndex
from memory.values import Values
from memory.warning import Warner
from models.embedding import Embedder


@dataclass(frozen=True, slots=True)
class OpenMemory:
    """The parts of an app's memory, bound to each other."""

    episodes: SqlEpisodes
    segments: Segments
    values: Values
    sharing: Sharing
    facts: Facts
    indexer: Indexer | None
    memory: Memory
    recall: Recall

    async def close(self) -> None:
        """Drain recall, end the sweep, close the index; the database stays open."""
        await self.recall.close()
        await self.memory.close()


def open_memory(
    database: Database,
    settings: Settings,
    *,
    embedder: Embedder | None,
    judge: Judge | None = None,
    traits: Mapping[str, Traits] | None = None,
    reranker: Reranker | None = None,
    clock: Callable[[], datetime],
) -> OpenMemory:
    """Bind memory to an open database; reads `profile.yaml`, so call it in a thread.

    Neither Chroma nor the embedder is loaded yet.

    Args:
        database: The app's database.
        settings: Where data lie, and how recall ranks.
        embedder: The one that routing uses too; None for recall by full text alone.
        reranker: Looks at the best of each ranking again.
        judge: Tells which values of a slot say the same, where the embedder is the shipped one.
        traits: By tool, what is known of its arguments: what lessons can be about.
        clock: Gives aware UTC times.

    Raises:
        InvalidConfig: `profile.yaml` is wrong.
    """
    episodes = SqlEpisodes(database)
    near = None if embedder is None else NearValues(embedder, judge=judge)
    facts = Facts(database, _slots(settings), near=near, clock=clock, calendar=settings.clock)
    indexer = None
    if embedder is not None:
        indexer = Indexer(database, vector_index(settings, embedder), embedder)
    segments = Segments(database, clock)
    values = Values(database, clock)
    memory = Memory(
        episodes=episodes,
        segments=segments,
        facts=facts,
        indexer=indexer,
        values=values,
        traits=traits,
        clock=clock,
    )
    options = RecallOptions(
        deadline_s=settings.recall.deadline_s,
        budget_tokens=settings.recall.budget_tokens,
        max_items=settings.recall.max_items,
        weights=Weights(half_life_days=settings.recall.half_life_days),
        floor=floor_of("" if embedder is None else embedder.name, settings.recall.floor),
    )
    recall = Recall(
        episodes=episodes,
        facts=facts,
        indexer=indexer,
        options=options,
        reranker=reranker,
        warner=Warner(episodes, embedder, traits or {}),
        clock=clock,
        calendar=settings.clock,
    )
    sharing = Sharing(episodes, EntityFinder(), *_sharing(settings))
    return OpenMemory(episodes, segments, values, sharing, facts, indexer, memory, recall)


def vector_index(settings: Settings, embedder: Embedder) -> ThreadedIndex:
    """The index the settings name, a folder's or a server's; neither it nor Chroma is opened.

    Args:
        settings: where it is.
        embedder: what its vectors are made with; not loaded.
    """
    name, size = embedder.name, embedder.dimension
    if settings.index.server_url is None:
        return ChromaEpisodes(settings.data_dir / "chroma", embedder=name, dimension=size)
    from memory.chroma_server import ChromaServer  # noqa: PLC0415 - most apps have no server

    key = read_secret(settings.index.key_env)
    return ChromaServer(settings.index.server_url, key=key, embedder=name, dimension=size)


def _sharing(settings: Settings) -> tuple[Redaction, PromotionRule | None]:
    """What is taken out of shared episodes, and which ones are shared without a person."""
    given = settings.sharing
    redaction = Redaction.of(given.patterns, given.entities)
    if given.promote_to is None:
        return redaction, None
    kind, _, team = given.promote_to.partition(":")
    visibility: Visibility = "team" if kind == "team" else "organisation"
    return redaction, PromotionRule(visibility, team, given.least_successes)


def _slots(settings: Settings) -> tuple[Slot, ...]:
    """The app's slots; the shipped ones if it declares none."""
    own = settings.app_dir / "profile.yaml"
    return load_slots(own if own.exists() else SHIPPED_APP / "profile.yaml")
