"""How recalled lessons change what is going to be called."""

from collections.abc import Sequence
from dataclasses import replace

from models.embedded.slots import Filling
from models.parameters import Parameter
from state import LessonConstraint


def with_lessons(
    tool: str,
    parameters: Sequence[Parameter],
    filling: Filling,
    lessons: Sequence[LessonConstraint],
) -> Filling:
    """The filling after recalled lessons have set, asked for or forbidden arguments of this tool.

    What the user said wins over a recalled value.
    """
    known = {one.name: one for one in parameters}
    for lesson in lessons:
        one, value = known.get(lesson["argument"]), lesson["value"]
        if lesson["tool"] != tool or one is None:
            continue
        said = filling.args.get(one.name)
        if lesson["rule"] == "forbid":
            if said is not None and (not value or str(said).casefold() == value.casefold()):
                args = {name: given for name, given in filling.args.items() if name != one.name}
                lacks = (one,) if one.required and one not in filling.missing else ()
                filling = replace(filling, args=args, missing=(*filling.missing, *lacks))
        elif said is None and (typed := _typed(value, one)) is not None:
            filling = filling.with_value(one.name, typed, "lesson")
        elif said is None and lesson["rule"] == "require" and one not in filling.missing:
            filling = replace(filling, missing=(*filling.missing, one))
    return filling


def _typed(value: str, parameter: Parameter) -> str | float | int | None:
    """A recalled value as the parameter takes it; None when it does not."""
    if not value:
        return None
    if parameter.kind == "choice":
        return next((one for one in parameter.choices if one.casefold() == value.casefold()), None)
    try:
        if parameter.kind in ("amount", "share", "count"):
            return int(value) if parameter.whole else float(value)
    except ValueError:
        return None
    return value
