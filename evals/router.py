"""The embedded router on public data: domains, out-of-scope requests, turns of conversations.

CLINC150: its ten domains are experts, each intent with ten examples of the train part. Right in
scope is a plan with the one right expert; an out-of-scope request is recalled when no expert gets
it. SGD: its services are experts (see `evals.sgd_desk`); each user message is routed with the
recorded conversation before it as its history. A direct answer or a question back stays with the
expert before, as in the product's segmentation.
"""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from langchain_core.messages import HumanMessage
from rich.progress import Progress

from evals.clinc_desk import Utterances, load_utterances, write_domains
from evals.registry import Outcome, Request
from evals.sgd_desk import (
    expert_name,
    halves,
    open_app,
    open_router,
    prompt_of,
    record_of,
    tool_names,
    write_app,
)
from evals.sgd_dialogues import ServiceDialogue, load_dialogues, load_schema
from evals.vector_cache import open_cached
from models.embedded.router import EmbeddedRouter
from models.embedded.scene import read_scene
from models.embedding import Embedder
from state import TurnRecord

Chosen = tuple[str, ...]
FIRST: Final = "first"
SWITCH: Final = "switch"
STAY: Final = "stay"


@dataclass(frozen=True, slots=True)
class ScopeFigures:
    """How domains and the lack of one were told apart."""

    in_scope: float
    out_of_scope_recall: float
    auroc: float


async def evaluate(request: Request) -> Outcome:
    """Route both data sets with product defaults; vectors are kept on disk between runs."""
    return await asyncio.to_thread(_evaluate, request)


def _evaluate(request: Request) -> Outcome:
    embedder = open_cached()
    with Progress(console=request.progress) as progress:
        clinc = _clinc(load_utterances(request.data, request.limit), embedder, progress)
        dialogues = load_dialogues(request.data)
        step = max(1, len(dialogues) // request.limit) if request.limit else 1
        with_history = _sgd(request, dialogues, step, embedder, progress, history=True)
        without = _sgd(request, dialogues, step, embedder, progress, history=False)
    return Outcome(
        figures={
            "clinc_in_scope": round(clinc.in_scope, 4),
            "clinc_oos_recall": round(clinc.out_of_scope_recall, 4),
            "clinc_auroc": round(clinc.auroc, 4),
            "sgd_overall": _share(with_history, FIRST, SWITCH, STAY),
            "sgd_first_turn": _share(with_history, FIRST),
            "sgd_switch": _share(with_history, SWITCH),
            "sgd_switch_without_history": _share(without, SWITCH),
        },
        notes=(
            f"SGD: {sum(with_history[kind, True] + with_history[kind, False] for kind in KINDS)} "
            f"user messages; switches: {sum(with_history[SWITCH, ok] for ok in (True, False))}",
            "SGD's history is the recorded one: the experts that served the turns before.",
        ),
    )


KINDS: Final = (FIRST, SWITCH, STAY)
Tally = Counter[tuple[str, bool]]


def _clinc(utterances: Utterances, embedder: Embedder, progress: Progress) -> ScopeFigures:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = open_app(write_domains(Path(folder), utterances))
        router = open_router(settings, embedder)
        right, inside = 0, []
        for text, domain in progress.track(utterances.inside, description="in scope"):
            right += _experts(router, [], text) == (domain,)
            inside.append(scope_score(router, text))
        refused, outside = 0, []
        for text in progress.track(utterances.outside, description="out of scope"):
            refused += not _experts(router, [], text)
            outside.append(scope_score(router, text))
    return ScopeFigures(
        right / len(inside), refused / len(outside), area_under_curve(inside, outside)
    )


def scope_score(router: EmbeddedRouter, text: str) -> float:
    """The router's probability that some expert is meant; 0 where it reads no request at all."""
    scene = read_scene(prompt_of([], text))
    return max((step.choice.in_scope for step in router.planner.steps(text, scene)), default=0.0)


def _experts(router: EmbeddedRouter, history: Sequence[TurnRecord], text: str) -> Chosen:
    messages: list[HumanMessage] = prompt_of(history, text)
    plan = router.reply(messages, []).tool_calls[0]["args"]
    return tuple(sorted({one["name"] for one in plan["experts"]}))


def _sgd(
    request: Request,
    dialogues: Sequence[ServiceDialogue],
    step: int,
    embedder: Embedder,
    progress: Progress,
    *,
    history: bool,
) -> Tally:
    schema, tally = load_schema(request.data), Counter[tuple[str, bool]]()
    names, (even, odd) = tool_names(schema), halves(dialogues)
    for asked, others in ((even, odd), (odd, even)):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            taught = [dialogues[at] for at in others]
            router = open_router(open_app(write_app(Path(folder), schema, taught)), embedder)
            label = f"services, {'with' if history else 'without'} history"
            for at in progress.track(asked[::step], description=label):
                tally.update(_turns(router, dialogues[at], names, history=history))
    return tally


def _turns(
    router: EmbeddedRouter,
    dialogue: ServiceDialogue,
    names: Mapping[tuple[str, str], str],
    *,
    history: bool,
) -> Iterator[tuple[str, bool]]:
    """For each user message whether it is a switch, and whether it was routed right."""
    records: list[TurnRecord] = []
    before = ""
    for index, exchange in enumerate(dialogue.exchanges):
        wanted = expert_name(exchange.service)
        chosen = _experts(router, records if history else [], exchange.user)
        if not chosen and history and before:
            chosen = (before,)
        kind = FIRST if not before else STAY if wanted == before else SWITCH
        yield kind, chosen == (wanted,)
        records.append(record_of(index, exchange, (wanted,), names))
        before = wanted


def _share(tally: Tally, *kinds: str) -> float:
    right = sum(tally[kind, True] for kind in kinds)
    total = right + sum(tally[kind, False] for kind in kinds)
    return round(right / total, 4) if total else 0.0


def area_under_curve(inside: Sequence[float], outside: Sequence[float]) -> float:
    """The chance that an in-scope score is above an out-of-scope one; ties count half.

    Source: Mann-Whitney's U over the number of pairs.
    """
    ranked = sorted([(score, True) for score in inside] + [(score, False) for score in outside])
    total, at = 0.0, 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end][0] == ranked[at][0]:
            end += 1
        mean = (at + 1 + end) / 2
        total += mean * sum(1 for _, own in ranked[at:end] if own)
        at = end
    count = len(inside)
    return (total - count * (count + 1) / 2) / (count * len(outside))
