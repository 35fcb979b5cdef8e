"""Look-ups that a text asks again with other values."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from models.embedded.acting import reading_of
from models.embedded.acts import Reading
from models.embedded.chooser import Chooser
from models.embedded.continuing import Again
from models.embedded.demand import demands
from models.embedded.followup import asks_on
from models.embedded.frames import (
    Asked,
    arguments_in,
    asked,
    asked_together,
    cleared,
    goes_on,
    placed,
    repeatable,
)
from models.embedded.lessons import Filling
from models.embedded.lexicon import Lexicon
from models.embedded.names import names
from models.embedded.placing import done_before
from models.embedded.replying import REPEATED, searched_on
from models.embedded.scene import Scene
from models.embedded.steps import Step

SURELY_SAME: Final = 0.8
NOT_SAME: Final = 0.03


def step_again(again: Again, text: str, owner: str) -> Step:
    """The step that goes on with an earlier call, for the expert that owns its tool."""
    return Step(
        text=text,
        before="",
        expert=owner,
        tool=again.tool,
        confidence=REPEATED,
        in_scope=1.0,
        repeats=again.args,
        look=again.look,
        demanded=True,
        fixed=again.fixed,
    )


def again_looked_up(
    text: str,
    scene: Scene,
    chooser: Chooser,
    lexicon: Lexicon,
    fill: Callable[[Step, Scene], Filling],
) -> list[Step]:
    """Look-ups that the text asks again with other values; the last one, or "both".

    Args:
        text: one request.
        scene: the prompt.
        chooser: knows the deeds, and reads what the text does.
        lexicon: the app's language.
        fill: gives the calls of a step.
    """
    if scene.last is None or any(demands(text, one.deeds) for one in chooser.classes):
        return []
    titles = [part for title in lexicon.documents for part in title.split("-")]
    named = [*names(text, lexicon.common), *titles]
    together = asked_together(text, scene, named)
    reading = reading_of(text, scene, chooser)
    found: list[Step] = []
    for call in together or placed(text, scene) or repeatable(scene):
        tool, owner = lexicon.tools.get(call["name"], (None, ""))
        if tool is None or tool.name not in scene.tools:
            continue
        arguments = arguments_in(scene, tool.name)
        said = asked(text, arguments, named)
        last = tool.name == done_before(scene)
        if not _goes_on(text, said, lexicon.spoken_for_others(tool.name), reading, last=last):
            continue
        kept = {
            name: value
            for name, value in call["args"].items()
            if name not in cleared(text, arguments)
        }
        step = Step(text, "", owner, tool.name, REPEATED, 1.0, repeats=kept)
        if said.values or asks_on(text) or _differs(fill, step, call["args"], scene):
            found.append(step)
    if not found and (more := searched_on(text, scene, chooser, lexicon)):
        found = [more]
    return found if together else found[:1]


def _goes_on(
    text: str, said: Asked, spoken: Collection[str], reading: Reading | None, *, last: bool
) -> bool:
    """Whether a text asks an earlier look-up again: by its words, or the last as it is read."""
    if reading is None:
        return goes_on(text, said, spoken)
    if reading.same <= NOT_SAME:
        return False
    surely = last and reading.same >= SURELY_SAME and not said.foreign
    return surely or goes_on(text, said, spoken)


def _differs(
    fill: Callable[[Step, Scene], Filling], step: Step, args: Mapping[str, Any], scene: Scene
) -> bool:
    return any(call != args for call in fill(step, scene).calls)
