"""Conversations and topics found in public dialogues, by the segmenter a desk has by default.

DialSeg711 and TIAGE have no roles: every utterance may begin a topic. In SGD the agent of a turn is
what the embedded router chooses among the services; a boundary is a change of the active service.
"""

import asyncio
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from rich.console import Console

from configs.segmenting import SegmentationSettings
from evals.registry import Outcome, Request
from evals.segment_scores import Cut, Scores, scores
from evals.segmentation_data import DIALSEG, TIAGE, Thread, load_threads, service_thread
from evals.segmentation_services import Services, spread
from evals.sgd_dialogues import ServiceDialogue, active_services
from evals.vector_cache import open_cached
from memory.entities import Entity, EntityFinder
from memory.segmentation import Segmenter, open_segmenter
from models.embedding import open_embedder
from models.openers import opener_vectors

DIALSEG_DIALOGUES = 400
TIMED_DIALOGUES = 100
TIMED_DEPTH_DIALOGUES = 15
REPEATS = 3


@dataclass(slots=True)
class _Counted:
    """Messages given to the segmenter, and those that came out exactly once."""

    given: int = 0
    kept: int = 0


class _RememberedEntities(EntityFinder):
    """The product's finder, asked once for each text: the same dialogues are cut several times."""

    def __init__(self) -> None:
        super().__init__(SegmentationSettings().known_names)
        self._found: dict[str, list[Entity]] = {}

    def read(self, texts: Sequence[str]) -> list[list[Entity]]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._found]
        self._found |= dict(zip(missing, super().read(missing), strict=True))
        return [self._found[text] for text in texts]


async def evaluate(request: Request) -> Outcome:
    """Cut all three sets, the dialogues with services under every ablation."""
    return await asyncio.to_thread(_measure, request)


def _measure(request: Request) -> Outcome:
    embedder, console, counted = open_cached(), request.progress, _Counted()
    finder = _RememberedEntities()
    whole = Segmenter(embedder.encode, finder, partial(opener_vectors, embedder))
    limit = request.limit
    dialseg_count = min(limit or DIALSEG_DIALOGUES, DIALSEG_DIALOGUES)
    dialseg = _cuts(whole, load_threads(request.data / DIALSEG, dialseg_count), counted, console)
    tiage = _cuts(whole, load_threads(request.data / TIAGE, limit), counted, console)
    services = Services(request, embedder)
    shallow = Segmenter(finder=finder)
    sgd = {
        name: scores(_cuts(segmenter, services.threads(agents), counted, console))
        for name, segmenter, agents in (
            ("entity", shallow, services.nobody),
            ("depth", whole, services.nobody),
            ("both", shallow, services.routed),
            ("plus_depth", whole, services.routed),
            ("gold", whole, services.true),
        )
    }
    sgd["agent"] = scores(list(map(_agent_cut, services.threads(services.routed))))
    late = scores(_cuts(whole, services.threads(services.routed, late=True), counted, console))
    found = {"dialseg": scores(dialseg), "tiage": scores(tiage)}
    singles = {name: sgd[name].f1 for name in ("agent", "entity", "depth")}
    timed, rate, share = _throughput(services.dialogues)
    figures = {
        "dialseg_pk": found["dialseg"].pk,
        "dialseg_wd": found["dialseg"].window_diff,
        "dialseg_f1": found["dialseg"].f1,
        "tiage_pk": found["tiage"].pk,
        "sgd_f1": sgd["plus_depth"].f1,
        "sgd_best_single_f1": max(singles.values()),
        "sgd_gold_agent_f1": sgd["gold"].f1,
    }
    ablation = {name: sgd[name].f1 for name in ("agent", "entity", "both", "plus_depth")}
    return Outcome(
        figures={
            **{name: round(value, 4) for name, value in figures.items()},
            "sgd_ablation": {name: round(value, 4) for name, value in ablation.items()},
            "messages_per_s": round(rate, 1),
            "messages_in": counted.given,
            "messages_out": counted.kept,
        },
        notes=(
            *(f"{name}: {_shown(one)}" for name, one in (found | sgd).items()),
            f"sgd with the service of the last frame as gold: {_shown(late)}",
            f"dialseg, dialogues not calibrated on: {_shown(scores(dialseg[1::2]))}",
            f"sgd, dialogues not calibrated on: {_shown(_held_out(services, whole))}",
            f"counts: {len(dialseg)} + {len(tiage)} + {len(services.dialogues)} dialogues",
            f"throughput: {timed:,} messages without depth at {rate:,.0f}/s, best of {REPEATS}; "
            f"with depth {share:.2f} of the embedder's own rate, median of {REPEATS}",
        ),
    )


def _cuts(
    segmenter: Segmenter,
    threads: Iterator[Thread] | Sequence[Thread],
    counted: _Counted,
    console: Console,
) -> list[Cut]:
    found = [_cut(segmenter, thread, counted) for thread in threads]
    console.print(f"cut {len(found)} dialogues")
    return found


def _cut(segmenter: Segmenter, thread: Thread, counted: _Counted) -> Cut:
    segments = segmenter.batch(thread.messages)
    ids = [one for segment in segments for one in segment["message_ids"]]
    counted.given += len(thread.messages)
    counted.kept += len({one["id"] for one in thread.messages} & set(ids)) if _once(ids) else 0
    places = {one["id"]: at for at, one in enumerate(thread.messages)}
    begun = {places[segment["message_ids"][0]] for segment in segments}
    return Cut(len(thread.messages), frozenset(begun - {0}), thread.gold)


def _once(ids: Sequence[str]) -> bool:
    return len(ids) == len(set(ids))


def _agent_cut(thread: Thread) -> Cut:
    """The plain rule: a boundary wherever other experts serve than before."""
    found, current = set[int](), list[str]()
    for at, message in enumerate(thread.messages):
        agent = message["agent"]
        if agent and current and agent != current:
            found.add(at)
        current = agent or current
    return Cut(len(thread.messages), frozenset(found), thread.gold)


def _held_out(services: Services, segmenter: Segmenter) -> Scores:
    """The dialogues at the last two of every four places."""
    cuts = [_cut(segmenter, one, _Counted()) for one in services.threads(services.routed)]
    return scores([cut for at, cut in zip(services.places, cuts, strict=True) if at % 4 >= 2])


def _throughput(dialogues: Sequence[ServiceDialogue]) -> tuple[int, float, float]:
    """Messages timed, their rate without depth, and the rate with it per rate of the embedder."""
    threads = [_silent(dialogues[at]) for at in spread(len(dialogues), TIMED_DIALOGUES)]
    count = sum(len(one.messages) for one in threads)
    shallow = open_segmenter(SegmentationSettings(depth=False), None)
    shallow.batch(threads[0].messages)
    seconds = min(_seconds(partial(_pass, shallow, threads)) for _ in range(REPEATS))
    some = threads[:TIMED_DEPTH_DIALOGUES]
    texts = [message["text"] for one in some for message in one.messages]
    shares = []
    for _ in range(REPEATS):  # the embedder keeps vectors, so each pass has a new one
        alone, inside = open_embedder(), open_embedder()
        deep = open_segmenter(SegmentationSettings(), inside)
        alone.encode(["warm up"])
        deep.batch(threads[-1].messages[:2])
        own = _seconds(partial(alone.encode, texts))
        both = _seconds(partial(_pass, deep, some))
        shares.append(own / both)
    return count, count / seconds, statistics.median(shares)


def _pass(segmenter: Segmenter, threads: Sequence[Thread]) -> None:
    for thread in threads:
        segmenter.batch(thread.messages)


def _silent(dialogue: ServiceDialogue) -> Thread:
    return service_thread(dialogue, [()] * len(dialogue.exchanges), active_services(dialogue))


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _shown(found: Scores) -> str:
    parts: Mapping[str, float] = {
        "Pk": found.pk,
        "WindowDiff": found.window_diff,
        "precision": found.precision,
        "recall": found.recall,
        "F1": found.f1,
    }
    return ", ".join(f"{name} {value:.3f}" for name, value in parts.items())
