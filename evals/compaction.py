"""What is still answerable after compaction, for each strategy at equal tokens, on BEAM's chats.

Every chat is played turn by turn through the product's own records and folds, with its settings;
only the strategy and the size of the room change. Then each probing question is asked: are its
source messages left in the window, or does the product's recall bring them back?
"""

import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, get_args

from rich.progress import Progress
from sqlalchemy import update

from configs.sections import FoldStrategy, HistorySettings
from configs.settings import Settings, load_settings
from evals.answerable import evidence, holds, left_of_turns, rules_from, shared, turn_text
from evals.beam import Chat, Probe, load_chats
from evals.registry import Outcome, Request, Value
from evals.vector_cache import open_cached
from memory.compaction import Window, fold, fold_plan, history_tokens
from memory.database import Database
from memory.episodes import item_id
from memory.fulltext import excerpt
from memory.history import make_record, render
from memory.nearness import Nearness
from memory.opening import OpenMemory, open_memory
from memory.quoting import QUOTE_CHARS
from memory.tables import episodes
from memory.working import folded_text
from models.tokens import count, load
from state import OpenTurn, Scope, TurnRecord

STRATEGIES: Final[tuple[FoldStrategy, ...]] = get_args(FoldStrategy)
SCALES: Final = (0.5, 1.0, 2.0)
START: Final = datetime(2024, 1, 1, tzinfo=UTC)
TURN_GAP: Final = timedelta(hours=1)
PATIENCE_S: Final = 60.0
"""Recall's deadline here, so that a busy machine does not change the figures."""


@dataclass(slots=True)
class Tally:
    """Counts over all chats for one strategy at one size."""

    sources: int = 0
    answerable: int = 0
    in_window: int = 0
    tokens: int = 0
    chats: int = 0

    @property
    def share(self) -> float:
        """Part of the source messages that can still answer."""
        return self.answerable / max(self.sources, 1)

    @property
    def kept(self) -> float:
        """Tokens of the window after compaction, per chat."""
        return self.tokens / max(self.chats, 1)


Tallies = Mapping[tuple[FoldStrategy, float], Tally]
Recalled = Mapping[str, Mapping[int, Sequence[str]]]


async def evaluate(request: Request) -> Outcome:
    """Play every chat with every strategy and size; `limit` takes the first so many chats."""
    await load()
    tallies: dict[tuple[FoldStrategy, float], Tally] = {
        (name, scale): Tally() for scale in SCALES for name in STRATEGIES
    }
    async with _opened() as bench:
        with Progress(console=request.progress) as progress:
            for chat in progress.track(load_chats(request.data, request.limit)):
                records = await bench.remember(chat)
                for (name, scale), tally in tallies.items():
                    await bench.score(chat, records, name, scale, tally)
    return Outcome(figures=figures(tallies), notes=tuple(notes(tallies)))


def figures(tallies: Tallies) -> dict[str, Value]:
    """Share and tokens of each strategy at the product's size, and which one is best."""
    at_default = {name: tallies[name, 1.0] for name in STRATEGIES}
    best = max(STRATEGIES, key=lambda name: at_default[name].share)
    default = HistorySettings().strategy
    found: dict[str, Value] = {
        name: {"answerable_share": tally.share, "tokens_kept": tally.kept}
        for name, tally in at_default.items()
    }
    ratio = at_default[default].share / max(at_default["fifo"].share, 1e-9)
    return found | {"best": best, "default": default, "default_to_fifo": ratio}


def notes(tallies: Tallies) -> list[str]:
    """The curve, a line for each size."""
    lines = []
    for scale in SCALES:
        row = (
            f"{name} {tallies[name, scale].share:.3f} ({tallies[name, scale].kept:.0f} tokens, "
            f"window alone {tallies[name, scale].in_window / tallies[name, scale].sources:.3f})"
            for name in STRATEGIES
        )
        lines.append(f"{scale:g} x the product's room: {'; '.join(row)}")
    return lines


@dataclass(frozen=True, slots=True)
class Bench:
    """The product's memory over one temporary database, with its settings."""

    settings: Settings
    database: Database
    opened: OpenMemory
    nearness: Nearness
    recalled: dict[frozenset[str], Recalled] = field(default_factory=dict)

    async def remember(self, chat: Chat) -> list[TurnRecord]:
        """The chat's turns as the product keeps them, remembered and indexed."""
        cap = self.settings.history.output_cap_tokens
        records = []
        for index, exchange in enumerate(chat.exchanges):
            at = (START + index * TURN_GAP).isoformat()
            turn: OpenTurn = {
                "id": f"{chat.name}-{index}",
                "index": index,
                "at": at,
                "text": exchange.user,
            }
            record = make_record(turn, [], [], exchange.answer, cap)
            records.append(record)
            await self.opened.memory.remember_turn(Scope(user=chat.name), chat.name, record)
        if self.opened.indexer is not None:
            await self.opened.indexer.sweep()
        return records

    async def score(
        self,
        chat: Chat,
        records: Sequence[TurnRecord],
        name: FoldStrategy,
        scale: float,
        tally: Tally,
    ) -> None:
        """Add one chat to the tally of a strategy at a size."""
        window = await self.play(records, scaled(self.settings.history, name, scale))
        left = left_of_turns(window)
        recalled = await self._recalled(chat, records, window)
        for probe in chat.probes:
            quoted = recalled.get(probe.question, {})
            for source in probe.sources:
                wanted = evidence(chat, probe, source)
                kept = [*left.get(source // 2, []), *rules_from(window, chat.message(source))]
                in_window = holds(kept, wanted)
                tally.sources += 1
                tally.in_window += in_window
                tally.answerable += in_window or holds(quoted.get(source // 2, []), wanted)
        tally.tokens += count(folded_text(shared(window))) + count(render(window.history))
        tally.chats += 1

    async def play(self, records: Sequence[TurnRecord], history: HistorySettings) -> Window:
        """The window after the last turn, folded whenever the product folds, and at the end."""
        plan, window = fold_plan(history), Window([])
        for record in records:
            window = replace(window, history=[*window.history, record])
            if history_tokens(window.history) > plan.high_water_tokens or record is records[-1]:
                near = await self.nearness.of(window.history) if plan.needs_vectors else {}
                done = fold(window, plan, near)
                window = Window(
                    done.history, done.summary, done.done_before, done.done, done.constraints
                )
        return window

    async def _recalled(
        self, chat: Chat, records: Sequence[TurnRecord], window: Window
    ) -> Recalled:
        """What the Memory Message quotes of each turn, by question; once for each history."""
        seen = frozenset(record["id"] for record in window.history)
        if seen not in self.recalled:
            await self._forget_uses()
            self.recalled[seen] = {
                probe.question: await self._quoted(chat, probe, records, seen)
                for probe in chat.probes
                if probe.sources
            }
        return self.recalled[seen]

    async def _quoted(
        self, chat: Chat, probe: Probe, records: Sequence[TurnRecord], seen: frozenset[str]
    ) -> dict[int, list[str]]:
        scope = Scope(user=chat.name)
        note = await self.opened.recall.recall(
            scope,
            probe.question,
            thread=chat.name,
            seen_turns=seen,
            deadline_s=PATIENCE_S,
        )
        shown = {item["id"] for item in note["items"]}
        return {
            record["index"]: [excerpt(turn_text(record), probe.question, QUOTE_CHARS)]
            for record in records
            if item_id(scope, chat.name, record["id"], "turn") in shown
        }

    async def _forget_uses(self) -> None:
        """Every strategy meets the same memory: being recalled before is no advantage."""
        await self.opened.recall.close()
        await self.database.write(lambda conn: conn.execute(update(episodes).values(uses=0)))


def scaled(history: HistorySettings, name: FoldStrategy, scale: float) -> HistorySettings:
    """The product's settings with another strategy, and more or less room."""
    sizes = {
        "low_water_tokens": int(history.low_water_tokens * scale),
        "summary_tokens": int(history.summary_tokens * scale),
    }
    return history.model_copy(update={"strategy": name, **sizes})


@asynccontextmanager
async def _opened() -> AsyncIterator[Bench]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = load_settings(data_dir=Path(folder))
        database = await Database.open(settings.database_url)
        embedder = open_cached(settings.embedder.name)
        opened = open_memory(
            database,
            settings,
            embedder=embedder,
            clock=lambda: START + timedelta(days=30),
        )
        try:
            yield Bench(settings, database, opened, Nearness(embedder))
        finally:
            await opened.close()
            await database.close()
