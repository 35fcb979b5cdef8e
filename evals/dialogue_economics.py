"""Tokens of real dialogues by design: SGD and the recorded tau airline runs.

Counted is what a design shows of the thread: past, question, calls of the turn and finding. System
texts and tool catalogues are left out; they are the same in all designs.
"""

import statistics
from collections.abc import Iterator, Mapping, Sequence

from rich.progress import Progress

from evals.dialogue_designs import (
    Design,
    FullTrajectory,
    MakeDesign,
    PerModule,
    Utterances,
    sizes_of,
    tokens_by_module,
)
from evals.dialogue_shared import SharedHistory
from evals.dialogue_turns import Dialogue, sgd_dialogues, tau_dialogues
from evals.registry import Outcome, Request, Value
from models.tokens import load

MODULES = ("router", "expert", "synthesizer")
DESIGNS: Mapping[str, MakeDesign] = {
    "full": FullTrajectory,
    "per_module": PerModule,
    "utterances": Utterances,
    "ours": SharedHistory,
}

Totals = dict[str, list[int]]


async def evaluate(request: Request) -> Outcome:
    """Count both sets in every design."""
    await load()
    sets = {
        "sgd": sgd_dialogues(request.data, request.limit),
        "tau": tau_dialogues(request.data, request.limit),
    }
    figures: dict[str, Value] = {}
    notes = []
    with Progress(console=request.progress) as progress:
        for name, dialogues in sets.items():
            bar = progress.add_task(name, total=len(DESIGNS) * len(dialogues))
            for design, make in DESIGNS.items():
                totals: Totals = {module: [] for module in MODULES}
                for dialogue in dialogues:
                    _count(dialogue, make(), totals)
                    progress.advance(bar)
                turns = list(map(sum, zip(*totals.values(), strict=True)))
                figures[f"{name}_{design}"] = round(statistics.mean(turns), 1)
                notes.append(_note(name, design, totals, turns))
            notes.append(_size_note(name, dialogues))
    return Outcome(figures=figures, notes=tuple(notes))


def _count(dialogue: Dialogue, design: Design, totals: Totals) -> None:
    for turn in dialogue:
        sizes = sizes_of(turn)
        for module, tokens in tokens_by_module(turn, sizes, design).items():
            totals[module].append(tokens)
        design.close(turn, sizes)


def _note(name: str, design: str, totals: Totals, turns: Sequence[int]) -> str:
    means = ", ".join(f"{module} {statistics.mean(each):,.0f}" for module, each in totals.items())
    return f"{name} {design}: {statistics.mean(turns):,.0f} tokens a turn ({means})"


def _size_note(name: str, dialogues: Sequence[Dialogue]) -> str:
    turns = sum(map(len, dialogues))
    calls = sum(_calls(dialogues))
    return f"{name}: {len(dialogues):,} dialogues, {turns:,} turns, {calls:,} calls"


def _calls(dialogues: Sequence[Dialogue]) -> Iterator[int]:
    return (len(turn.calls) for dialogue in dialogues for turn in dialogue)
