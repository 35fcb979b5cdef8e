"""What a memory makes of two statements: one fact, two, or one that replaces the other.

Every pair goes the way of the product: the extractor reads each message as the background job
hands it in, the fact store takes the drafts with the app's embedder, and what is current is
compared with the labels. A statement that is never stored counts as missed. Rates are those of
the blind pairs, which were written by people who knew the slots and not the extractor, and which
nobody has read since; the others were tuned on.

BEAM's updates and contradictions are played too, all messages of their sources. They are about
projects, for which no slot is declared: what is counted there is what was stored, and whether
a statement of theirs retired or swallowed another.
"""

import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from rich.progress import Progress

from evals.beam import Chat, Probe, load_chats
from evals.registry import Outcome, Request, Value
from evals.remembered import Bench, open_bench
from evals.writes_data import CLASSES, Pair, Spoken, load_pairs
from evals.writes_scoring import Verdict, judge
from memory.fact_history import Fact
from memory.fact_rows import FactDraft
from memory.facts import SourcedMessage
from models.statements.facts import EmbeddedFacts
from state import Scope

CONTRADICTION: Final = "contradiction_resolution"
UPDATE: Final = "knowledge_update"


async def evaluate(request: Request) -> Outcome:
    """Play all pairs, each for a user of its own."""
    pairs = load_pairs()[: request.limit]
    chats = await asyncio.to_thread(load_chats, request.data, request.limit)
    probes = [(chat, probe) for chat in chats for probe in chat.probes if _is_change(probe)]
    with (
        Progress(console=request.progress) as progress,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
    ):
        async with open_bench(Path(folder), clock=_after) as bench:
            bar = progress.add_task("pairs", total=len(pairs) + len(probes))
            slots = {slot.name: slot for slot in bench.opened.facts.slots}
            judged = []
            for pair in pairs:
                facts = await play(bench, pair.id, pair.said)
                judged.append((pair, judge(pair, facts, slots)))
                progress.advance(bar)
            changes = []
            for number, (chat, probe) in enumerate(probes):
                said = list(_spoken(chat, probe))
                changes.append(await play(bench, f"beam-{number}", said))
                progress.advance(bar)
    return outcome_of(judged, changes)


async def play(bench: Bench, user: str, said: Sequence[Spoken]) -> list[Fact]:
    """What is known of a user who has said these things, each in a turn of its own."""
    facts, scope = bench.opened.facts, Scope(user=user)
    extractor = EmbeddedFacts(FactDraft)
    for number, one in enumerate(said):
        message = SourcedMessage(one.text, "user", "t", str(number), one.at)
        await facts.add(scope, await extractor.extract([message], facts.slots))
    return await facts.history(scope)


def outcome_of(
    judged: Sequence[tuple[Pair, Verdict]], changes: Sequence[Sequence[Fact]]
) -> Outcome:
    """The rates of the blind pairs, with all pairs by class for the reader."""
    blind = [verdict for pair, verdict in judged if pair.half == "blind"]
    figures: dict[str, Value] = {"pairs": len(judged), **_rates(blind)}
    stored = sum(bool(facts) for facts in changes)
    retired = sum(not fact.is_current for facts in changes for fact in facts)
    return Outcome(
        figures=figures,
        notes=(
            *(line for half in ("blind", "tune") for line in _by_class(judged, half)),
            f"{len(blind)} pairs are blind; the rates are theirs, the others were tuned on",
            f"of BEAM's {len(changes)} updates and contradictions {stored} have a statement in a "
            f"declared slot; {retired} facts of theirs were retired",
        ),
    )


def _rates(verdicts: Sequence[Verdict]) -> dict[str, float]:
    return {
        "false_merge": rate(verdict.merged for verdict in verdicts),
        "missed_duplicate": rate(verdict.missed for verdict in verdicts),
        "false_retire": rate(verdict.retired for verdict in verdicts),
    }


def rate(counted: Iterable[bool | None]) -> float:
    """Share of those that are true, of those that apply; 0 of none."""
    found = [one for one in counted if one is not None]
    return round(sum(found) / len(found), 4) if found else 0.0


def _by_class(judged: Sequence[tuple[Pair, Verdict]], half: str) -> Iterator[str]:
    """A line a class: how many pairs, and the shares of each fault."""
    by_class: dict[str, list[Verdict]] = defaultdict(list)
    for pair, verdict in judged:
        if pair.half == half:
            by_class[pair.kind].append(verdict)
    for kind in CLASSES:
        if found := by_class.get(kind):
            yield (
                f"{half} {kind}: {len(found)} pairs, {rate(not one.right for one in found):.3f} "
                f"not as labelled, {rate(one.merged for one in found):.3f} merged, "
                f"{rate(one.missed for one in found):.3f} missed, "
                f"{rate(one.retired for one in found):.3f} retired"
            )


def _after() -> datetime:
    """When everything is stored: after all that is said."""
    return datetime(2030, 1, 1, tzinfo=UTC)


def _is_change(probe: Probe) -> bool:
    return probe.kind in (CONTRADICTION, UPDATE) and bool(probe.sources)


def _spoken(chat: Chat, probe: Probe) -> Iterator[Spoken]:
    """The user's messages that a question was made from, in order."""
    for number in sorted({source // 2 for source in probe.sources}):
        exchange = chat.exchanges[number]
        yield Spoken(exchange.user, exchange.at)
