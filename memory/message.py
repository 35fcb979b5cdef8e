"""From ranked items to the Memory Message: within the budget by exact tokens, failures first."""

from collections.abc import Callable, Collection, Mapping, Sequence

from configs.clock import REAL_CLOCK, ClockSettings
from memory.episodes import EpisodeItem
from memory.quoting import Line, fact_line, is_failure, item_line, memory_text
from memory.ranking import Ranked, fill_budget
from memory.searching import Found
from state import LessonConstraint, MemoryNote

FAILURE_SHARE = 0.5
CONSIDERED = 3
"""So many times the items that fit are considered: a failure further down is no warning."""
ONLY_HERE = "nothing relevant but turns of this thread, none of which stands out"
ASIDE_SHARE = 0.25
"""Part of the budget that is kept for what the open topic brings up."""


def compose(
    ranked: Sequence[Ranked],
    found: Found,
    query: str,
    *,
    budget_tokens: int,
    max_items: int,
    count_tokens: Callable[[str], int],
    aside: Sequence[Ranked] = (),
    thread: str = "",
    quoted: Collection[str] = (),
    calendar: ClockSettings = REAL_CLOCK,
) -> MemoryNote:
    """The note with as many of the ranked items as fit; its text is empty when none does.

    Turns of the same thread are in its done-list anyway: those not in `quoted` are left out.
    What is shown stands newest first: what was said later is read before what it replaces.

    Args:
        ranked: best first.
        found: what the ids stand for.
        query: the question.
        budget_tokens: size of the text.
        max_items: items at most.
        count_tokens: exact size of a text.
        aside: what the open topic brings up, best first; it has a share of the budget.
        thread: where the question is asked.
        quoted: ids of this thread's turns that are worth their words.
        calendar: dates the items.
    """
    here = {
        key
        for key, item in found.items.items()
        if item.thread == thread and key not in quoted and _is_plain_turn(item)
    }
    main = [entry for entry in ranked if entry.candidate.id not in here][: CONSIDERED * max_items]
    taken = here | {entry.candidate.id for entry in main}
    beside = [entry for entry in aside if entry.candidate.id not in taken][:max_items]
    lines = {entry.candidate.id: _line(entry, found, query, calendar) for entry in [*main, *beside]}
    sizes = {key: count_tokens(line.text + "\n") for key, line in lines.items()}
    chosen = _with_aside(main, beside, found.items, sizes, budget_tokens, max_items)
    text = _text(chosen, lines)
    while chosen and count_tokens(text) > budget_tokens:
        chosen.pop()
        text = _text(chosen, lines)
    chosen = newest_first(chosen, found.items)
    text = _text(chosen, lines)
    shown = f"{len(chosen)} of {len(lines)} relevant records shown" if lines else ONLY_HERE
    return {
        "text": text,
        "items": [
            {
                "id": entry.candidate.id,
                "kind": entry.candidate.kind,
                "score": round(entry.score, 4),
            }
            for entry in chosen
        ],
        "constraints": _constraints(chosen, found.items),
        "reason": found.fault or shown,
        "degraded": bool(found.fault),
    }


def newest_first(chosen: Sequence[Ranked], items: Mapping[str, EpisodeItem]) -> list[Ranked]:
    """Failures before all others, and in both the newest event first; facts keep their order."""

    def order(entry: Ranked) -> tuple[bool, float, int]:
        item = items.get(entry.candidate.id)
        if item is None:
            return (True, 0.0, 0)
        return (not is_failure(item), -item.occurred_at.timestamp(), -item.position)

    return sorted(chosen, key=order)


def _is_plain_turn(item: EpisodeItem) -> bool:
    return item.kind == "turn" and not is_failure(item)


def _line(entry: Ranked, found: Found, query: str, calendar: ClockSettings) -> Line:
    key = entry.candidate.id
    if key in found.facts:
        return fact_line(found.facts[key], calendar)
    return item_line(found.items[key], query, entry.twins, calendar)


def _text(chosen: Sequence[Ranked], lines: Mapping[str, Line]) -> str:
    return memory_text([lines[entry.candidate.id] for entry in chosen])


def _with_aside(
    main: Sequence[Ranked],
    beside: Sequence[Ranked],
    items: Mapping[str, EpisodeItem],
    sizes: Mapping[str, int],
    budget_tokens: int,
    max_items: int,
) -> list[Ranked]:
    """The question's items, then the topic's in the share that is kept for them or left over."""
    wanted = sum(sizes[entry.candidate.id] for entry in beside)
    kept = min(int(budget_tokens * ASIDE_SHARE), wanted) if main else 0
    places = max_items - 1 if beside and main else max_items
    chosen = _choose(main, items, sizes, budget_tokens - kept, places)
    left = budget_tokens - sum(sizes[entry.candidate.id] for entry in chosen)
    return chosen + _choose(beside, items, sizes, left, max_items - len(chosen))


def _choose(
    ranked: Sequence[Ranked],
    items: Mapping[str, EpisodeItem],
    sizes: Mapping[str, int],
    budget_tokens: int,
    max_items: int,
) -> list[Ranked]:
    """Failures first, up to their share of the budget; then the best of the rest."""
    failures: list[Ranked] = []
    others: list[Ranked] = []
    for entry in ranked:
        item = items.get(entry.candidate.id)
        (failures if item is not None and is_failure(item) else others).append(entry)
    share = int(budget_tokens * FAILURE_SHARE) if others else budget_tokens
    first = fill_budget(failures, sizes, share, limit=max_items)
    left = budget_tokens - sum(sizes[entry.candidate.id] for entry in first)
    return first + fill_budget(others, sizes, left, limit=max_items - len(first))


def _constraints(
    chosen: Sequence[Ranked], items: Mapping[str, EpisodeItem]
) -> list[LessonConstraint]:
    episodes = [
        items[entry.candidate.id].episode for entry in chosen if entry.candidate.id in items
    ]
    active = [episode for episode in episodes if episode and not episode.retired_by]
    found = [one for episode in active for one in episode.constraints]
    return [one for at, one in enumerate(found) if one not in found[:at]]
