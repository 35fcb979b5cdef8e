"""Which failures warn of what is going to be tried, looked up by tool and not by likeness."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, TypeAlias

from memory.entities import pattern_entities
from memory.episodes import EpisodeItem, EpisodeStore
from memory.likeness import Likeness
from memory.quoting import is_failure
from memory.ranking import Ranked
from memory.searching import Found
from memory.situations import Attempt, Traits, applicable
from memory.weighing import candidates_of
from models.embedding import Embedder
from state import LessonConstraint, Scope

NOT_HERE: Final = "another situation"
MOST_LESSONS: Final = 500
MOST_WARNINGS: Final = 3
"""The newest ones, of a kind: what they all say stays short."""

Foresee: TypeAlias = Callable[[], Awaitable[Sequence[Attempt]]]
"""Foresees what a question will lead to."""


@dataclass(frozen=True, slots=True)
class Warnings:
    """The failures that warn of what is going to be tried, with their constraints.

    Attributes:
        foreseen: Whether anybody could say what is going to be tried; if not, every relevant
            failure is shown as one.
        beside: Turns of failures that are not about to be repeated, though something else is.
    """

    items: Mapping[str, EpisodeItem] = field(default_factory=dict)
    foreseen: bool = False
    beside: frozenset[str] = frozenset()


class Warner:
    """Finds lessons for a question; costs one query where there are none."""

    def __init__(
        self,
        episodes: EpisodeStore,
        embedder: Embedder | None,
        traits: Mapping[str, Traits],
    ) -> None:
        """Bind the stores.

        Args:
            episodes: Where failures are.
            embedder: Compares free texts; None compares words.
            traits: What is known of each tool's arguments.
        """
        self._episodes = episodes
        self._likeness = Likeness(embedder)
        self._traits = traits

    async def warnings(self, scope: Scope, question: str, foresee: Foresee | None) -> Warnings:
        """The failures that are about to be repeated, newest first.

        Args:
            scope: Whose memory.
            question: What is asked for.
            foresee: Says what it will lead to; None when nobody can.
        """
        if foresee is None:
            return Warnings()
        lessons = await self._episodes.scoped(scope).failures(MOST_LESSONS)
        if not lessons:
            return Warnings(foreseen=True)
        attempts = await foresee()
        tools = {tool for tool, _ in attempts}
        about = [one for one in lessons if tools & set(one.operation.split(","))]
        items = await self._applicable(question, about, attempts) if about else {}
        warned = {one.turn_id for one in items.values()}
        beside = {one.turn_id for one in lessons if attempts} - warned
        return Warnings(items, foreseen=True, beside=frozenset(beside))

    async def _applicable(
        self, question: str, about: Sequence[EpisodeItem], attempts: Sequence[Attempt]
    ) -> dict[str, EpisodeItem]:
        """The failures that are about to be repeated, with those of their rules that apply."""
        alike = await self._likeness.to(question, self._texts(about))
        items: dict[str, EpisodeItem] = {}
        known: list[tuple[LessonConstraint, ...]] = []
        for one in about:
            if one.episode is None or one.origin in items or len(items) >= MOST_WARNINGS:
                continue
            rules = applicable(one.episode, question, attempts, self._traits, alike)
            plain = _without_situation(rules or ())
            if rules is None or (plain and plain in known):
                continue
            known.append(plain)
            items[one.id] = replace(one, episode=replace(one.episode, constraints=rules))
        return items

    def _texts(self, about: Sequence[EpisodeItem]) -> list[str]:
        """Situations that have to be compared by what they are about."""
        rules = [rule for one in about if one.episode for rule in one.episode.constraints]
        acted = {action.tool for one in about if one.episode for action in one.episode.actions}
        return [
            rule["situation"]
            for rule in rules
            if rule["tool"] not in acted or self._traits.get(rule["tool"], Traits()).texts
        ]


def heed(
    ranked: Sequence[Ranked], found: Found, warnings: Warnings, now: datetime
) -> tuple[tuple[Ranked, ...], Found]:
    """What was found with its warnings first, and other failures as the records that they are.

    A failure that is not about to be repeated is no warning. Where something else is going to be
    tried, it and its turn are shown only if the question names the same id.
    """
    if not warnings.foreseen:
        return tuple(ranked), found
    items = {key: _as_record(item, warnings) for key, item in found.items.items()}
    found = replace(found, items={**items, **warnings.items})
    wanted = _ids(found.question.text)
    first = candidates_of(replace(found, items=warnings.items, facts={}), now)
    kept = [
        entry
        for entry in ranked
        if entry.candidate.id not in warnings.items
        and not _is_beside(items.get(entry.candidate.id), warnings, wanted)
    ]
    return (*(Ranked(candidate, 1.0, 1.0) for candidate in first), *kept), found


def _as_record(item: EpisodeItem, warnings: Warnings) -> EpisodeItem:
    """A failure that warns of nothing here."""
    if item.id in warnings.items or item.episode is None or not is_failure(item):
        return item
    return replace(item, episode=replace(item.episode, retired_by=NOT_HERE))


def _is_beside(item: EpisodeItem | None, warnings: Warnings, wanted: set[str]) -> bool:
    if item is None or item.turn_id not in warnings.beside:
        return False
    return not wanted & _ids(item.text)


def _ids(text: str) -> set[str]:
    return {one.normalised for one in pattern_entities(text) if one.kind == "id"}


def _without_situation(rules: Sequence[LessonConstraint]) -> tuple[LessonConstraint, ...]:
    """The rules as they act, so that the same lesson learned twice is shown once."""
    return tuple(LessonConstraint(**{**rule, "situation": ""}) for rule in rules)
