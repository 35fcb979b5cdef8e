"""From ranked items to the Memory Message: within the budget by exact tokens, failures first."""

from collections.abc import Callable, Collection, Mapping, Sequence

from memory.episodes import EpisodeItem
from memory.quoting import HERE, Line, fact_line, is_failure, item_line, memory_text, pointer_line
from memory.ranking import Ranked, fill_budget
from memory.searching import Found
from state import LessonConstraint, MemoryNote

FAILURE_SHARE = 0.5
MAX_POINTERS = 3


def compose(
    ranked: Sequence[Ranked],
    found: Found,
    query: str,
    *,
    budget_tokens: int,
    max_items: int,
    count_tokens: Callable[[str], int],
    thread: str = "",
    quoted: Collection[str] = (),
) -> MemoryNote:
    """The note with as many of the ranked items as fit; its text is empty when none does.

    Turns of the same thread are in its done-list anyway: those not in `quoted` are only pointed to.

    Args:
        ranked: best first.
        found: what the ids stand for.
        query: the question.
        budget_tokens: size of the text.
        max_items: items at most.
        count_tokens: exact size of a text.
        thread: where the question is asked.
        quoted: ids of this thread's turns that are worth their words.
    """
    lines = {entry.candidate.id: _line(entry, found, query) for entry in ranked}
    for key, item in found.items.items():
        if key in lines and item.thread == thread and key not in quoted and _is_pointed_to(item):
            lines[key] = pointer_line(item)
    sizes = {key: count_tokens(line.text + "\n") for key, line in lines.items()}
    pointers = [one for one in ranked if lines[one.candidate.id].section == HERE][MAX_POINTERS:]
    offered = [entry for entry in ranked if entry not in pointers]
    chosen = _choose(offered, found.items, sizes, budget_tokens, max_items)
    text = _text(chosen, lines)
    while chosen and count_tokens(text) > budget_tokens:
        chosen.pop()
        text = _text(chosen, lines)
    shown = f"{len(chosen)} of {len(ranked)} relevant records shown"
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


def _is_pointed_to(item: EpisodeItem) -> bool:
    return item.kind == "turn" and not is_failure(item)


def _line(entry: Ranked, found: Found, query: str) -> Line:
    key = entry.candidate.id
    if key in found.facts:
        return fact_line(found.facts[key])
    return item_line(found.items[key], query, entry.twins)


def _text(chosen: Sequence[Ranked], lines: Mapping[str, Line]) -> str:
    return memory_text([lines[entry.candidate.id] for entry in chosen])


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
    found = [one for episode in episodes if episode for one in episode.constraints]
    return [one for at, one in enumerate(found) if one not in found[:at]]
