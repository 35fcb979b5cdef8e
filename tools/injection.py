"""How much a text that tools return looks like instructions to the model that reads it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Suspicion:
    """From 0 (plain data) to 1, and the passage that stands out most."""

    score: float = 0.0
    passage: str = ""


Scan: TypeAlias = Callable[[str], Suspicion]


def no_scan(_: str) -> Suspicion:
    """Suspects nothing; for apps that switch the scan off."""
    return Suspicion()
