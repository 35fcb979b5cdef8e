"""Which acts an app's classes of requests are asked for by, and what a reading says for each.

A tool with an effect is asked for by wanting a change: that is declared. What is asked of the
other tools is read off their own examples. A reading moves a class by its likelihood ratio: how
much likelier such a turn is among the class's requests than among all of the app's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from models.embedded.acts import ACTS, Act, ActReader, Reading
from models.embedded.classes import RequestClass
from models.embedded.likeness import Scores
from models.embedded.vectors import stored_rows

READ: Final = 6
"""Examples of a class that are read, once."""
DECLARED: Final = 0.9
"""Share of the requests for an effect that want a change; some only name the record."""
LEAST: Final = 0.02
LARGEST: Final = 3.0
"""Log likelihood ratio that a reading gives at most; readings are surer than they are right."""
_ASKING: Final[tuple[Act, ...]] = ("records", "rules", "change")
_ASIDE: Final[tuple[Act, ...]] = ("talk", "unrelated")


@dataclass(frozen=True, slots=True)
class Profiles:
    """How often each class is asked for by each act: (classes, acts), rows add up to 1."""

    classes: Sequence[RequestClass]
    shares: Scores

    def moved(self, reading: Reading, done: str) -> Scores:
        """Log likelihood ratio of each class, by the act and by going on with the last call.

        Args:
            reading: what the turn does.
            done: name of the tool that was called in the turn before.
        """
        asked = np.asarray([reading.acts[act] for act in _ASKING]) + LEAST
        ratio = self.shares @ (asked / asked.sum() / self.shares.mean(axis=0))
        same = np.asarray([one.tool is not None and one.tool == done for one in self.classes])
        found: Scores = np.clip(np.log(ratio), -LARGEST, LARGEST)
        return found + np.where(same, _log_odds(reading.same), 0.0) if same.any() else found


def profiles_of(
    classes: Sequence[RequestClass], reader: ActReader, folder: Path | None = None
) -> Profiles:
    """The profiles of an app's classes; blocks.

    Args:
        classes: the app's classes.
        reader: reads their examples.
        folder: where what it says of them is kept between starts.
    """
    texts = [texts_of(one) for one in classes]
    flat = [text for some in texts for text in some]
    read = iter(stored_rows(reader.name, len(ACTS), reader.shares, flat, folder) if flat else ())
    asking = [ACTS.index(act) for act in _ASKING]
    rows = []
    for one, some in zip(classes, texts, strict=True):
        wants = np.asarray([act == "change" for act in _ASKING])
        if one.effect:
            row = wants * DECLARED
        else:
            asked = [next(read)[asking] for _ in some]
            row = (np.mean(asked, axis=0) if asked else 1.0) * ~wants
        row = row + LEAST
        rows.append(row / row.sum())
    return Profiles(classes, np.asarray(rows, dtype=np.float64))


def texts_of(one: RequestClass) -> list[str]:
    """The examples of a class that are read: none of an effect's, whose act is declared."""
    step = max(1, len(one.examples) // READ)
    return [] if one.effect else list(one.examples[::step][:READ])


def aside(reading: Reading) -> float:
    """Log odds that a turn asks the app for nothing, at most `LARGEST`."""
    return _log_odds(sum(reading.acts[act] for act in _ASIDE))


def _log_odds(share: float) -> float:
    share = min(1 - 1e-6, max(1e-6, share))
    return float(np.clip(np.log(share / (1 - share)), -LARGEST, LARGEST))
