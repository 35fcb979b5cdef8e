"""What a filled request is, and how recalled lessons change it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from models.embedded.fields import Argument
from models.embedded.patterns import Amount
from state import LessonConstraint


@dataclass(frozen=True, slots=True)
class Filling:
    """What could be read for a tool.

    Attributes:
        calls: arguments, one mapping per call; those found so far when something is missing.
        missing: required arguments that nobody stated.
        share: a part of a sum that has to be looked up before `amount_name` is known.
        options: values of an id between which the user has to choose.
    """

    calls: tuple[dict[str, Any], ...]
    missing: tuple[Argument, ...] = ()
    share: Amount | None = None
    amount_name: str = ""
    options: tuple[str, ...] = ()
    derived: frozenset[str] = field(default_factory=frozenset)


def with_lessons(
    tool: str, arguments: Sequence[Argument], filling: Filling, lessons: Sequence[LessonConstraint]
) -> Filling:
    """The filling after recalled lessons have set or forbidden arguments of this tool."""
    calls, missing = [dict(call) for call in filling.calls], list(filling.missing)
    derived = set(filling.derived)
    for lesson in lessons:
        argument = next((one for one in arguments if one.name == lesson["argument"]), None)
        if lesson["tool"] != tool or argument is None:
            continue
        for call in calls:
            _apply(lesson, argument, call)
        if lesson["value"]:
            derived.add(str(lesson["value"]))
        needed = argument.required or lesson["rule"] == "require"
        missing = [one for one in missing if one.name != argument.name]
        if needed and any(argument.name not in call for call in calls):
            missing.append(argument)
    return replace(filling, calls=tuple(calls), missing=tuple(missing), derived=frozenset(derived))


def _apply(lesson: LessonConstraint, argument: Argument, call: dict[str, Any]) -> None:
    """Apply one lesson to one call; what the user said wins over a recalled value."""
    name, value = argument.name, lesson["value"]
    if lesson["rule"] == "forbid":
        if str(call.get(name, "")).casefold() == value.casefold() or not value:
            call.pop(name, None)
    elif name not in call and (typed := _typed(value, argument)) not in (None, ""):
        call[name] = typed


def _typed(value: str, argument: Argument) -> str | float | int | None:
    """A recalled value as the argument takes it; None when it does not."""
    if argument.kind == "choice":
        return next((one for one in argument.choices if one.casefold() == value.casefold()), None)
    try:
        if argument.kind == "amount":
            return float(value)
        if argument.kind == "count":
            return int(value)
    except ValueError:
        return None
    return value
