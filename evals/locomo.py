"""LoCoMo through the product's memory: is the evidence of a question among what is recalled first?

Every message is indexed as a closed turn, a session is a thread, each conversation a user of one
tenant in one database. Questions go through `Recall` with the shipped settings; the clock stands
at the conversation's last session. The floor is off for the headline figures, and on for
`floored_recall_at_10` and abstention.
"""

import asyncio
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

from rich.progress import Progress

from evals.locomo_data import ADVERSARIAL, CATEGORIES, Asked, Conversation, load_conversations
from evals.ordinary import ORDINARY_REQUESTS
from evals.plain_search import PlainBm25, nearest
from evals.ranking_ablation import ABLATIONS, orders
from evals.registry import Outcome, Request, Value
from evals.remembered import Bench, mean, open_bench, share, turn_item
from memory.recall import Recall
from memory.searching import Found
from models.embedding import open_embedder
from state import Scope

TIMED_QUESTIONS: Final = 30


@dataclass(slots=True)
class Tally:
    """What was counted, one entry a question."""

    recall_at_5: list[float] = field(default_factory=list)
    by_category: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    bm25_by_category: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    cosine: list[float] = field(default_factory=list)
    floored: list[float] = field(default_factory=list)
    ablated: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    silent: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    seconds: list[float] = field(default_factory=list)
    by_conversation: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


async def evaluate(request: Request) -> Outcome:
    """Index all conversations, then ask."""
    conversations = await asyncio.to_thread(load_conversations, request.data, request.limit)
    tally = Tally()
    with (
        Progress(console=request.progress) as progress,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
    ):
        async with open_bench(Path(folder)) as bench:
            await _remember(bench, conversations, progress)
            bar = progress.add_task("questions", total=sum(len(one.asked) for one in conversations))
            for place, conversation in enumerate(conversations):
                await _ask_own(bench, conversation, tally)
                if len(conversations) > 1:
                    stranger = conversations[place - 1]
                    await _ask_strange(bench, conversation, stranger, conversations, tally)
                await _ask_ordinary(bench, conversation, tally)
                progress.advance(bar, len(conversation.asked))
    embedding_s = await asyncio.to_thread(_embedding_seconds, conversations)
    return Outcome(
        figures=figures(tally, mean(tally.seconds) + embedding_s),
        notes=notes(tally, conversations, embedding_s),
    )


async def _remember(
    bench: Bench, conversations: Sequence[Conversation], progress: Progress
) -> None:
    for conversation in conversations:
        scope = scope_of(conversation)
        items = [
            turn_item(
                scope,
                f"{conversation.name}, session {message.session}",
                message.id,
                message.text,
                actor=message.actor,
                position=message.position,
                at=message.at + timedelta(seconds=message.position),
            )
            for message in conversation.said
        ]
        await bench.remember(scope, items)
    await bench.index(progress, sum(len(one.said) for one in conversations))


def scope_of(conversation: Conversation) -> Scope:
    """Each conversation is the memory of a user of its own."""
    return Scope(tenant="locomo", user=f"conversation {conversation.name}")


async def _ask_own(bench: Bench, conversation: Conversation, tally: Tally) -> None:
    texts = [f"{message.actor}: {message.text}" for message in conversation.said]
    bm25 = PlainBm25(texts)
    vectors = await bench.embedder.embed_passages(texts)
    names = [message.id for message in conversation.said]
    recall = bench.recall(conversation.end)
    floored = bench.recall(conversation.end, floored=True)
    scope = scope_of(conversation)
    for asked in conversation.asked:
        started = time.perf_counter()
        found = await recall.search(scope, asked.text)
        tally.seconds.append(time.perf_counter() - started)
        order = [turn_of(found.found, entry.candidate.id) for entry in found.ranked]
        plain = [names[place] for place in bm25.best(asked.text, 10)]
        at_10 = share(order[:10], asked.evidence)
        tally.by_category[asked.category].append(at_10)
        tally.bm25_by_category[asked.category].append(share(plain, asked.evidence))
        if asked.category == ADVERSARIAL:
            continue
        tally.by_conversation[conversation.name].append(at_10)
        tally.recall_at_5.append(share(order[:5], asked.evidence))
        vector = (await bench.embedder.embed_queries([asked.text]))[0]
        tally.cosine.append(
            share([names[place] for place in nearest(vector, vectors, 10)], asked.evidence)
        )
        tally.floored.append(share(await first(floored, scope, asked.text), asked.evidence))
        await _ablate(bench, found.found, conversation, asked, tally)


async def _ablate(
    bench: Bench, found: Found, conversation: Conversation, asked: Asked, tally: Tally
) -> None:
    for name, ranked in orders(found, conversation.end, bench.settings.recall.half_life_days):
        ids = [turn_of(found, key) for key in ranked[:10]]
        tally.ablated[name].append(share(ids, asked.evidence))


async def first(recall: Recall, scope: Scope, query: str, limit: int = 10) -> list[str]:
    """Turn ids of the first so many items that are recalled."""
    found = await recall.search(scope, query)
    return [turn_of(found.found, entry.candidate.id) for entry in found.ranked[:limit]]


def turn_of(found: Found, key: str) -> str:
    """The id of the message an item was made of."""
    return found.items[key].turn_id


async def _ask_strange(
    bench: Bench,
    conversation: Conversation,
    stranger: Conversation,
    conversations: Sequence[Conversation],
    tally: Tally,
) -> None:
    """The stranger's questions, to this conversation's memory."""
    recall = bench.recall(conversation.end, floored=True)
    scope = scope_of(conversation)
    for asked in stranger.asked:
        if asked.category == ADVERSARIAL:
            continue
        tally.silent["named"].append(not await first(recall, scope, asked.text))
        masked = mask(asked.text, conversations)
        tally.silent["masked"].append(not await first(recall, scope, masked))


def mask(question: str, conversations: Sequence[Conversation]) -> str:
    """The question with every speaker's name replaced."""
    names = {name.split()[0] for one in conversations for name in one.speakers}
    return re.sub(rf"\b({'|'.join(sorted(names))})\b", "someone", question)


async def _ask_ordinary(bench: Bench, conversation: Conversation, tally: Tally) -> None:
    recall = bench.recall(conversation.end, floored=True)
    for request in ORDINARY_REQUESTS:
        found = await first(recall, scope_of(conversation), request)
        tally.silent["ordinary"].append(not found)


def _embedding_seconds(conversations: Sequence[Conversation]) -> float:
    """What one question's vector costs, without the cache."""
    embedder = open_embedder()
    embedder.encode(["a question to load the model"])
    asked = [one.text for one in conversations[0].asked[:TIMED_QUESTIONS]]
    started = time.perf_counter()
    for text in asked:
        embedder.encode([text])
    return (time.perf_counter() - started) / len(asked)


def figures(tally: Tally, seconds: float) -> dict[str, Value]:
    """The keys of the table."""
    four = [
        value
        for kind, values in tally.by_category.items()
        if kind != ADVERSARIAL
        for value in values
    ]
    bm25 = [
        value
        for kind, values in tally.bm25_by_category.items()
        if kind != ADVERSARIAL
        for value in values
    ]
    silent = {name: mean([float(one) for one in found]) for name, found in tally.silent.items()}
    return {
        "recall_at_5": round(mean(tally.recall_at_5), 4),
        "recall_at_10": round(mean(four), 4),
        "bm25_at_10": round(mean(bm25), 4),
        "cosine_at_10": round(mean(tally.cosine), 4),
        "all_categories_at_10": round(
            mean([value for values in tally.by_category.values() for value in values]), 4
        ),
        "by_category": categories(tally.by_category),
        "abstention": _rounded(silent.get("named")),
        "abstention_masked": _rounded(silent.get("masked")),
        "abstention_general": _rounded(silent.get("ordinary")),
        "floored_recall_at_10": round(mean(tally.floored), 4),
        "ms_per_query": round(1000 * seconds, 1),
    }


def categories(found: Mapping[int, Sequence[float]]) -> dict[str, float]:
    """Recall by the name of the category."""
    return {CATEGORIES[kind]: round(mean(found[kind]), 4) for kind in sorted(found)}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def notes(
    tally: Tally, conversations: Sequence[Conversation], embedding_s: float
) -> tuple[str, ...]:
    """Counts, comparison by category, ablation."""
    asked = sum(len(one.asked) for one in conversations)
    at_10 = mean([value for values in tally.by_conversation.values() for value in values])
    each = ", ".join(f"{name} {mean(found):.3f}" for name, found in tally.by_conversation.items())
    off = [f"  without {name}: {mean(found):.3f}" for name, found in tally.ablated.items()]
    return (
        f"{len(conversations)} conversations, {sum(len(one.said) for one in conversations)} "
        f"messages, {asked} questions with evidence; recall@10 by conversation: {each}",
        f"by category: {categories(tally.by_category)}",
        f"BM25 by category: {categories(tally.bm25_by_category)}",
        f"recall@10 with everything: {at_10:.3f}; each signal off ({len(ABLATIONS)}):",
        *off,
        f"of the ms per query {1000 * embedding_s:.1f} embed the question",
    )
