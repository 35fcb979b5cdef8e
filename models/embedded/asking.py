"""What an expert asks the user for: a missing value, one of several, what a refused call lacks."""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from models.embedded.completing import answered
from models.embedded.guarding import earlier_meant, others_record, torn, unsure_sum
from models.embedded.lessons import Filling
from models.embedded.patterns import identifiers
from models.embedded.planning import Planner
from models.embedded.reference import points
from models.embedded.rendering import spoken
from models.embedded.reserving import reckoned, reserved
from models.embedded.scene import Scene
from models.embedded.steps import Step

_WANTED: Final = re.compile(r"\bpass `(\w+)`")
_UNDECIDED: Final = re.compile(r"ask which one is meant: ([^\"]+)\"")
_IN_STATE: Final = re.compile(r"\ban? (\w+) one needs an? (\w+)", re.IGNORECASE)
_ABOVE: Final = re.compile(r"\babove (\d+)\b[^.]*?\ban? (\w+) is (?:needed|required)", re.I)
_UNKNOWN: Final = re.compile(r"ask for the name")


def missing_values(step: Step, filling: Filling) -> str:
    """A question for the arguments that nobody stated, or for one of several records."""
    if filling.options:
        return f"Which one do you mean: {', '.join(filling.options[:6])}?"
    wanted = " and ".join(f"{one.spoken}" for one in filling.missing)
    given = ", ".join(str(value) for call in filling.calls[:1] for value in call.values())
    task = f"{spoken(step.tool or '')} ({given})" if given else spoken(step.tool or "")
    return f"To {task} I need the {wanted}. What is it?"


def needed_above(constraints: str, args: Mapping[str, Any]) -> str:
    """The argument that a tool needs from some value on and that was not given; else empty.

    Read off the tool's constraints: "Above 500 EUR a reason is needed".
    """
    for found in _ABOVE.finditer(constraints):
        most, name = float(found[1]), found[2].lower()
        sums = [value for value in args.values() if isinstance(value, int | float)]
        if not args.get(name) and any(value > most for value in sums):
            return name
    return ""


def needed_in_state(constraints: str, args: Mapping[str, Any]) -> list[tuple[str, str]]:
    """States of a record in which a tool needs an argument that was not given.

    Read off the tool's constraints: "a packed one needs a reason".

    Returns:
        The state and the argument's name.
    """
    found = [(one[1].lower(), one[2].lower()) for one in _IN_STATE.finditer(constraints)]
    return [(state, name) for state, name in found if not args.get(name)]


def doubted(text: str, deeds: Collection[str], filling: Filling, scene: Scene) -> str:
    """A question where a demand leaves open whose record or which sum is meant; else empty."""
    if not identifiers(text) and (name := others_record(text, deeds, scene.told())):
        return f"Which record of {name} do you mean? Please give me the id."
    if earlier_meant(text):
        return "Please give me the id: which record do you mean?"
    several = len(filling.calls) > 1
    named = filling.amount_name and any(filling.amount_name in one for one in filling.calls)
    if named and unsure_sum(text, deeds, several=several):
        return "Which amount do you mean?"
    return ""


def hindered(planner: Planner, step: Step, scene: Scene, filling: Filling, *, found: bool) -> str:
    """A question where a demanded effect lacks a value or leaves its record or sum open; or "".

    Args:
        planner: knows the app's language.
        step: the effect.
        scene: the prompt.
        filling: what could be read for it.
        found: whether its record was looked up in a list.
    """
    if filling.missing or filling.options:
        return missing_values(step, filling)
    deeds, name = planner.request(step, scene).deeds, spoken(step.tool or "")
    own = step.text.removeprefix(answered(step.text, scene, planner.lexicon))
    if torn(own, deeds):
        return f"Please give me the id: which one shall I {name}?"
    named = found or step.demanded or identifiers(step.text)
    if not (named or points(step.text, planner.lexicon.records, deeds)):
        return f"Please say which one: what shall I {name}?"
    return _doubt_of(planner, step, scene, filling) or doubted(step.text, deeds, filling, scene)


def _doubt_of(planner: Planner, step: Step, scene: Scene, filling: Filling) -> str:
    """A question where a demand has a reserve, such as another day or only a part of the record."""
    if step.fixed:
        return ""
    name, message = spoken(step.tool or ""), planner.request(step, scene).scene.user
    if filling.amount_name and reckoned(message):
        return "Which amount do you mean?"
    deeds, nouns = planner.request(step, scene).deeds, planner.lexicon.records
    priced = bool(filling.amount_name)
    doubt = reserved(step.text, message, filling.calls, deeds, nouns, priced=priced)
    if doubt == "now":
        return f"Shall I {name} now? Please say so, with the id."
    return f"Please give me the {doubt}: what exactly shall I {name}?" if doubt else ""


def above_needs(step: Step, name: str, args: Mapping[str, Any]) -> str:
    """A question for an argument that is needed for this value only."""
    given = ", ".join(str(value) for value in args.values())
    return f"To {spoken(step.tool or '')} ({given}) I need the {name}. What is it?"


def unclear(planner: Planner, step: Step, scene: Scene) -> str:
    """What the expert can do, and a question for what is needed."""
    expert = planner.experts[scene.expert]
    can = "; ".join(tool.description.rstrip(".") for tool in expert.tools[:6])
    return f"{expert.title} can do this: {can}. What exactly do you need, and for which record?"


def wanted(scene: Scene) -> list[str]:
    """Questions for what a refused call names in its hint: an argument, or one of several."""
    refused = [made.text for made in scene.made if not made.ok]
    names = [name for text in refused for name in _WANTED.findall(text)]
    choices = [found[1] for text in refused if (found := _UNDECIDED.search(text))]
    unknown = [text for text in refused if _UNKNOWN.search(text)]
    return [
        *(f"What is the {spoken(name)}?" for name in names),
        *(f"Which one do you mean: {choice}?" for choice in choices),
        *("Whom do you mean? Please give me the name or the id." for _ in unknown[:1]),
    ]
