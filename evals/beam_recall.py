"""BEAM through the product's memory: are the messages a question was made from recalled first?

One item a message, as in the published figures; a batch of a chat is a thread. The person who asks
is the user of the chat, so "I" and "my" mean them. An update counts only if the newer statement
stands before the older one where the Memory Message shows them.
"""

import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

from rich.progress import Progress

from evals.beam import Chat, Probe, load_chats
from evals.plain_search import PlainBm25
from evals.registry import Outcome, Request, Value
from evals.remembered import Bench, mean, open_bench, share, turn_item
from memory.episodes import EpisodeItem
from memory.message import newest_first
from memory.ranking import Ranked
from memory.searching import Found
from state import Scope

USER: Final = "user"
ASSISTANT: Final = "assistant"
FIRST: Final = 10
CONTRADICTION: Final = "contradiction_resolution"
UPDATE: Final = "knowledge_update"


@dataclass(slots=True)
class Tally:
    """What was counted, one entry a probe with sources."""

    recall: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    bm25: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    update: list[float] = field(default_factory=list)


async def evaluate(request: Request) -> Outcome:
    """Index all chats, then ask their probing questions."""
    chats = await asyncio.to_thread(load_chats, request.data, request.limit)
    tally = Tally()
    with (
        Progress(console=request.progress) as progress,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
    ):
        async with open_bench(Path(folder)) as bench:
            for chat in chats:
                await bench.remember(scope_of(chat), items_of(chat))
            await bench.index(progress, sum(2 * len(chat.exchanges) for chat in chats))
            bar = progress.add_task("probes", total=sum(len(chat.probes) for chat in chats))
            for chat in chats:
                await _ask(bench, chat, tally)
                progress.advance(bar, len(chat.probes))
    return Outcome(figures=figures(tally), notes=notes(tally, chats))


def scope_of(chat: Chat) -> Scope:
    """Each chat is the memory of a tenant's only user."""
    return Scope(tenant=f"beam {chat.name}", user=USER)


def items_of(chat: Chat) -> list[EpisodeItem]:
    """A chat's messages as items, in order; the key of each is its number."""
    scope = scope_of(chat)
    return [
        turn_item(
            scope,
            f"batch {exchange.batch}",
            str(exchange.first_id + offset),
            text,
            actor=actor,
            position=exchange.first_id + offset,
            at=exchange.at + timedelta(minutes=exchange.first_id + offset),
        )
        for exchange in chat.exchanges
        for offset, (actor, text) in enumerate(
            ((USER, exchange.user), (ASSISTANT, exchange.answer))
        )
    ]


async def _ask(bench: Bench, chat: Chat, tally: Tally) -> None:
    items = items_of(chat)
    bm25 = PlainBm25([f"{item.actor}: {item.text}" for item in items])
    recall = bench.recall(max(item.occurred_at for item in items))
    for probe in chat.probes:
        if not probe.sources:
            continue
        recalled = await recall.search(scope_of(chat), probe.question)
        head = recalled.ranked[:FIRST]
        found = [_number(recalled.found, entry) for entry in head]
        tally.recall[probe.kind].append(share(found, probe.sources))
        plain = bm25.best(probe.question, FIRST)
        tally.bm25[probe.kind].append(share(plain, probe.sources))
        if probe.kind == UPDATE:
            shown = newest_first(head, recalled.found.items)
            order = [_number(recalled.found, entry) for entry in shown]
            newer = is_newer_first(order, probe)
            tally.update.append(share(order, probe.sources) if newer else 0.0)


def _number(found: Found, entry: Ranked) -> int:
    return int(found.items[entry.candidate.id].turn_id)


def is_newer_first(order: Sequence[int], probe: Probe) -> bool:
    """Whether the newer statement stands before the older one; true if they are one message."""
    if set(probe.newer) & set(probe.older):
        return True
    newer = [place for place, number in enumerate(order) if number in probe.newer]
    older = [place for place, number in enumerate(order) if number in probe.older]
    return bool(newer) and (not older or min(newer) < min(older))


def figures(tally: Tally) -> dict[str, Value]:
    """The keys of the table."""
    return {
        "recall_at_10": round(_all(tally.recall), 4),
        "contradiction_at_10": round(mean(tally.recall[CONTRADICTION]), 4),
        "update_at_10": round(mean(tally.update), 4),
        "bm25_at_10": round(_all(tally.bm25), 4),
    }


def notes(tally: Tally, chats: Sequence[Chat]) -> tuple[str, ...]:
    """Counts and the comparison by ability."""
    messages = sum(2 * len(chat.exchanges) for chat in chats)
    counted = sum(len(found) for found in tally.recall.values())
    return (
        f"{len(chats)} chats, {messages} messages, {counted} probes with sources",
        *(
            f"  {kind}: {mean(found):.3f}, BM25 {mean(tally.bm25[kind]):.3f}"
            for kind, found in tally.recall.items()
        ),
    )


def _all(found: Mapping[str, Sequence[float]]) -> float:
    return mean([value for values in found.values() for value in values])
