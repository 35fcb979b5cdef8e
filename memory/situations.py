"""Whether a lesson is about what is going to be tried now: the same attempt in the same situation.

A recalled failure warns only before the same attempt. What is going to be tried comes from
somebody who foresees it; two attempts are in the same situation when they use the same tool, the
same of its choices and options, about the same kind of thing, and within the bounds that the lesson
itself names.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from memory.episodes import Action, Episode
from memory.fulltext import fold
from models.parameters import parameters_of
from state import LessonConstraint

Attempt: TypeAlias = tuple[str, Mapping[str, Any]]
"""A tool and the arguments it is going to be called with, as far as they can be foreseen."""
Alike: TypeAlias = Callable[[str, str], bool]
"""Whether two texts are about the same."""

_NAMED: Final = re.compile(r"\b(?:from|join|into|update)\s+([A-Za-z_][\w.]*)", re.IGNORECASE)
_BOUND: Final = re.compile(
    r"\b(?P<word>above|over|exceeding|beyond|more than|greater than|larger than|higher than"
    r"|at least|from|below|under|less than|smaller than|lower than|up to|at most)"
    r"\s+(?:the\s+|a\s+)?"
    r"(?:[€$£]|eur(?:os?)?\s|usd\s)?\s?(?P<value>\d[\d,]*(?:\.\d+)?)"
    r"(?!\d*[-/]\d)(?:\s?(?:[€$£%]|\w+))?",
    re.IGNORECASE,
)
_LOWER: Final = frozenset(
    {"above", "over", "exceeding", "beyond", "more than", "greater than", "larger than",
     "higher than", "at least", "from"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a tool's arguments.

    Attributes:
        learnable: Those that people may teach.
        defaults: Their values when nobody states them.
        choices: Those that take one of a few values.
        options: Those that name something and may be left out.
        texts: Those that take free text.
        code: Those that take a query or a program.
    """

    learnable: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    choices: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()


_OF_A_KIND: Final = {
    "choice": "choice", "flag": "choice", "id": "name", "name": "name", "day": "name",
    "month": "name", "text": "text", "code": "code",
}  # fmt: skip
_NOTE: Final = re.compile(r"(?:^|_)(?:reason|note|comment|message|justification)$|address")
"""Says something of a call and does not choose what it is about."""


def traits_of(parameters: Mapping[str, Any], learnable: Sequence[str] = ()) -> Traits:
    """What a tool's JSON schema says of its arguments; the learnable ones are left out of it."""
    properties: Mapping[str, Any] = parameters.get("properties", {})
    kinds = {
        one.name: "" if _NOTE.search(one.name) else _OF_A_KIND.get(one.kind, "")
        for one in parameters_of({"parameters": parameters})
        if one.name not in learnable
    }

    def those(kind: str) -> frozenset[str]:
        return frozenset(name for name, own in kinds.items() if own == kind)

    return Traits(
        learnable=tuple(learnable),
        defaults={name: one["default"] for name, one in properties.items() if "default" in one},
        choices=those("choice"),
        options=those("name") - {*parameters.get("required", ())},
        texts=those("text"),
        code=those("code"),
    )


def applicable(
    episode: Episode,
    question: str,
    attempts: Sequence[Attempt],
    traits: Mapping[str, Traits],
    alike: Alike,
) -> tuple[LessonConstraint, ...] | None:
    """The constraints of a failure that the attempts are about to break; None if it is no warning.

    An empty tuple is a warning without constraints: the very same attempt has failed before.

    Args:
        episode: The failure.
        question: What the user asks for now.
        attempts: What is going to be tried.
        traits: By tool.
        alike: Compares free texts.
    """
    if episode.retired_by:
        return None
    if not episode.constraints:
        same = any(
            repeats(action, attempt, traits) for action in episode.actions for attempt in attempts
        )
        return () if same else None
    found = tuple(
        rule
        for rule in episode.constraints
        if any(
            attempt[0] == rule["tool"]
            and breaks(rule, attempt[1], traits)
            and _within(episode.cause, attempt[1])
            and _same(episode, rule, question, attempt, traits, alike)
            for attempt in attempts
        )
    )
    return found or None


def breaks(
    rule: LessonConstraint, arguments: Mapping[str, Any], traits: Mapping[str, Traits]
) -> bool:
    """Whether arguments go against a lesson; what the user has stated is no breach."""
    given = _stated(rule["tool"], arguments, traits).get(rule["argument"])
    if rule["rule"] == "forbid":
        forbidden = fold(str(rule["value"]))
        return given is not None and (not forbidden or fold(str(given)) == forbidden)
    return given is None


def same_shape(
    tool: str,
    one: Mapping[str, Any],
    other: Mapping[str, Any],
    traits: Mapping[str, Traits],
) -> bool:
    """Whether two calls of a tool make the same choices and use the same of its options."""
    known = traits.get(tool, Traits())
    left, right = _stated(tool, one, traits), _stated(tool, other, traits)
    same_choices = all(left.get(name) == right.get(name) for name in known.choices)
    return same_choices and all((name in left) == (name in right) for name in known.options)


def _same(
    episode: Episode,
    rule: LessonConstraint,
    question: str,
    attempt: Attempt,
    traits: Mapping[str, Traits],
    alike: Alike,
) -> bool:
    """Whether an attempt is in the situation of the call that the lesson is about."""
    failed = [action for action in episode.actions if action.tool == rule["tool"]]
    if not failed:
        return alike(rule["situation"], question)
    return any(
        same_shape(attempt[0], action.arguments, attempt[1], traits)
        and _same_texts(action, attempt, traits, rule["situation"], question, alike)
        for action in failed
    )


def _same_texts(
    action: Action,
    attempt: Attempt,
    traits: Mapping[str, Traits],
    situation: str,
    question: str,
    alike: Alike,
) -> bool:
    """Whether code names the same tables, and free texts are about the same."""
    known = traits.get(action.tool, Traits())
    for name in known.code:
        before, now = str(action.arguments.get(name, "")), str(attempt[1].get(name, ""))
        if (before or now) and not _named(before) & _named(now):
            return False
    return not known.texts or alike(situation, question)


def _named(code: str) -> set[str]:
    """The tables or files that a piece of code names."""
    return {match.casefold() for match in _NAMED.findall(code)}


def repeats(action: Action, attempt: Attempt, traits: Mapping[str, Traits]) -> bool:
    """Whether an attempt is the very same call, as far as it can be foreseen."""
    if action.tool != attempt[0]:
        return False
    before = _stated(action.tool, action.arguments, traits)
    now = _stated(action.tool, attempt[1], traits)
    return bool(now) and all(fold(str(before.get(name))) == fold(str(now[name])) for name in now)


def _within(said: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the attempt's numbers are within a bound that the lesson names: "above 300 EUR"."""
    numbers = [
        float(value)
        for value in arguments.values()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if not numbers:
        return True
    for match in _BOUND.finditer(said):
        bound = float(match["value"].replace(",", ""))
        lower = " ".join(match["word"].casefold().split()) in _LOWER
        if not any(number >= bound if lower else number <= bound for number in numbers):
            return False
    return True


def _stated(
    tool: str, arguments: Mapping[str, Any], traits: Mapping[str, Traits]
) -> dict[str, Any]:
    """The arguments without those that are as if nobody had stated them."""
    defaults = traits.get(tool, Traits()).defaults
    return {
        name: value
        for name, value in arguments.items()
        if value not in (None, "") and value != defaults.get(name)
    }
