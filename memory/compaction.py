"""Which turns to fold when the history passes its high-water mark, and what is kept of them.

Pure steps. Three things are kept beside the newest turns: the done-list and the user's standing
constraints, copied by code and the same for every strategy, and the summary, which a strategy
fills within its room. The originals stay in the SQL database.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from configs.sections import HistorySettings
from memory.constraints import merge, stated_constraints
from memory.done_list import done_item, settle
from memory.history import calls_of
from memory.strategies import STRATEGIES, WITHOUT_LINES, Level, Room, Shelf, Strategy, by_density
from memory.summary import Entry, Written, entry_of, read, shortened, verbatim_tokens, write
from models.tokens import count
from state import DoneItem, TurnRecord

WRITTEN_SHARE: Final = 0.6
"""Part of the summary's room that a model's prose may fill; the rest is for lines."""


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """When to fold, and how; made from settings by `fold_plan`."""

    strategy: Strategy
    room: Room
    high_water_tokens: int
    needs_vectors: bool = False

    @property
    def written_tokens(self) -> int:
        """What a model's prose may have."""
        return int(self.room.folded * WRITTEN_SHARE)


@dataclass(frozen=True, slots=True)
class Window:
    """What the window holds of a thread, as State keeps it."""

    history: Sequence[TurnRecord]
    summary: str = ""
    done_before: str = ""
    done: Sequence[DoneItem] = ()
    constraints: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Folded:
    """The window after a fold; `history` is what stays verbatim, `turn_ids` what was folded."""

    history: list[TurnRecord]
    summary: str
    done_before: str
    done: list[DoneItem]
    constraints: list[str]
    turn_ids: list[str]


def fold_plan(settings: HistorySettings) -> FoldPlan:
    """The plan that an application's settings ask for.

    A strategy that keeps turns as they were uses the summary's room for them, so its history may
    grow by that much before it is folded.
    """
    name = settings.strategy
    extra = settings.summary_tokens if name in WITHOUT_LINES else 0
    return FoldPlan(
        strategy=STRATEGIES[name],
        room=Room(verbatim=settings.low_water_tokens, folded=settings.summary_tokens),
        high_water_tokens=settings.high_water_tokens + extra,
        needs_vectors=name == "selective",
    )


def history_tokens(history: Sequence[TurnRecord]) -> int:
    """Exact size of the rendered history."""
    return sum(map(verbatim_tokens, history))


def fold(window: Window, plan: FoldPlan, similarities: Mapping[str, float] | None = None) -> Folded:
    """Keep what the strategy keeps; what is not verbatim any more joins done-list and constraints.

    Args:
        window: what there is.
        plan: strategy and room.
        similarities: cosine to the present question by turn id, for selective retention.
    """
    written, before = read(window.summary)
    written = shortened(written, plan.written_tokens)
    entries = [*before, *map(entry_of, window.history)]
    levels = _levels(entries, window.history, written, plan, similarities or {})
    stays, old = list[TurnRecord](), list[TurnRecord]()
    for record, level in zip(window.history, levels[len(before) :], strict=True):
        (stays if level == "verbatim" else old).append(record)
    items = [*window.done, *map(done_item, filter(calls_of, old))]
    done_before, done = settle(window.done_before, items)
    said = (rule for record in old for rule in stated_constraints(record["user"]))
    return Folded(
        history=stays,
        summary=_written_out(written, entries, levels),
        done_before=done_before,
        done=done,
        constraints=merge(window.constraints, said),
        turn_ids=[record["id"] for record in old],
    )


def take_over(summary: str, written: Written, plan: FoldPlan) -> str:
    """The summary with a model's prose in it; the lines that say most stay beside it.

    Pinned lines stay first. Prose that is there already and reaches as far is kept as it is.
    """
    present, entries = read(summary)
    if present.text and present.upto >= written.upto:
        return summary
    written = shortened(written, plan.written_tokens)
    pieces = [entry.piece() for entry in entries]
    shelf = Shelf(pieces, plan.room.folded - count(write(written, ())))
    dense = by_density(pieces, "said")
    for place in sorted(dense, key=lambda at: not pieces[at].pinned):
        shelf.put(place, "said")
    return _written_out(written, entries, shelf.levels)


def _levels(
    entries: Sequence[Entry],
    history: Sequence[TurnRecord],
    written: Written,
    plan: FoldPlan,
    similarities: Mapping[str, float],
) -> list[Level]:
    old = len(entries) - len(history)
    pieces = [entry.piece() for entry in entries[:old]]
    pieces += [
        entry.piece(similarities.get(record["id"], 0.0), verbatim_tokens(record))
        for entry, record in zip(entries[old:], history, strict=True)
    ]
    prose = count(write(written, ()))
    return plan.strategy(pieces, Room(plan.room.verbatim, plan.room.folded - prose))


def _written_out(written: Written, entries: Sequence[Entry], levels: Sequence[Level]) -> str:
    pairs = zip(entries, levels, strict=True)
    return write(written, [entry.lines[level] for entry, level in pairs if level in entry.lines])
