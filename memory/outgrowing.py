"""What later successes say about earlier failures: a lesson kept and confirmed, or outgrown."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from memory.consolidation import Draft
from memory.drafts import when
from memory.episodes import EpisodeItem
from memory.likeness import by_words
from memory.situations import Traits, breaks, repeats, same_shape
from state import LessonConstraint

DONE: Final = "done"


def judged(
    failure: EpisodeItem, success: Draft, traits: Mapping[str, Traits], thread: str
) -> tuple[bool, bool]:
    """Whether a success has kept a failure's lesson, and whether it contradicts it.

    A typed lesson is kept by a call that obeys it, and contradicted by one that went well without.
    A failure without one is contradicted by the very same call going well.

    Args:
        failure: an earlier failure.
        success: a draft whose actions went well.
        traits: By tool.
        thread: where the success was.
    """
    episode = failure.episode
    if episode is None or success["result"] != "positive" or not _later(failure, success, thread):
        return False, False
    actions = [one for one in success["episode"]["actions"] if one["outcome"].startswith(DONE)]
    if not episode.constraints:
        same = any(
            repeats(before, (one["tool"], one["arguments"]), traits)
            for before in episode.actions
            for one in actions
        )
        return False, same
    kept = contradicted = False
    for rule in episode.constraints:
        for one in actions:
            if _in_the_same_situation(failure, rule, one, success, traits):
                broken = breaks(rule, one["arguments"], traits)
                contradicted, kept = contradicted or broken, kept or not broken
    return kept, contradicted and not kept


def _later(failure: EpisodeItem, success: Draft, thread: str) -> bool:
    """Whether the success came after the failure; in one thread the turns say so."""
    if failure.thread == thread:
        return failure.position < success["position"]
    return failure.occurred_at < when(success["at"])


def _in_the_same_situation(
    failure: EpisodeItem,
    rule: LessonConstraint,
    action: Mapping[str, Any],
    success: Draft,
    traits: Mapping[str, Traits],
) -> bool:
    if action["tool"] != rule["tool"] or failure.episode is None:
        return False
    failed = [one for one in failure.episode.actions if one.tool == rule["tool"]]
    shaped = any(
        same_shape(rule["tool"], one.arguments, action["arguments"], traits) for one in failed
    )
    texts = traits.get(rule["tool"], Traits()).texts
    return shaped and (
        not texts or by_words(rule["situation"], str(success["episode"]["situation"]))
    )


def successes_among(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts that say something about earlier failures."""
    return [one for one in drafts if one["result"] == "positive"]
