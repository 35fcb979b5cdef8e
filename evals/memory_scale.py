"""How memory grows: recall, writes, memory and disk at 1k, 10k and 100k items, beside two peers.

One scope grows to the full size; a second database spreads as many items over a thousand scopes.
Recall is wired as an app wires it, with the question's embedding and without rerank. Plain Chroma
`query` and LangMem over its store get the same texts, vectors, questions and embedder in one run.
"""

import asyncio
import resource
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

from langchain_core.embeddings import Embeddings
from langgraph.store.memory import InMemoryStore
from langmem import create_search_memory_tool  # type: ignore[import-untyped]
from rich.console import Console

from configs.settings import load_settings
from evals.errors import EvaluationFailed
from evals.registry import Outcome, Request
from evals.remembered import PATIENCE_S
from evals.scale_texts import PoolEmbedder, pool_texts, questions
from evals.vector_cache import open_cached
from memory.chroma_episodes import connect
from memory.database import Database
from memory.episodes import EpisodeItem, item_id
from memory.indexing import Indexer
from memory.opening import OpenMemory, open_memory
from models.embedding import open_embedder
from state import Scope

SIZES: Final = (1_000, 10_000, 100_000)
SCOPES: Final = 1_000
LANGMEM_SIZE: Final = 10_000
ASKED: Final = 60
QUESTIONS: Final = 1_000
WARM_UP: Final = 5
PAGE: Final = 2_000
BATCH: Final = 500
HITS: Final = 6
EPOCH: Final = datetime(2026, 1, 1, tzinfo=UTC)
NOW: Final = datetime(2026, 4, 1, tzinfo=UTC)

Ask = Callable[[str], Awaitable[object]]


async def evaluate(request: Request) -> Outcome:
    """Grow, ask, and compare; `--limit` is the largest size."""
    sizes = [size for size in SIZES if size <= (request.limit or SIZES[-1])] or [SIZES[0]]
    with request.progress.status("embedding the pool"):
        pool = pool_texts()
        vectors = await open_cached().embed_passages(pool)
    embedder = PoolEmbedder(open_embedder(), pool, vectors)
    setting = _Setting(embedder, iter(questions(QUESTIONS)), request.progress)
    with tempfile.TemporaryDirectory() as folder:
        one, notes = await _one_scope(setting, Path(folder) / "one", sizes)
        many = await _many_scopes(setting, Path(folder) / "many", sizes[-1])
        chroma = await _chroma(setting, Path(folder) / "plain", sizes[-1])
        langmem = await _langmem(setting, min(sizes[-1], LANGMEM_SIZE))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Outcome(
        figures={**one, **many, **chroma, **langmem, "peak_mb": round(peak)}, notes=tuple(notes)
    )


@dataclass(frozen=True, slots=True)
class _Setting:
    """What all parts share: the embedder, the questions still to be asked, the console."""

    embedder: PoolEmbedder
    asked: Iterator[str]
    progress: Console


class _Memory:
    """The product's memory in a folder."""

    def __init__(self, database: Database, opened: OpenMemory, embedder: PoolEmbedder) -> None:
        self.database = database
        self.store = opened.episodes
        self.recall = opened.recall
        self.embedder = embedder
        self._opened = opened

    @classmethod
    async def open(cls, folder: Path, embedder: PoolEmbedder) -> "_Memory":
        # A shared machine may stall: how long a recall takes is measured, not limited.
        settings = await asyncio.to_thread(
            load_settings, data_dir=folder, recall={"deadline_s": PATIENCE_S}
        )
        database = await Database.open(f"sqlite:///{folder}/memory.db")
        opened = await asyncio.to_thread(
            open_memory, database, settings, embedder=embedder, clock=lambda: NOW
        )
        return cls(database, opened, embedder)

    async def sweep(self) -> float:
        """Index what was stored, in long batches since nobody waits; return the seconds."""
        started = time.perf_counter()
        if self._opened.indexer is not None:
            index = self._opened.indexer.index
            await Indexer(self.database, index, self.embedder, batch=BATCH).sweep()
        return time.perf_counter() - started

    async def grow(self, numbers: Sequence[int], scope_of: Callable[[int], Scope]) -> float:
        """Store the items with their full text, a page a transaction; return the seconds."""
        started = time.perf_counter()
        for at in range(0, len(numbers), PAGE):
            pages: dict[Scope, list[EpisodeItem]] = {}
            for number in numbers[at : at + PAGE]:
                scope = scope_of(number)
                pages.setdefault(scope, []).append(_item(scope, number, self.embedder))
            for scope, items in pages.items():
                await self.store.scoped(scope).add(items)
        return time.perf_counter() - started

    async def close(self) -> None:
        await self._opened.close()
        await self.database.close()


def _item(scope: Scope, number: int, embedder: PoolEmbedder) -> EpisodeItem:
    thread, turn = f"{scope.tenant}:{number // 20}", str(number)
    return EpisodeItem(
        id=item_id(scope, thread, turn, "turn"),
        kind="turn",
        text=embedder.text(number),
        thread=thread,
        turn_id=turn,
        position=number % 20,
        occurred_at=EPOCH + timedelta(minutes=number),
    )


async def _one_scope(
    setting: _Setting, folder: Path, sizes: Sequence[int]
) -> tuple[dict[str, float], list[str]]:
    memory, scope = await _Memory.open(folder, setting.embedder), Scope(user="ana")
    figures: dict[str, float] = {}
    notes: list[str] = []
    grown, writing, indexing = 0, 0.0, 0.0
    for size in sizes:
        with setting.progress.status(f"one scope of {size}"):
            writing += await memory.grow(range(grown, size), lambda _: scope)
            indexing += await memory.sweep()
            grown = size

            async def ask(question: str) -> object:
                note = await memory.recall.recall(scope, question, thread="t")
                if note["degraded"]:
                    raise EvaluationFailed(f"recall was degraded: {note['reason']}")
                return note

            p50, p95 = await _times(ask, setting.asked)
        name = f"{size // 1_000}k"
        figures |= {f"p50_ms_{name}": p50, f"p95_ms_{name}": p95}
    figures["writes_per_s"] = round(grown / writing)
    figures["indexed_per_s"] = round(grown / indexing)
    await memory.close()
    disk = _disk_mb(folder)
    figures["disk_mb"] = round(disk)
    notes.append(f"{grown} items: {disk / grown * 1e3:.1f} kB an item on disk, vectors included")
    return figures, notes


async def _many_scopes(
    setting: _Setting,
    folder: Path,
    size: int,
) -> dict[str, float]:
    memory = await _Memory.open(folder, setting.embedder)
    scopes = [Scope(user=f"user-{at}", tenant=f"tenant-{at % 50}") for at in range(SCOPES)]
    turn = iter(range(10**9))
    with setting.progress.status(f"{SCOPES} scopes"):
        await memory.grow(range(size), lambda number: scopes[number * SCOPES // size])
        await memory.sweep()

        async def ask(question: str) -> object:
            scope = scopes[next(turn) * 17 % SCOPES]
            note = await memory.recall.recall(scope, question, thread="t")
            found = await memory.store.scoped(scope).get([item["id"] for item in note["items"]])
            if len(found) != len(note["items"]):
                raise EvaluationFailed("a scope was shown what it may not read")
            return note

        p50, p95 = await _times(ask, setting.asked)
    await memory.close()
    return {"p50_ms_1000_scopes": p50, "p95_ms_1000_scopes": p95}


async def _chroma(setting: _Setting, folder: Path, size: int) -> dict[str, float]:
    """Plain Chroma: one collection, its default search, with and without a filter by user."""
    with setting.progress.status(f"plain Chroma of {size}"):
        client = connect(folder)
        collection = client.create_collection("memories", embedding_function=None)
        for at in range(0, size, PAGE):
            numbers = range(at, min(at + PAGE, size))
            collection.add(
                ids=[str(number) for number in numbers],
                embeddings=setting.embedder.vectors(numbers),
                metadatas=[{"user": "ana"} for _ in numbers],
                documents=[setting.embedder.text(number) for number in numbers],
            )

        async def plain(question: str) -> object:
            vector = await setting.embedder.embed_queries([question])
            return collection.query(query_embeddings=vector, n_results=HITS)

        async def filtered(question: str) -> object:
            vector = await setting.embedder.embed_queries([question])
            return collection.query(query_embeddings=vector, n_results=HITS, where={"user": "ana"})

        _, p95 = await _times(plain, setting.asked)
        _, filtered_p95 = await _times(filtered, setting.asked, ASKED // 3)
        client.close()
    name = f"{size // 1_000}k"
    return {f"chroma_p95_ms_{name}": p95, f"chroma_filtered_p95_ms_{name}": filtered_p95}


class _StoreEmbeddings(Embeddings):
    """The same embedder, as LangGraph's store wants it."""

    def __init__(self, embedder: PoolEmbedder) -> None:
        self._embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        found: list[list[float]] = self._embedder.encode(texts, "passage").tolist()
        return found

    def embed_query(self, text: str) -> list[float]:
        found: list[float] = self._embedder.encode([text], "query")[0].tolist()
        return found


async def _langmem(setting: _Setting, size: int) -> dict[str, float]:
    """LangMem's search tool over LangGraph's store with a vector index."""
    with setting.progress.status(f"LangMem of {size}"):
        store = InMemoryStore(
            index={
                "embed": _StoreEmbeddings(setting.embedder),
                "dims": setting.embedder.dimension,
                "fields": ["content"],
            }
        )
        space = ("memories", "ana")
        for number in range(size):
            store.put(space, str(number), {"content": setting.embedder.text(number)})
        tool = create_search_memory_tool(namespace=space, store=store)

        async def ask(question: str) -> object:
            return await tool.ainvoke({"query": question, "limit": HITS})

        _, p95 = await _times(ask, setting.asked, ASKED // 2)
    return {f"langmem_p95_ms_{size // 1_000}k": p95}


async def _times(ask: Ask, asked: Iterator[str], number: int = ASKED) -> tuple[float, float]:
    """Milliseconds, median and 95th percentile; no question is ever asked twice."""
    spent: list[float] = []
    for question in islice(asked, WARM_UP + number):
        started = time.perf_counter()
        await ask(question)
        spent.append((time.perf_counter() - started) * 1_000)
    measured = sorted(spent[WARM_UP:])
    return round(statistics.median(measured), 1), round(measured[int(len(measured) * 0.95)], 1)


def _disk_mb(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
