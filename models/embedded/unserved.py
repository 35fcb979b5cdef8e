"""Whether a request for records is for no tool there is, so that a guessed query serves better."""

from collections.abc import Callable
from typing import Final

from models.embedded.patterns import identifiers
from models.embedded.steps import Step

ASKS: Final = 0.7


def unserved(step: Step, lacks: Callable[[], bool]) -> bool:
    """Whether a step that asks for records is for no tool, or lacks what its tool needs.

    Args:
        step: one request.
        lacks: whether a value of the step's tool is missing.
    """
    if step.choice is None or step.choice.found.effect or step.look or step.repeats:
        return False
    reading = step.choice.reading
    if reading is None or reading.acts["records"] < ASKS or identifiers(step.text):
        return False
    return step.off_topic or step.unclear or step.choice.found.normative or lacks()
