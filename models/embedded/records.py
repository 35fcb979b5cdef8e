"""The records an effect is about, as they were looked up in this turn."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from itertools import takewhile
from typing import Any, Final

from models.embedded.fields import arguments_of
from models.embedded.lessons import Filling
from models.embedded.patterns import identifiers
from models.embedded.planning import Planner
from models.embedded.scene import Made, Scene
from models.embedded.steps import Step

_BASES: Final = ("amount", "total", "price", "paid", "sum")
_LEFT: Final = ("refundable", "remaining", "left", "balance", "open", *_BASES)
_REASON: Final = "reason"
_PAID: Final = ("paid", "payments", "received")
Call = tuple[str, dict[str, Any], bool]
"""Tool, arguments, and whether it is an effect."""

_CENT: Final = Decimal("0.01")


def look_ups(planner: Planner, step: Step, scene: Scene) -> list[tuple[str, list[str]]]:
    """Read-only tools of the step's expert that need nothing but ids the effect has too."""
    own = {one.name for one in arguments_of(scene.tools[step.tool or ""]["parameters"])}
    found = []
    for tool in planner.experts[step.expert].tools:
        if tool.effect == "read_only" and tool.name in scene.tools:
            arguments = arguments_of(scene.tools[tool.name]["parameters"])
            needed = [one for one in arguments if one.required]
            if needed and all(one.kind == "id" and one.name in own for one in needed):
                found.append((tool.name, [one.name for one in needed]))
    return found


def find(scene: Scene, name: str, args: Mapping[str, Any]) -> Made | None:
    """The call as it was made in this turn; the tool may have filled in defaults."""
    for made in scene.made:
        if made.name == name and all(made.args.get(key) == args[key] for key in args):
            return made
    return None


def without(scene: Scene, tool: str) -> Scene:
    """The scene without a tool's results of this turn: a call is not read off its own answer."""
    return replace(scene, made=tuple(made for made in scene.made if made.name != tool))


def proposed(scene: Scene, name: str, args: Mapping[str, Any]) -> bool:
    """Whether an effect on the same record was put to a person already, as it was or edited."""
    ids = [
        one.name
        for one in arguments_of(scene.tools[name]["parameters"])
        if one.kind == "id" and one.name in args
    ]
    return find(scene, name, {key: args[key] for key in ids}) is not None


def record_in(text: str) -> dict[str, Any] | None:
    """The object in a result; one that is read again has a line of its own before it."""
    try:
        value = json.loads(text[max(0, text.find("{")) :])
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def part(record: Mapping[str, Any], filling: Filling) -> Decimal | None:
    """A share of the record's sum; of what is left of it for "the rest" and "in full".

    None where the record does not tell what the share is of: "a fifth of the workshop", or "half"
    of what was paid only in part.
    """
    share = filling.share
    if share is None or share.share is None or share.base == "other":
        return None
    names = {"paid": _PAID, "left": _LEFT}.get(share.base, _LEFT if share.remaining else _BASES)
    known = [value for name in names if (value := _value(record, name)) is not None]
    bare = share.base == "" and not share.remaining
    if not known or (bare and _open_to_doubt(record)):
        return None
    return (known[0] * share.share).quantize(_CENT, ROUND_HALF_UP)


def _open_to_doubt(record: Mapping[str, Any]) -> bool:
    """Whether a bare share may be of several sums: what was paid or is left is not the whole."""
    names = ("amount", "total", "price", "paid", "refundable", "remaining")
    return len({value for name in names if (value := _value(record, name)) is not None}) > 1


def _value(record: Mapping[str, Any], name: str) -> Decimal | None:
    value = record.get(name)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return Decimal(str(value)) if number else None


def next_calls(scene: Scene, calls: Sequence[Call]) -> list[tuple[str, dict[str, Any]]]:
    """The first open calls of one kind: what comes after an effect waits for it."""
    open_calls = [
        (name, args, effect)
        for name, args, effect in calls
        if not (proposed(scene, name, args) if effect else find(scene, name, args))
    ]
    kind = open_calls[0][2] if open_calls else False
    batch = [(name, args) for name, args, _ in takewhile(lambda one: one[2] == kind, open_calls)]
    return [call for at, call in enumerate(batch) if call not in batch[:at]]


def rival_of(calls: Sequence[Call], name: str, args: Mapping[str, Any]) -> Call | None:
    """The same effect on the same record, asked for in another part of the message."""
    ids = _ids_of(args)
    return next(
        (call for call in calls if call[0] == name and call[2] and ids & _ids_of(call[1])), None
    )


def _ids_of(args: Mapping[str, Any]) -> set[str]:
    """Ids that an effect is about; a reason may tell of other records too."""
    said = " ".join(str(value) for name, value in args.items() if name != _REASON)
    return {one.text for one in identifiers(said)}


def differs(call: Call, args: Mapping[str, Any]) -> bool:
    """Whether an effect has other values than a call, its reason left aside."""
    own, other = ({k: v for k, v in one.items() if k != _REASON} for one in (call[1], args))
    return own != other
