"""Pure: from what was said, in the order of event time, to facts with their intervals."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from memory.fulltext import fold
from memory.slots import Slot
from state import derived_id

Polarity = Literal["holds", "ended"]

# Marks that tell values apart, as in C#, 50 % and R&D.
KEPT_MARKS: Final = frozenset("#%&@*")


@dataclass(frozen=True, slots=True)
class Mention:
    """One stored statement: the reason to believe a fact."""

    id: str
    slot: str
    value: str
    normalised: str
    polarity: Polarity
    thread: str
    turn_id: str
    quote: str
    occurred_at: datetime
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Fact:
    """A value with the interval it held and the statements it rests on.

    Attributes:
        valid_to: None while it holds.
        superseded_by: The id of the fact that ended it, None if none did.
        description: The slot's.
    """

    id: str
    slot: str
    value: str
    valid_from: datetime
    valid_to: datetime | None
    superseded_by: str | None
    mentions: tuple[Mention, ...]
    description: str = ""

    @property
    def is_current(self) -> bool:
        """Whether it still holds."""
        return self.valid_to is None


def normalise(value: str) -> str:
    """A value as it is compared: folded, without articles and the punctuation round words."""
    bare = (_without_punctuation(word) for word in fold(value).split())
    return " ".join(word for word in bare if word and word not in ("a", "an", "the"))


def _without_punctuation(word: str) -> str:
    marks = "".join({char for char in word if unicodedata.category(char)[0] == "P"} - KEPT_MARKS)
    return word.strip(marks) if marks else word


def derive(audience: str, slot: Slot, mentions: Sequence[Mention]) -> list[Fact]:
    """The facts of one slot, from its mentions in the order of event time.

    Equal values in a row are one fact; in a single slot another value supersedes, in the others
    values live side by side, and an event is told apart by its day too.
    """
    runs: list[_Run] = []
    for mention in sorted(mentions, key=lambda one: (one.occurred_at, one.recorded_at, one.id)):
        key = _key(slot, mention)
        running = [run for run in runs if run.ended_at is None]
        same = next((run for run in running if run.key == key), None)
        if mention.polarity == "ended":
            for run in running:
                if not mention.normalised or run.mentions[0].normalised == mention.normalised:
                    run.ended_at = mention.occurred_at
        elif same is not None:
            same.mentions.append(mention)
        else:
            if slot.cardinality == "single":
                for run in running:
                    run.ended_at, run.next_run = mention.occurred_at, len(runs)
            runs.append(_Run(key, [mention]))
    ids = [derived_id("fact", audience, slot.name, run.key, at) for at, run in _numbered(runs)]
    return [_fact(slot, ids, place, run) for place, run in enumerate(runs)]


@dataclass(slots=True)
class _Run:
    key: str
    mentions: list[Mention]
    ended_at: datetime | None = None
    next_run: int | None = None


def _key(slot: Slot, mention: Mention) -> str:
    if slot.cardinality == "event":
        return f"{mention.occurred_at.date().isoformat()} {mention.normalised}"
    return mention.normalised


def _numbered(runs: Sequence[_Run]) -> list[tuple[int, _Run]]:
    """Each run with how many earlier ones have its key: a returning value is a new interval."""
    seen: dict[str, int] = {}
    numbered = []
    for run in runs:
        seen[run.key] = seen.get(run.key, 0) + 1
        numbered.append((seen[run.key], run))
    return numbered


def _fact(slot: Slot, ids: Sequence[str], place: int, run: _Run) -> Fact:
    first = run.mentions[0]
    following = None if run.next_run is None else ids[run.next_run]
    # The latest wording of the same value is the one to show.
    value = run.mentions[-1].value
    return Fact(
        ids[place],
        slot.name,
        value,
        first.occurred_at,
        run.ended_at,
        following,
        tuple(run.mentions),
        slot.description,
    )
