"""Does recall stay sharp when a memory is crowded: 500 episodes in each of five domains against 20?

All domains lie in one scope. A domain has 25 situations, each written twice: as it happened, and as
somebody would ask for it later in other words; every customer lived through five of them. The
questions are the same in both memories: those for the episodes that stand in the small one.
"""

import asyncio
import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Final

from rich.progress import Progress

from evals.plain_search import PlainBm25
from evals.registry import Outcome, Request
from evals.remembered import Bench, mean, open_bench
from memory.episodes import Action, Episode, EpisodeItem, item_id
from memory.searching import ANYTHING, Filter
from state import Scope

SITUATIONS: Final = Path(__file__).parent / "crowded_situations.jsonl"
CUSTOMERS: Final = tuple(
    "".join(parts)
    for parts in product(
        ("North", "South", "Blue", "Green", "Iron", "Silver", "Red", "Stone", "Clear", "Sun"),
        ("wind", "field", "gate", "ware", "ford", "wood", "brook", "peak", "soft", "dale"),
    )
)
SMALL: Final = 20
EACH: Final = 5
FIRST: Final = 5
SEED: Final = 4
LAST: Final = datetime(2025, 6, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Stored:
    """An episode to be, with the question that asks for it."""

    domain: str
    operation: str
    text: str
    asked: str

    @property
    def key(self) -> str:
        """Tells it from all others."""
        return f"{self.domain}: {self.text}"


async def evaluate(request: Request) -> Outcome:
    """Fill the small and the crowded memory, and ask both the same."""
    everything = await asyncio.to_thread(stored_episodes)
    small = [one for stored in everything.values() for one in stored[:SMALL]]
    crowd = [one for stored in everything.values() for one in stored]
    asked = small[: request.limit] if request.limit else small
    sparse, crowded = Scope(tenant="crowd", user="small"), Scope(tenant="crowd", user="crowded")
    with (
        Progress(console=request.progress) as progress,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
    ):
        async with open_bench(Path(folder)) as bench:
            await bench.remember(sparse, items_of(sparse, small))
            await bench.remember(crowded, items_of(crowded, crowd))
            await bench.index(progress, len(small) + len(crowd))
            few = await recalled(bench, sparse, asked)
            many = await recalled(bench, crowded, asked)
            filtered = await recalled(bench, crowded, asked, by_domain=True)
    bm25 = PlainBm25([one.text for one in crowd])
    keys = [one.key for one in crowd]
    plain = [one.key in [keys[at] for at in bm25.best(one.asked, FIRST)] for one in asked]
    return Outcome(
        figures={
            "recall_at_5_20": round(mean(few), 4),
            "recall_at_5_500": round(mean(many), 4),
        },
        notes=(
            f"{len(asked)} paraphrased questions; {len(small)} and {len(crowd)} episodes",
            f"crowded, filtered by domain: {mean(filtered):.3f}; BM25 alone, crowded: "
            f"{mean([float(one) for one in plain]):.3f}",
        ),
    )


def stored_episodes() -> Mapping[str, Sequence[Stored]]:
    """Five situations of every customer, by domain, in the same order each time."""
    situations: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in SITUATIONS.read_text(encoding="utf-8").splitlines():
        situation = json.loads(line)
        situations[situation["domain"]].append(situation)
    drawn = random.Random(SEED)
    found = {}
    for domain, known in situations.items():
        episodes = [
            Stored(
                domain,
                situation["operation"],
                situation["happened"].format(who=who),
                situation["asked"].format(who=who),
            )
            for who in CUSTOMERS
            for situation in drawn.sample(known, EACH)
        ]
        drawn.shuffle(episodes)
        found[domain] = episodes
    return found


def items_of(scope: Scope, stored: Sequence[Stored]) -> list[EpisodeItem]:
    """Episodes of as many threads, an hour apart."""
    return [_item(scope, one, LAST - timedelta(hours=age)) for age, one in enumerate(stored)]


def _item(scope: Scope, stored: Stored, at: datetime) -> EpisodeItem:
    thread = f"{scope.user} {stored.key}"
    return EpisodeItem(
        id=item_id(scope, thread, "1", "episode"),
        kind="episode",
        text=f"{stored.text}\n{stored.operation}: done",
        thread=thread,
        turn_id=stored.key,
        domain=stored.domain,
        operation=stored.operation,
        result="positive",
        occurred_at=at,
        episode=Episode(
            agent=(stored.domain,),
            situation=stored.text,
            actions=(Action(stored.operation, {}, "done"),),
            observation="done",
        ),
    )


async def recalled(
    bench: Bench, scope: Scope, asked: Sequence[Stored], *, by_domain: bool = False
) -> list[float]:
    """Whether each episode is among the first that its question recalls."""
    recall = bench.recall(LAST)
    found = []
    for one in asked:
        only = Filter(domain=one.domain) if by_domain else ANYTHING
        answer = await recall.search(scope, one.asked, only=only)
        keys = [answer.found.items[entry.candidate.id].turn_id for entry in answer.ranked[:FIRST]]
        found.append(float(one.key in keys))
    return found
