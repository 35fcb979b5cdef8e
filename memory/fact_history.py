"""Pure: from what was said, in the order of event time, to facts with their intervals."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final, Literal

from configs.clock import ClockSettings
from memory.same_values import contradicts, takes_back
from memory.slots import Slot
from state import derived_id

Polarity = Literal["holds", "ended"]

TIMELESS: Final = "?"


@dataclass(frozen=True, slots=True)
class Mention:
    """One stored statement: the reason to believe a fact.

    Attributes:
        meaning: What two wordings of one value have in common; empty: the wording itself.
        period: The day, month or year that was stated, `TIMELESS` if none was; of what began then,
            or of an event. Empty says that `occurred_at` is the day.
        by: Who said it.
    """

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
    meaning: str = ""
    period: str = ""
    by: str = ""

    @property
    def began_at(self) -> datetime:
        """When what it says began, as far as it was stated; at the latest when it was said."""
        day = self.stated_day
        if day is None:
            return self.occurred_at
        return min(datetime(day.year, day.month, day.day, tzinfo=UTC), self.occurred_at)

    @property
    def stated_day(self) -> date | None:
        """The first day of the stated period."""
        if not re.match(r"\d{4}", self.period):
            return None
        year, month, day = (*map(int, self.period.split("-")), 1, 1)[:3]
        return date(year, month, day)


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


def held_since(fact: Fact, calendar: ClockSettings) -> date:
    """The day a fact holds since: the one that was stated, or the app's when it was said."""
    first = fact.mentions[0]
    if first.stated_day is None:
        return calendar.date_of(first.occurred_at)
    return min(first.stated_day, calendar.day_of(first.recorded_at))


def derive(audience: str, slot: Slot, mentions: Sequence[Mention]) -> list[Fact]:
    """The facts of one slot, from its mentions in the order of event time.

    Equal values in a row are one fact; in a single slot another value supersedes, in the others
    values live side by side, and an event is told apart by its day too.
    """
    ordered = sorted(mentions, key=_place)
    runs = _events(ordered) if slot.cardinality == "event" else _states(slot, ordered)
    ids = [derived_id("fact", audience, slot.name, run.key, at) for at, run in _numbered(runs)]
    return [_fact(slot, ids, place, run) for place, run in enumerate(runs)]


def _place(mention: Mention) -> tuple[datetime, bool, datetime, str]:
    """In one message what ends comes first: "no PDFs any more, CSV from now on"."""
    return mention.occurred_at, mention.polarity == "holds", mention.recorded_at, mention.id


@dataclass(slots=True)
class _Run:
    key: str
    mentions: list[Mention]
    ended_at: datetime | None = None
    next_run: int | None = None

    def end(self, at: datetime) -> None:
        """It holds no more; never before it began."""
        self.ended_at = max(at, self.mentions[0].began_at)


def _states(slot: Slot, ordered: Sequence[Mention]) -> list[_Run]:
    runs: list[_Run] = []
    for mention in ordered:
        key = mention.meaning or mention.normalised
        running = [run for run in runs if run.ended_at is None]
        same = next((run for run in running if run.key == key), None)
        if mention.polarity == "ended":
            for run in running:
                if not mention.normalised or run.key == key or _is_meant(slot, mention, run):
                    run.end(mention.occurred_at)
        elif same is not None:
            same.mentions.append(mention)
        else:
            for run in running:
                if slot.cardinality == "single" or _is_turned(slot, mention, run):
                    run.end(mention.began_at)
                    run.next_run = len(runs)
            runs.append(_Run(key, [mention]))
    return runs


def _is_meant(slot: Slot, ended: Mention, run: _Run) -> bool:
    """Whether "no need to copy my assistant" is about "always copy my assistant"."""
    return slot.type == "text" and takes_back(ended.value, run.mentions[-1].value)


def _is_turned(slot: Slot, newer: Mention, run: _Run) -> bool:
    """Whether a wish takes back another: long answers after short ones."""
    return slot.type == "text" and contradicts(newer.value, run.mentions[-1].value)


def _events(ordered: Sequence[Mention]) -> list[_Run]:
    """What happened: one a day and meaning; a vaguer mention belongs to the exact one it fits."""
    runs: list[_Run] = []
    for mention in sorted(ordered, key=lambda one: -len(_stated(one))):
        key = mention.meaning or mention.normalised
        of_key = [run for run in runs if run.key.partition(" ")[2] == key]
        if mention.polarity == "ended":
            continue
        fits = [run for run in of_key if run.key.startswith(_stated(mention))]
        if fits:
            fits[-1].mentions.append(mention)
        else:
            runs.append(_Run(f"{_stated(mention)} {key}", [mention]))
    for mention in ordered:
        if mention.polarity == "ended":
            _take_back(runs, mention)
    return sorted(runs, key=lambda run: (run.mentions[0].occurred_at, run.key))


def _take_back(runs: Sequence[_Run], mention: Mention) -> None:
    for run in runs:
        meant = run.key.partition(" ")[2] == (mention.meaning or mention.normalised)
        if run.mentions[0].occurred_at <= mention.occurred_at and (meant or not mention.normalised):
            run.end(mention.occurred_at)


def _stated(mention: Mention) -> str:
    """The day of an event, as exact as it was stated; empty if it was not."""
    if mention.period == TIMELESS:
        return ""
    return mention.period or mention.occurred_at.date().isoformat()


def _numbered(runs: Sequence[_Run]) -> list[tuple[int, _Run]]:
    """Each run with how many earlier ones have its key: a returning value is a new interval."""
    seen: dict[str, int] = {}
    numbered = []
    for run in runs:
        seen[run.key] = seen.get(run.key, 0) + 1
        numbered.append((seen[run.key], run))
    return numbered


def _fact(slot: Slot, ids: Sequence[str], place: int, run: _Run) -> Fact:
    following = None if run.next_run is None else ids[run.next_run]
    return Fact(
        ids[place],
        slot.name,
        # The latest wording of the same value is the one to show.
        run.mentions[-1].value,
        run.mentions[0].began_at,
        run.ended_at,
        following,
        tuple(run.mentions),
        slot.description,
    )
