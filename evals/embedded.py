"""Requests to the sample company on the embedded model, through the whole product.

The requests were written by people who had not seen the experts' example utterances. Some are for
tuning; the figures come from those of "test", which nobody has looked at. Requests that share more
than half of their content words with an example are played, but not counted.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.progress import Progress

from configs.settings import load_settings
from evals.embedded_names import Names
from evals.embedded_play import Played, play
from evals.embedded_scoring import Scorer
from evals.embedded_set import (
    Conversation,
    Half,
    Labelled,
    borrowed,
    example_utterances,
    load_conversations,
)
from evals.registry import Outcome, Request, Value
from graph.session import Desk, open_desk
from tools.registry import Registry

BOOKS = ("desk.db", "desk.db-wal", "desk.db-shm")
HALVES: tuple[Half, ...] = ("test", "tune")


async def evaluate(request: Request) -> Outcome:
    """Hold all conversations in one desk with product defaults, each on the company's seed."""
    conversations = load_conversations(limit=request.limit)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = load_settings(
            data_dir=Path(folder), models={"default": {"provider": "embedded"}}
        )
        async with open_desk(settings) as desk:
            played = await _play_all(desk, conversations, request, Path(folder))
    excluded = borrowed(conversations, example_utterances(settings.experts))
    return Outcome(figures=figures(played, excluded), notes=tuple(_notes(played, excluded)))


async def _play_all(
    desk: Desk, conversations: Sequence[Conversation], request: Request, folder: Path
) -> list[Played]:
    scorer = Scorer(Names(), partial(tool_defaults, desk.services.registry))
    played = []
    with Progress(console=request.progress) as progress:
        for conversation in progress.track(conversations, description="conversations"):
            with_fresh_books(folder)
            played += await play(desk, scorer, conversation)
    return played


def with_fresh_books(folder: Path) -> None:
    """Let the next conversation begin with the company's seed, which its labels are about."""
    for name in BOOKS:
        (folder / name).unlink(missing_ok=True)


def figures(
    played: Sequence[Played], excluded: frozenset[str], half: Half = "test"
) -> dict[str, Value]:
    """The figures of one half; wrong effects count in excluded requests too.

    `total` and `right` leave off-topic requests out, which have their own pair.
    """
    own = [one for one in played if one.half == half]
    counted = [one for one in own if one.label.id not in excluded]
    off_topic = [one for one in counted if one.label.expect == "off_topic"]
    on_topic = [one for one in counted if one.label.expect != "off_topic"]
    return {
        "total": len(on_topic),
        "right": sum(one.right for one in on_topic),
        "off_topic_total": len(off_topic),
        "off_topic_ok": sum(one.right for one in off_topic),
        "wrong_effects": sum(len(one.wrong_effects) for one in own),
    }


def kinds_of(label: Labelled) -> Iterator[str]:
    """The kinds a request belongs to: what is expected, its form, and each tool."""
    yield label.expect
    if label.follow_up:
        yield "follow_up"
    if label.two_in_one:
        yield "two_in_one"
    if label.expect == "call" and not (label.follow_up or label.two_in_one):
        yield "plain call"
    yield from sorted({call.tool for call in label.calls})


def by_kind(
    played: Sequence[Played], excluded: frozenset[str]
) -> dict[str, dict[Half, tuple[int, int]]]:
    """For each kind and half, how many are right and how many there are."""
    table: dict[str, dict[Half, tuple[int, int]]] = {}
    for one in played:
        if one.label.id in excluded:
            continue
        for kind in kinds_of(one.label):
            row = table.setdefault(kind, dict.fromkeys(HALVES, (0, 0)))
            right, total = row[one.half]
            row[one.half] = (right + one.right, total + 1)
    return table


def tool_defaults(registry: Registry, tool: str) -> Mapping[str, Any]:
    """The arguments a tool takes, with the values they have when not given."""
    spec = registry.get(tool)
    if spec is None:
        return {}
    fields = spec.arguments.model_fields.items()
    return {name: "" if one.is_required() else one.default for name, one in fields}


def _notes(played: Sequence[Played], excluded: frozenset[str]) -> Iterator[str]:
    for half in HALVES[1:]:
        shown = figures(played, excluded, half).items()
        yield f"{half}: " + ", ".join(f"{key} {value}" for key, value in shown)
    yield f"{len(excluded)} excluded, too near to an example: {', '.join(sorted(excluded)) or '-'}"
    yield f"by kind, right/all: {' | '.join(HALVES)}"
    table = by_kind(played, excluded)
    for kind in sorted(table):
        counts = " | ".join(f"{right}/{total}" for right, total in table[kind].values())
        yield f"  {kind}: {counts}"
    yield "wrong in tune:"
    for one in played:
        if one.half == "tune" and not one.right and one.label.id not in excluded:
            yield _shown(one)


def _shown(one: Played) -> str:
    label, happened = one.label, one.happened
    wanted = "; ".join(f"{call.tool}{dict(call.args)}" for call in label.calls) or label.expect
    if label.free:
        wanted += f" with {dict(label.free)}"
    came = "; ".join(map(str, happened.calls)) or "no call"
    came += " and asked" if happened.asked else ""
    reply = happened.failure or " ".join(happened.text.split())[:160]
    return (
        f"  {label.id} {label.text!r}\n    wanted {wanted}\n    came   {came}\n    reply  {reply}"
    )
