"""Messages that only reply: what their own words do not say, the last question does."""

from models.embedded.chooser import Chooser
from models.embedded.followup import asked_back
from models.embedded.lexicon import Lexicon
from models.embedded.scene import Scene
from models.embedded.steps import IN_SCOPE, Step


def reply(text: str, scene: Scene, chooser: Chooser) -> Step | None:
    """The step of a text that replies to the last answer's question; None without a question.

    Args:
        text: the reply; empty when it only acknowledges.
        scene: the prompt.
        chooser: compares the question with the experts' examples.
    """
    last = scene.last
    if last is None or not last["route"] or not asked_back(last):
        return None
    choice = chooser.choose_reply(text, last["answer"], last["route"][0])
    if choice is None:
        return None
    return Step(text, "", choice.found.expert, choice.found.tool, choice.confidence, 1.0, choice)


def addressed(step: Step, scene: Scene, chooser: Chooser, lexicon: Lexicon) -> Step:
    """The step, or its text as a reply where its own words are for no expert."""
    choice = step.choice
    if choice is None or step.look or choice.alone >= IN_SCOPE or lexicon.is_strange(step.text):
        return step
    return reply(step.text, scene, chooser) or step
