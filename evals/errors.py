"""What can go wrong around an evaluation.

EvalError
├── DataAbsent        files the evaluation reads are not there; nothing was measured
├── NotReady          something it runs is not installed or not part of this checkout
├── UnknownSet        there is no set of that name to play
├── NotForReading     a set is measured only; nobody may see what went wrong in it
└── EvaluationFailed  it ran, but could not be finished
"""

from collections.abc import Sequence
from pathlib import Path


class EvalError(Exception):
    """Base of the room's errors."""


class DataAbsent(EvalError):
    """Files the evaluation reads are not there."""

    def __init__(self, name: str, data: Path, missing: Sequence[str]) -> None:
        """Name the evaluation, the folder that was searched and what it lacks."""
        super().__init__(
            f"{name}: wanted {', '.join(missing)} in {data}, came nothing there. "
            "Point --data at the folder that holds them."
        )
        self.missing = tuple(missing)


class NotReady(EvalError):
    """Something an evaluation runs is not there."""


class UnknownSet(EvalError):
    """There is no set of that name to play."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        """Name the set and those that are there."""
        super().__init__(f"wanted a set ({', '.join(known)}), came {name!r}.")


class NotForReading(EvalError):
    """A set is measured only."""

    def __init__(self, name: str, readable: Sequence[str]) -> None:
        """Name the set and those that may be read."""
        super().__init__(
            f"what went wrong in {name!r} is not shown: a set that was read is no measure any "
            f"more. Readable are {', '.join(readable) or 'none'} (evals/data/desks)."
        )


class EvaluationFailed(EvalError):
    """An evaluation could not be finished."""
