"""The records an effect is about, as they were looked up in this turn."""

import json
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from models.embedded.fields import arguments_of
from models.embedded.lessons import Filling
from models.embedded.planning import Planner
from models.embedded.scene import Made, Scene
from models.embedded.steps import Step

_BASES: Final = ("amount", "total", "price", "paid", "sum")
_LEFT: Final = ("refundable", "remaining", "left", "balance", "open", *_BASES)
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
    """A share of the record's sum; of what is left of it for "the rest" and "in full"."""
    share = filling.share
    if share is None or share.share is None:
        return None
    for name in _LEFT if share.remaining else _BASES:
        value = record.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            exact = Decimal(str(value)) * share.share
            return exact.quantize(_CENT, ROUND_HALF_UP)
    return None
