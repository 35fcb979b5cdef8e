"""A desk opened as its user would, conversations with it, and what each of their turns did."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from configs.settings import Settings, load_settings
from evals.embedded_scoring import Happened, Made, Same, Score, Scorer
from evals.embedded_set import Conversation, Labelled, free_arguments
from graph.errors import DeskError
from graph.replies import PendingAction, Reply
from graph.session import Desk, open_desk
from state import CallRecord, TurnRecord, thread_key
from tools.effects import EffectRow
from tools.registry import Registry

USER: Final = "local"
TENANT: Final = "default"
MOST_DECISIONS: Final = 8
NOT_ASKED_FOR: Final = "nobody asked for this"
BUILT_IN: Final = frozenset({"recall_artifact", "recall_memory", "read_profile"})
BOOKS: Final = ("desk.db", "desk.db-wal", "desk.db-shm")
TELL_EVERY: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """Conversations with the app folder of the desk they are held with.

    Attributes:
        app_dir: the folder, of which the desk may keep its data in a folder of its own.
        same: tells when two values of an argument mean the same; by default their own comparison.
        uncounted: ids of requests that are played, because later ones build on them, and in no
            figure but that of wrong effects.
    """

    name: str
    app_dir: Path
    conversations: Sequence[Conversation]
    same: Same | None = None
    uncounted: frozenset[str] = field(default=frozenset())


@dataclass(frozen=True, slots=True)
class Played:
    """A request, what happened, and how it is scored."""

    label: Labelled
    happened: Happened
    score: Score

    @classmethod
    def lost(cls, label: Labelled, failure: str) -> "Played":
        """A request that could not be made at all."""
        return cls(label, Happened(failure=failure), Score(tool_right=False, right=False))


async def perform(performance: Performance, data_dir: Path, progress: Console) -> list[Played]:
    """Hold all conversations in one desk, one after the other.

    Side by side they would compete for the one embedder, and the sample company's books are made
    anew for each.

    Raises:
        ConfigError: the desk cannot be opened.
    """
    settings = embedded_settings(performance.app_dir, data_dir)
    total, started = len(performance.conversations), time.monotonic()
    played: list[Played] = []
    async with open_desk(settings) as desk:
        scorer = scorer_of(desk, performance)
        for number, conversation in enumerate(performance.conversations, start=1):
            with_fresh_books(data_dir)
            played += await play(desk, scorer, conversation)
            if number % TELL_EVERY == 0 or number == total:
                passed = time.monotonic() - started
                progress.print(f"{performance.name}: {number}/{total}, {passed:.0f} s")
    return played


def embedded_settings(app_dir: Path, data_dir: Path) -> Settings:
    """The desk's own settings with the embedded model in every role."""
    models = {"default": {"provider": "embedded"}}
    return load_settings(app_dir, data_dir=data_dir, models=models)


def scorer_of(desk: Desk, performance: Performance) -> Scorer:
    """A scorer that knows the desk's tools and the set's free arguments."""
    defaults = partial(tool_defaults, desk.services.registry)
    return Scorer(defaults, free_arguments(performance.conversations), performance.same)


def tool_defaults(registry: Registry, tool: str) -> Mapping[str, Any]:
    """The arguments a tool takes, with the values they have when not given."""
    spec = registry.get(tool)
    if spec is None:
        return {}
    return {
        one.alias or name: None if one.is_required() else one.default
        for name, one in spec.arguments.model_fields.items()
    }


def with_fresh_books(data_dir: Path) -> None:
    """Let the next conversation begin with the company's seed, which its labels are about."""
    for name in BOOKS:
        (data_dir / name).unlink(missing_ok=True)


async def play(desk: Desk, scorer: Scorer, conversation: Conversation) -> list[Played]:
    """Hold a conversation in a thread of its own; a turn that cannot end is scored as wrong."""
    played = []
    for label in conversation.requests:
        happened = await _play_turn(desk, scorer, conversation.id, label)
        played.append(Played(label, happened, scorer.score(label, happened)))
    return played


async def _play_turn(desk: Desk, scorer: Scorer, thread: str, label: Labelled) -> Happened:
    shown: set[str] = set()
    try:
        reply = await desk.ask(thread=thread, user=USER, text=label.text)
        for _ in range(MOST_DECISIONS):
            if not reply.pending:
                break
            shown.update(action.id for action in reply.pending)
            decisions = [_decision(scorer, label, action) for action in reply.pending]
            reply = await desk.decide(thread, decisions, user=USER)
        return await _read_turn(desk, thread, reply, shown)
    except DeskError as error:
        return Happened(failure=f"{type(error).__name__}: {error}")


def _decision(scorer: Scorer, label: Labelled, action: PendingAction) -> dict[str, str]:
    if action.kind == "settle":
        return {"id": action.id, "type": "respond", "message": "not_happened"}
    made = Made(tool=action.tool, args=action.args, effect=True, proposed=True)
    if scorer.is_wanted(label, made):
        return {"id": action.id, "type": "approve"}
    return {"id": action.id, "type": "reject", "message": NOT_ASKED_FOR}


async def _read_turn(desk: Desk, thread: str, reply: Reply, shown: set[str]) -> Happened:
    key = thread_key(TENANT, thread)
    records = await desk.show(thread, USER)
    rows = await desk.services.ledger.rows(key, turn_id=reply.turn_id)
    own = (record for record in records if record["id"] == reply.turn_id)
    made = [*_effects(rows, shown), *_others(own, rows)]
    return Happened(
        calls=tuple(made),
        asked=await _asked(desk, key),
        text=reply.text,
        failure=_failure(reply, made),
    )


def _effects(rows: Iterable[EffectRow], shown: set[str]) -> list[Made]:
    return [
        Made(
            tool=row.tool,
            args=row.args,
            effect=True,
            proposed=True,
            unasked=row.status == "done" and row.id not in shown,
        )
        for row in rows
    ]


def _others(records: Iterable[TurnRecord], rows: Iterable[EffectRow]) -> list[Made]:
    """Reads, and effects that were refused before they reached the ledger."""
    proposed = {row.tool_call_id for row in rows}
    return [
        Made(tool=call["name"], args=call["args"], effect=call["effect"] != "read_only")
        for call in _calls(records)
        if call["name"] not in BUILT_IN
        and (call["effect"] == "read_only" or call["id"] not in proposed)
    ]


def _failure(reply: Reply, made: Sequence[Made]) -> str:
    """A turn whose calls are on record is scored by them, even if the tool refused."""
    if reply.status == "done" or (reply.status == "failed" and made):
        return ""
    return f"the turn ended as {reply.status!r}"


async def _asked(desk: Desk, key: str) -> bool:
    state = await desk.graph.aget_state({"configurable": {"thread_id": key}})
    found = [finding["status"] for finding in state.values.get("findings", [])]
    return bool(state.values.get("plan", {}).get("ask")) or "ask" in found


def _calls(records: Iterable[TurnRecord]) -> list[CallRecord]:
    return [call for record in records for module in record["modules"] for call in module["calls"]]
