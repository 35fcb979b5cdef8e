"""Pairs of statements with what a memory should hold after both: tuned on, or blind.

`evals/write_pairs.jsonl` has one pair a line. `count` is how many values are current after the
pair, in its slots together; `retired` are values that were current and are no more. `or` lists
what is expected in other fair readings, with the keys that differ.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from memory.normalising import normalise

FILE: Final = Path(__file__).parent / "write_pairs.jsonl"
Half = Literal["tune", "blind"]
CLASSES: Final = (
    "new",
    "duplicate",
    "paraphrase",
    "contradiction",
    "additive",
    "recurrence",
    "other_subject",
    "other_language",
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a user said, and when."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements, sometimes with one between, and what should be known after them.

    Attributes:
        current: By slot, the values that hold.
        retired: Values of the first slot that hold no more.
        count: Current values in all slots of the pair.
        others: Other readings that are as fair: a wish taken back or turned into its denial, two
            things as one value or as two.
    """

    id: str
    half: Half
    kind: str
    said: tuple[Spoken, ...]
    slot: str
    current: Mapping[str, Sequence[str]]
    retired: tuple[str, ...]
    count: int
    others: tuple["Pair", ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether both statements say one thing."""
        alone = self.count == 1 and not self.retired and len(self.current.get(self.slot, ())) == 1
        return self.kind in ("duplicate", "paraphrase") or (self.kind == "other_language" and alone)

    @property
    def keeps_first(self) -> bool:
        """Whether something was said first of the user, and still holds."""
        if self.kind == "other_subject":
            first = normalise(self.said[0].text)
            return any(normalise(one) in first for one in self.current.get(self.slot, ()))
        return self.is_same or self.kind in ("new", "additive")


def load_pairs(file: Path = FILE) -> list[Pair]:
    """All pairs of the file."""
    with file.open(encoding="utf-8") as lines:
        return [read_pair(json.loads(line)) for line in lines if line.strip()]


def read_pair(found: Mapping[str, Any]) -> Pair:
    """One line of the file."""
    expect = found["expect"]
    current = {found["slot"]: tuple(expect["current"])} if found["slot"] else {}
    if found.get("second_slot"):
        current[found["second_slot"]] = tuple(found["second_current"])
    said = [found[name] for name in ("first", "middle", "second") if found.get(name)]
    return Pair(
        id=found["id"],
        half=found["half"],
        kind=found["class"],
        said=tuple(Spoken(one["text"], datetime.fromisoformat(one["at"])) for one in said),
        slot=found["slot"],
        current=current,
        retired=tuple(expect["retired"]),
        count=expect["count"],
        others=tuple(read_pair({**found, "or": (), **other}) for other in found.get("or", ())),
    )
