"""One request of a message, as far as it could be understood."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from models.embedded.chooser import Choice
from models.embedded.patterns import amounts, identifiers
from models.embedded.selection import Look
from models.embedded.speech import is_request, opens_request, speech_act, states
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
    def sure(self) -> bool:
        """Whether an effect was demanded."""
        return self.demanded or bool(self.choice and self.choice.demanded)

    @property
    def unclear(self) -> bool:
        """Whether it is better to ask back than to act."""
        return self.tool is None or self.confidence < SURE


def merged(steps: Sequence[Step]) -> list[Step]:
    """The steps, one for what is asked for twice: "write it off then. Void it"."""
    found: list[Step] = []
    for step in steps:
        at = next((n for n, one in enumerate(found) if _same(one, step)), None)
        if at is None:
            found.append(step)
        else:
            found[at] = replace(found[at], text=f"{found[at].text}, {step.text}")
    return found


def with_remarks(steps: Sequence[Step]) -> list[Step]:
    """The steps, remarks beside a demanded effect with it: "void INV-1046. Wrong VAT number."."""
    found: list[Step] = []
    for step in steps:
        if found and _demanded(found[-1]) and _remark(step):
            found[-1] = replace(found[-1], text=f"{found[-1].text} {step.text}")
        elif found and _demanded(step) and (_remark(found[-1]) or _tells_of(found[-1], step)):
            found[-1] = replace(step, text=f"{found[-1].text} {step.text}")
        else:
            found.append(step)
    return found


def _demanded(step: Step) -> bool:
    return bool(step.choice and step.choice.demanded)


def _remark(step: Step) -> bool:
    """Whether a step is for no tool and asks nothing."""
    asks = speech_act(step.text) == "question" or is_request(step.text)
    asks = asks or opens_request(step.text)
    return (step.off_topic or step.unclear) and not asks and not _ids(step)


def _tells_of(told: Step, demanded: Step) -> bool:
    """Whether a step only tells what was done with the record that the next one demands to change.

    "INV-1033 was voided but it was correct after all.. reopen it".
    """
    effect = told.choice is not None and told.choice.found.effect and not told.sure
    return effect and states(told.text) and not told.text.endswith("?") and not _ids(demanded)


def _same(first: Step, second: Step) -> bool:
    """Whether two requests for a tool are one: only one of them has a record and a sum."""
    if first.tool is None or first.tool != second.tool or not (first.choice and second.choice):
        return False
    if first.choice.found.effect:
        return not (_ids(second) or amounts(second.text) or plain_numbers(second.text))
    return first.choice.found.anchored and len({bool(_ids(first)), bool(_ids(second))}) == 2


def _ids(step: Step) -> bool:
    return bool(identifiers(step.text.upper()))
