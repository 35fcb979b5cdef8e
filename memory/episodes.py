"""What an episodic memory is, and the protocols its stores keep.

Rows in the SQL database are the truth (`EpisodeStore`); a `VectorIndex` only makes them findable by
meaning and can be rebuilt from them at any time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from state import LessonConstraint, Scope, derived_id

Kind = Literal["turn", "episode", "document"]
Visibility = Literal["private", "team", "organisation"]
Result = Literal["positive", "negative", "mixed", "none"]
Source = Literal["user", "agent", "tool", "document", "recalled"]


@dataclass(frozen=True, slots=True)
class Action:
    """One effect of an episode: what was tried and how it ended."""

    tool: str
    arguments: dict[str, Any]
    outcome: str


@dataclass(frozen=True, slots=True)
class Episode:
    """A set of actions that ended in a tangible result.

    An observation with its situation, never a procedure.

    Attributes:
        agent: The experts that acted, sorted.
        situation: What the user wanted, in the user's words.
        lesson: What it teaches, beyond what happened.
        avoid: For failures, what not to repeat.
        cause: Why it failed, in the words of who said so.
        alternative: What worked, or was asked for, instead.
        constraints: Lessons typed down to a tool's argument.
        turns: The turns it was made from.
        messages: The messages it was made from.
        retired_by: The later success that contradicts it; it warns no more.
    """

    agent: tuple[str, ...]
    situation: str
    actions: tuple[Action, ...]
    observation: str
    topic: str = ""
    entities: tuple[str, ...] = ()
    lesson: str = ""
    avoid: str = ""
    cause: str = ""
    alternative: str = ""
    constraints: tuple[LessonConstraint, ...] = ()
    turns: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    retired_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeItem:
    """An item of the episodic index; its scope is the handle's it was written through.

    Attributes:
        id: Derived from what it is about, so that writing twice writes once.
        text: What is searched and quoted.
        result: How it ended; `none` when nothing was done.
        position: The turn's index in its thread.
        actor: Who spoke, for questions that name a speaker.
        source: Who the text comes from.
        occurred_at: Event time.
        team: The team that may read it, when visibility is `team`.
        origin: The id of the item it is a promoted copy of; empty for an original.
    """

    id: str
    kind: Kind
    text: str
    thread: str
    turn_id: str
    occurred_at: datetime
    position: int = 0
    actor: str = ""
    domain: str = ""
    operation: str = ""
    result: Result = "none"
    source: Source = "user"
    visibility: Visibility = "private"
    team: str = ""
    episode: Episode | None = None
    recorded_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    uses: int = 0
    successes: int = 0
    origin: str = ""


def searchable(actor: str, text: str) -> str:
    """What both indexes hold of an item: its text, after who spoke."""
    return f"{actor}: {text}" if actor else text


@dataclass(frozen=True, slots=True)
class TextMatch:
    """An item found by full text; `score` is BM25, higher is better."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class WordFits:
    """How given items fit a question by words, whether full text found them or not.

    Attributes:
        weights: Rarity of each of the question's terms in what the scope can read.
        unknown: Rarity of a term that does not occur there.
        scores: BM25 by item id.
        terms: An item's distinct terms.
    """

    weights: Mapping[str, float]
    unknown: float
    scores: Mapping[str, float]
    terms: Mapping[str, frozenset[str]]


def item_id(
    scope: Scope,
    thread: str,
    turn_id: str,
    kind: Kind,
    *,
    visibility: Visibility = "private",
    team: str = "",
) -> str:
    """The id of a turn's item or episode: the same in every process and at every retry.

    What is shared has an id for each group of readers: one group's copy can be forgotten alone.
    """
    prefix = {"turn": "turn", "episode": "epi", "document": "doc"}[kind]
    readers = () if visibility == "private" else (visibility, team)
    return derived_id(prefix, scope.tenant, thread, turn_id, kind, *readers)


def audience_of(scope: Scope, visibility: Visibility = "private", team: str = "") -> str:
    """The key of exactly those who may read an item; hashed, so no name can forge another's.

    Raises:
        ValueError: visibility is `team` and the scope is not a member of the team.
    """
    if visibility == "team" and team not in scope.teams:
        message = f"wanted a team of {scope.user!r} ({', '.join(scope.teams)}), got {team!r}"
        raise ValueError(message)
    reader = {"private": scope.user, "team": team, "organisation": ""}[visibility]
    return derived_id("aud", visibility, scope.tenant, reader)


def readable_audiences(scope: Scope) -> tuple[str, ...]:
    """Every audience the scope belongs to: itself, its teams, its organisation."""
    teams = sorted(set(scope.teams))
    return (
        audience_of(scope),
        *(audience_of(scope, "team", team) for team in teams),
        audience_of(scope, "organisation"),
    )


class EpisodeHandle(Protocol):
    """The items one scope may read and write; no method takes another scope."""

    async def add(self, items: Sequence[EpisodeItem]) -> int:
        """Store items whose id is new, even a forgotten one's; return how many were new."""

    async def get(self, ids: Sequence[str]) -> list[EpisodeItem]:
        """The readable items among the ids, in the order asked for."""

    async def search_text(self, query: str, limit: int) -> list[TextMatch]:
        """The best readable items by full text."""

    async def fit_words(self, query: str, ids: Sequence[str]) -> WordFits:
        """How the readable items among the ids fit a question by words."""

    async def around(self, items: Sequence[EpisodeItem], reach: int) -> list[EpisodeItem]:
        """The readable items within `reach` positions of the given ones in their threads."""

    async def actors(self) -> list[str]:
        """Who has spoken in what the scope can read, sorted."""

    async def recent(self, limit: int) -> list[EpisodeItem]:
        """The readable items, newest event first."""

    async def failures(self, limit: int) -> list[EpisodeItem]:
        """The readable failures that nothing contradicts yet, newest event first."""

    async def count(self) -> int:
        """How many items the scope can read."""

    async def is_empty(self) -> bool:
        """Whether the scope can read nothing; cheap, unlike `count`."""

    async def mark_used(self, ids: Sequence[str]) -> int:
        """Count one more recall of each readable item; return how many were counted."""

    async def forget(self, ids: Sequence[str]) -> int:
        """Erase own items, leaving text-free tombstones; return how many were erased."""

    async def forget_turn(self, thread: str, turn_id: str) -> int:
        """Erase what one of the scope's turns left; return how many items were erased."""


class EpisodeStore(Protocol):
    """Opens handles; there is no access without a scope."""

    def scoped(self, scope: Scope) -> EpisodeHandle:
        """The items of one scope."""
