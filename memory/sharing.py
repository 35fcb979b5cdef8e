"""Sharing an episode with a team or the organisation, without its private details.

Whatever is shared goes through redaction first: patterns (addresses, phones, cards, accounts,
links) and names by entity type. The owner's original stays as it is.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from memory.entities import EntityFinder
from memory.episodes import EpisodeItem, Visibility
from memory.sql_episodes import SqlEpisodes
from state import Scope

PATTERNS: Final[Mapping[str, str]] = {
    "email": r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b",
    "link": r"\bhttps?://[^\s<>\"')]+",
    "account": r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b",
    "card": r"\b(?:\d[ -]?){13,19}\b",
    "phone": (
        r"(?<!\w)(?:\+\d[\d ()/.-]{6,18}\d|0\d{2,5}[ /.-]\d[\d -]{4,10}\d"
        r"|\(\d{2,5}\) ?\d{2,4}[ -]\d{3,5}|\d{3}-\d{3}-\d{4})(?![\w-])"
    ),
    "secret": r"\b(?:sk|pk|ghp|xox[bp])[-_][A-Za-z0-9_-]{12,}\b",
}
ENTITIES: Final = ("PERSON",)


@dataclass(frozen=True, slots=True)
class Redaction:
    """What is taken out of a text before others may read it: patterns by name, entity types."""

    patterns: Mapping[str, re.Pattern[str]]
    entities: frozenset[str]

    @classmethod
    def of(cls, patterns: Mapping[str, str], entities: Sequence[str]) -> "Redaction":
        """The shipped patterns and the app's own."""
        whole = {**PATTERNS, **patterns}
        return cls({name: re.compile(one) for name, one in whole.items()}, frozenset(entities))


@dataclass(frozen=True, slots=True)
class PromotionRule:
    """When an episode is shared without a person: as often successful, with whom."""

    visibility: Visibility
    team: str = ""
    least_successes: int = 1


class Sharing:
    """Promotes episodes, redacted; every call names the scope."""

    def __init__(
        self,
        episodes: SqlEpisodes,
        finder: EntityFinder,
        redaction: Redaction,
        rule: PromotionRule | None = None,
    ) -> None:
        """Bind the store.

        Args:
            episodes: Where items are.
            finder: Finds names; spaCy loads at the first promotion.
            redaction: What is taken out.
            rule: Which episodes are shared by rule; None shares none.
        """
        self._episodes = episodes
        self._finder = finder
        self._redaction = redaction
        self._rule = rule

    async def promote(
        self, scope: Scope, id: str, visibility: Visibility, team: str = ""
    ) -> EpisodeItem | None:
        """Share an own item, redacted; None if the scope's user has no such item.

        Raises:
            ValueError: the scope is not in the team, or the item would not get other readers.
        """
        handle = self._episodes.scoped(scope)
        found = await handle.get([id])
        if not found:
            return None
        clean = await asyncio.to_thread(redacted, found[0], self._redaction, self._finder)
        return await handle.promote(id, visibility, team, clean=clean)

    async def by_rule(self, scope: Scope, ids: Sequence[str]) -> list[str]:
        """Share those of the items that the rule names; return their ids."""
        rule = self._rule
        if rule is None or (rule.visibility == "team" and rule.team not in scope.teams):
            return []
        shared: list[str] = []
        for item in await self._episodes.scoped(scope).get(ids):
            private = item.kind == "episode" and item.visibility == "private"
            if private and item.successes >= rule.least_successes:
                copy = await self.promote(scope, item.id, rule.visibility, rule.team)
                shared += [item.id] if copy is not None else []
        return shared


def redacted(item: EpisodeItem, redaction: Redaction, finder: EntityFinder) -> EpisodeItem:
    """The item without private details; who it was about is gone, what was learned stays."""
    names = _names(item, redaction, finder)

    def clean(text: str) -> str:
        for name, pattern in redaction.patterns.items():
            text = pattern.sub(f"[{name}]", text)
        for name in names:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "[name]", text, flags=re.IGNORECASE)
        return text

    episode = item.episode
    if episode is not None:
        fields = ("situation", "observation", "topic", "lesson", "avoid", "cause", "alternative")
        texts: dict[str, Any] = {name: clean(getattr(episode, name)) for name in fields}
        episode = replace(
            episode,
            **texts,
            entities=tuple(dict.fromkeys(clean(one) for one in episode.entities)),
            actions=tuple(
                replace(
                    one,
                    arguments=_each(one.arguments, clean),
                    outcome=clean(one.outcome),
                )
                for one in episode.actions
            ),
            constraints=tuple(
                {**rule, "value": clean(rule["value"]), "situation": clean(rule["situation"])}
                for rule in episode.constraints
            ),
            turns=(),
            messages=(),
        )
    return replace(item, text=clean(item.text), actor="", episode=episode)


def _names(item: EpisodeItem, redaction: Redaction, finder: EntityFinder) -> list[str]:
    """Names of the types that are taken out, the longest first."""
    episode = item.episode
    texts = [item.text]
    if episode is not None:
        texts += [episode.situation, episode.observation, episode.cause, episode.lesson]
    found = {
        one.text
        for entities in finder.read(texts)
        for one in entities
        if one.label in redaction.entities
    }
    return sorted(found, key=lambda name: (-len(name), name))


def _each(value: Any, clean: Callable[[str], str]) -> Any:  # noqa: ANN401 - JSON
    """The JSON value with each of its texts cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {key: _each(one, clean) for key, one in value.items()}
    if isinstance(value, list):
        return [_each(one, clean) for one in value]
    return value
