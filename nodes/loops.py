"""When an expert goes round in circles: one call again, two in turn, or nothing new for long.

Pure: what is looked at is the skeleton of its calls. A circle is first told to the model as the
result of its calls; when it goes on all the same, its part ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from configs.sections import LimitSettings
from state import CallRecord

HINT: Final = "not run, you are going round in circles: "
_ADVICE: Final = (
    "Use what you have, try another way, or end with what you know and what is missing."
)
_USEFUL: Final = ("ok", "responded")


@dataclass(frozen=True, slots=True)
class Loops:
    """What counts as a circle.

    Attributes:
        window: how many calls are looked back on.
        repeats: how often a call may stand in the window before it is made once more.
        no_progress_steps: steps in a row without a result that was not there before.
    """

    window: int = 5
    repeats: int = 2
    no_progress_steps: int = 4

    @classmethod
    def of(cls, limits: LimitSettings) -> "Loops":
        """As configured."""
        return cls(limits.loop_window, limits.loop_repeats, limits.no_progress_steps)


@dataclass(frozen=True, slots=True)
class Made:
    """A call that has been made: the same key for the same tool and arguments."""

    key: str
    useful: bool


def circle(made: Sequence[Sequence[Made]], asked: Sequence[str], loops: Loops) -> str:
    """What kind of circle the next calls would close, as the end of a sentence; empty for none.

    Args:
        made: the steps so far.
        asked: keys of the calls of the next step.
        loops: what counts as a circle.
    """
    keys = [call.key for step in made for call in step]
    recent = keys[-loops.window :]
    if all(recent.count(key) >= loops.repeats for key in asked):
        return "the same call came again and again"
    if _alternates([*keys, *asked][-4:]):
        return "the same two calls came in turn"
    if _without_progress(made) >= loops.no_progress_steps:
        return f"{loops.no_progress_steps} steps in a row brought nothing new"
    return ""


def hint(reason: str) -> str:
    """What the model reads as the result of each call that would close a circle."""
    return f"{HINT}{reason}. {_ADVICE}"


def was_hinted(rounds: Sequence[Sequence[CallRecord]]) -> bool:
    """Whether the model has been told before."""
    return any(record["note"].startswith(HINT) for records in rounds for record in records)


def is_useful(record: CallRecord) -> bool:
    """Whether a call brought a result that can be worked with."""
    return record["status"] in _USEFUL


def _alternates(last: Sequence[str]) -> bool:
    if len(last) < 4:
        return False
    first, second, third, fourth = last
    return first == third and second == fourth and first != second


def _without_progress(made: Sequence[Sequence[Made]]) -> int:
    """Steps at the end of which none had a useful result that was new."""
    seen, steps = set[str](), 0
    for step in made:
        new = {call.key for call in step if call.useful} - seen
        steps = 0 if new else steps + 1
        seen |= new
    return steps
