"""BFCL's memory scenarios: does what is recalled first contain the answer, word for word?

Messages are indexed as closed turns, a conversation is a thread, a scenario a user. A question is
answered when one of its right answers stands in one of the first items as whole words.
"""

import asyncio
import gzip
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from rich.progress import Progress

from evals.plain_search import PlainBm25
from evals.registry import Outcome, Request, Value
from evals.remembered import Bench, mean, open_bench, turn_item
from memory.episodes import EpisodeItem
from memory.fulltext import fold
from state import Scope

FOLDER: Final = "bfcl_memory"
START: Final = datetime(2025, 1, 1, tzinfo=UTC)
FIRST: Final = (1, 3, 5)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the answers that count as right."""

    text: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """What one person said in several conversations, and what is asked about it later."""

    name: str
    conversations: tuple[tuple[str, ...], ...]
    asked: tuple[Asked, ...]


async def evaluate(request: Request) -> Outcome:
    """Index the scenarios, then ask."""
    scenarios = await asyncio.to_thread(load_scenarios, request.data, request.limit)
    ours: list[int | None] = []
    plain: list[int | None] = []
    reachable: list[bool] = []
    with (
        Progress(console=request.progress) as progress,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
    ):
        async with open_bench(Path(folder)) as bench:
            for scenario in scenarios:
                await bench.remember(scope_of(scenario), items_of(scenario))
            await bench.index(progress, sum(len(items_of(one)) for one in scenarios))
            for scenario in scenarios:
                ours += await _places(bench, scenario)
                plain += _plain_places(scenario)
                texts = [item.text for item in items_of(scenario)]
                reachable += [place_of(asked, texts) is not None for asked in scenario.asked]
    return Outcome(figures=figures(ours, plain), notes=notes(ours, plain, reachable, scenarios))


def load_scenarios(data: Path, limit: int | None = None) -> list[Scenario]:
    """The scenarios whose conversations are there."""
    folder = data / FOLDER
    answers = {one["id"]: one["ground_truth"] for one in _lines(folder / "answers.jsonl.gz")}
    questions = list(_lines(folder / "questions.jsonl.gz"))
    scenarios = []
    for path in sorted(folder.glob("*_conversations.json.gz"))[:limit]:
        name = path.name.removesuffix("_conversations.json.gz")
        said = tuple(tuple(_user_messages(one)) for one in _lines(path))
        asked = tuple(
            Asked(next(_user_messages(one)), tuple(answers[one["id"]]))
            for one in questions
            if one["scenario"] == name
        )
        scenarios.append(Scenario(name, said, asked))
    return scenarios


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _user_messages(entry: Mapping[str, Any]) -> Iterator[str]:
    for turn in entry["question"]:
        yield from (message["content"] for message in turn if message["role"] == "user")


def scope_of(scenario: Scenario) -> Scope:
    """Each scenario is the memory of a user of its own."""
    return Scope(tenant="bfcl", user=scenario.name)


def items_of(scenario: Scenario) -> list[EpisodeItem]:
    """The messages as items, one day between two conversations."""
    return [
        turn_item(
            scope_of(scenario),
            f"{scenario.name} {day}",
            f"{day}.{position}",
            text,
            actor=scenario.name,
            position=position,
            at=START + timedelta(days=day, minutes=position),
        )
        for day, conversation in enumerate(scenario.conversations)
        for position, text in enumerate(conversation)
    ]


async def _places(bench: Bench, scenario: Scenario) -> list[int | None]:
    recall = bench.recall(max(item.occurred_at for item in items_of(scenario)))
    found = []
    for asked in scenario.asked:
        recalled = await recall.search(scope_of(scenario), asked.text)
        texts = [recalled.found.items[one.candidate.id].text for one in recalled.ranked]
        found.append(place_of(asked, texts))
    return found


def _plain_places(scenario: Scenario) -> list[int | None]:
    texts = [item.text for item in items_of(scenario)]
    bm25 = PlainBm25(texts)
    return [
        place_of(asked, [texts[place] for place in bm25.best(asked.text, max(FIRST))])
        for asked in scenario.asked
    ]


def place_of(asked: Asked, texts: Sequence[str]) -> int | None:
    """The place of the first text with a right answer in it, from 1."""
    for place, text in enumerate(texts, start=1):
        if any(_normal(answer) in _normal(text) for answer in asked.answers):
            return place
    return None


def _normal(text: str) -> str:
    """Lower case, words apart by one space, with a space at both ends."""
    words = re.findall(r"[^\W_]+", fold(str(text)))
    return f" {' '.join(words)} "


def share_within(places: Sequence[int | None], first: int) -> float:
    """Share of questions answered in the first so many."""
    return mean([float(place is not None and place <= first) for place in places])


def figures(ours: Sequence[int | None], plain: Sequence[int | None]) -> dict[str, Value]:
    """The keys of the table."""
    return {
        "at_1": round(share_within(ours, 1), 4),
        "at_5": round(share_within(ours, 5), 4),
        "bm25_at_5": round(share_within(plain, 5), 4),
    }


def notes(
    ours: Sequence[int | None],
    plain: Sequence[int | None],
    reachable: Sequence[bool],
    scenarios: Sequence[Scenario],
) -> tuple[str, ...]:
    """Counts, BM25, the ceiling."""
    compared = ", ".join(
        f"@{first} {share_within(ours, first):.3f} (BM25 {share_within(plain, first):.3f})"
        for first in FIRST
    )
    return (
        f"{len(scenarios)} scenarios, {len(ours)} questions: {compared}",
        f"the answer stands somewhere in {mean([float(one) for one in reachable]):.3f}",
    )
