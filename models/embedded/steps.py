"""One request of a message, as far as it could be understood."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from models.embedded.chooser import Choice
from models.embedded.patterns import amounts, identifiers
from models.embedded.selection import Look
from models.embedded.sums import plain_numbers

IN_SCOPE: Final = 0.5
SURE: Final = 0.3


@dataclass(frozen=True, slots=True)
class Step:
    """One request of a message.

    Attributes:
        before: the message up to this request.
        choice: the chooser's verdict; None for a repeated call.
        repeats: arguments of an earlier call that this one repeats with other values.
        look: an earlier result that has to be read before it is known what is meant.
        demanded: whether an effect was demanded by going on with an earlier one.
        fixed: whether `repeats` are all the arguments there are.
    """

    text: str
    before: str
    expert: str
    tool: str | None
    confidence: float
    in_scope: float
    choice: Choice | None = None
    repeats: Mapping[str, Any] | None = None
    look: Look | None = None
    demanded: bool = False
    fixed: bool = False

    @property
    def off_topic(self) -> bool:
        """Whether no expert is meant."""
        return self.in_scope < IN_SCOPE

    @property
    def unclear(self) -> bool:
        """Whether it is better to ask back than to act."""
        return self.tool is None or self.confidence < SURE


def merged(steps: Sequence[Step]) -> list[Step]:
    """The steps, one for a change that is asked for twice: "write it off then. Void it"."""
    found: list[Step] = []
    for step in steps:
        same = [one for one in found if one.choice and one.choice.found.effect]
        at = next((n for n, one in enumerate(found) if one in same and one.tool == step.tool), None)
        if at is None or not step.choice or identifiers(step.text.upper()) or _sums(step.text):
            found.append(step)
        else:
            found[at] = replace(found[at], text=f"{found[at].text}, {step.text}")
    return found


def _sums(text: str) -> bool:
    return bool(amounts(text) or plain_numbers(text))
