"""Questions about the rules in one sentence as one search: "our hours, and do we speak French?"."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from models.embedded.frames import arguments_in
from models.embedded.patterns import identifiers
from models.embedded.scene import Scene
from models.embedded.speech import speech_act
from models.embedded.steps import Step

SURE_ACT: Final = 0.8


def searched_once(steps: Sequence[Step], whole: str, scene: Scene) -> list[Step]:
    """The steps, neighbours of one sentence that are for the same search as one.

    A question that is for no tool goes with the search before it.

    Args:
        steps: the requests of a message, in order.
        whole: the message.
        scene: the prompt, with the tools.
    """
    found: list[Step] = []
    for step in steps:
        last = found[-1] if found else None
        if last and _searches(last, scene) and _goes_with(step, last, whole):
            found[-1] = replace(last, text=f"{last.text} and {step.text}")
        else:
            found.append(step)
    return found


def search_instead(step: Step, scene: Scene, lacks: Callable[[], bool]) -> Step:
    """The step, or the search that its expert has for what the step lacks.

    "Which policy covers late fees?" names no policy, so the policies are searched.

    Args:
        step: a look-up.
        scene: the prompt, with the tools.
        lacks: whether a value of the step's tool is missing.
    """
    other = step.choice.runner_up if step.choice else None
    if other is None or other.tool not in scene.tools or other.expert != step.expert:
        return step
    needed = [one for one in arguments_in(scene, other.tool or "") if one.required]
    if [one.kind for one in needed] != ["query"] or not lacks():
        return step
    return replace(step, tool=other.tool)


def with_tool(step: Step, scene: Scene, tools: Sequence[str], *, named: bool) -> Step:
    """The step, or the look-up for what surely asks for rules or records and is for no tool.

    Args:
        step: a request.
        scene: the prompt, with the tools.
        tools: names of the tools of the step's expert.
        named: whether it names somebody, whose records can be listed.
    """
    reading = step.choice.reading if step.choice else None
    if step.tool is not None or reading is None:
        return step
    acts = {"query": reading.acts["rules"], "party": reading.acts["records"] if named else 0.0}
    for name in tools:
        needed = [one.kind for one in arguments_in(scene, name) if one.required]
        sure = acts.get(needed[0], 0.0) if len(needed) == 1 else 0.0
        if sure >= SURE_ACT:
            return replace(step, tool=name, confidence=max(step.confidence, sure))
    return step


def _searches(step: Step, scene: Scene) -> bool:
    """Whether a step is for a tool that needs only words to search for."""
    if step.off_topic or step.repeats is not None:
        return False
    needed = [one for one in arguments_in(scene, step.tool or "") if one.required]
    return bool(needed) and all(one.kind == "query" for one in needed)


def _goes_with(step: Step, last: Step, whole: str) -> bool:
    start, end = whole.find(last.text), whole.find(step.text)
    between = whole[start + len(last.text) : end]
    apart = start < 0 or end < start or any(mark in between for mark in ".?!")
    if apart or identifiers(step.text):
        return False
    asks = speech_act(step.text) == "question"
    return step.tool == last.tool or (asks and (step.tool is None or step.unclear))
