"""What can go wrong around an evaluation.

EvalError
├── DataAbsent        files the evaluation reads are not there; nothing was measured
├── NotReady          something it runs is not installed or not part of this checkout
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


class EvaluationFailed(EvalError):
    """An evaluation could not be finished."""
