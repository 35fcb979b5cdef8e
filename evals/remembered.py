"""The product's own memory over an evaluation's records, wired as an app wires it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from rich.progress import Progress

from configs.settings import Settings, load_settings
from evals.vector_cache import open_cached
from graph.services import judge_of
from memory.database import Database
from memory.episodes import EpisodeItem, item_id
from memory.floor import Floor, floor_of
from memory.opening import OpenMemory, open_memory
from memory.ranking import Weights
from memory.recall import Recall, RecallOptions
from models.embedding import Embedder
from state import Scope

PATIENCE_S: Final = 120.0
"""A shared machine may stall; how long a search takes is measured, not limited."""


@dataclass(frozen=True, slots=True)
class Bench:
    """An open memory with what is needed to ask it in other ways than the app does."""

    settings: Settings
    opened: OpenMemory
    embedder: Embedder

    def recall(
        self,
        now: datetime,
        *,
        floored: bool = False,
        weights: Weights | None = None,
        max_items: int | None = None,
    ) -> Recall:
        """A reader with the app's settings at a moment; without a floor unless asked for."""
        chosen = self.settings.recall
        options = RecallOptions(
            deadline_s=PATIENCE_S,
            budget_tokens=chosen.budget_tokens,
            max_items=max_items or chosen.max_items,
            weights=weights or Weights(half_life_days=chosen.half_life_days),
            floor=self.floor if floored else None,
        )
        return Recall(
            episodes=self.opened.episodes,
            indexer=self.opened.indexer,
            options=options,
            clock=lambda: now,
        )

    @property
    def floor(self) -> Floor:
        """The app's floor."""
        return floor_of(self.embedder.name, self.settings.recall.floor)

    async def remember(self, scope: Scope, items: Sequence[EpisodeItem]) -> None:
        """Store items; `index` puts them into the vector index."""
        await self.opened.episodes.scoped(scope).add(items)

    async def index(self, progress: Progress, expected: int) -> None:
        """Embed and index what was stored."""
        if self.opened.indexer is None:
            return
        bar = progress.add_task("vectors", total=expected)
        while changed := await self.opened.indexer.sweep(limit=64):
            progress.advance(bar, changed)


@asynccontextmanager
async def open_bench(
    folder: Path,
    embedder: Embedder | None = None,
    clock: Callable[[], datetime] | None = None,
) -> AsyncIterator[Bench]:
    """A memory in an empty folder, with the shipped settings and a disk cache for vectors."""
    settings = await asyncio.to_thread(load_settings, data_dir=folder)
    chosen: Embedder = (
        await asyncio.to_thread(open_cached, settings.embedder.name)
        if embedder is None
        else embedder
    )
    database = await Database.open(f"sqlite:///{folder}/bench.db")
    opened = await asyncio.to_thread(
        open_memory,
        database,
        settings,
        embedder=chosen,
        judge=judge_of(chosen),
        clock=clock or _unused_clock,
    )
    try:
        yield Bench(settings, opened, chosen)
    finally:
        await opened.close()
        await database.close()


def turn_item(
    scope: Scope,
    thread: str,
    key: str,
    text: str,
    *,
    actor: str,
    position: int,
    at: datetime,
) -> EpisodeItem:
    """A message as the item of a closed turn."""
    return EpisodeItem(
        id=item_id(scope, thread, key, "turn"),
        kind="turn",
        text=text,
        thread=thread,
        turn_id=key,
        position=position,
        actor=actor,
        occurred_at=at,
    )


def share(found: Iterable[Hashable], wanted: Iterable[Hashable]) -> float:
    """How much of what is wanted was found, 0 to 1."""
    gold = set(wanted)
    return len(gold & set(found)) / len(gold)


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def _unused_clock() -> datetime:
    message = "wanted a reader made by Bench.recall, whose clock is the evaluation's"
    raise AssertionError(message)
