"""Pairs of values labelled with how the second relates to the first, and variants of them.

`evals/same_values.jsonl` has one pair a line, written for this by people who had seen no judge.
"""

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from models.statements.comparing import Relation

FILE: Final = Path(__file__).parent / "same_values.jsonl"
TURNED: Final = 0.5
SMALL: Final = 0.2
SLIP: Final = 0.1
UNMARKED: Final = 0.2
APART: Final = 0.15
"""How many pairs of unrelated values there are for each labelled pair."""
_LONG: Final = 6
"""Letters of a word in which a slip does not make another word."""
_NAMED: Final = frozenset({"preferred_name", "employer", "location", "responsible_for"})
"""A slip may make another name of a name."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two values of a slot, one after the other."""

    author: str
    slot: str
    first: str
    second: str
    relation: Relation


def load_pairs(file: Path = FILE) -> list[Pair]:
    """All pairs of the file."""
    with file.open(encoding="utf-8") as lines:
        return [Pair(**json.loads(line)) for line in lines if line.strip()]


def drawn(pairs: Sequence[Pair], chance: random.Random) -> list[Pair]:
    """One round: each pair in some spelling, and unrelated values of the same slot."""
    by_slot: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_slot[pair.slot].append(pair)
    found = []
    for pair in pairs:
        found.append(_respelled(pair, chance))
        if chance.random() < APART:
            other = chance.choice(by_slot[pair.slot])
            if other is not pair:
                unrelated = replace(pair, second=other.second, relation="other")
                found.append(_respelled(unrelated, chance))
    return found


def _respelled(pair: Pair, chance: random.Random) -> Pair:
    first, second = pair.first, pair.second
    if pair.relation != "takes_back" and chance.random() < TURNED:
        first, second = second, first
    if chance.random() < SMALL:
        second = second.lower()
    if chance.random() < UNMARKED:
        second = second.replace("'", "")
    if pair.slot not in _NAMED and chance.random() < SLIP:
        second = slipped(second, chance)
    return replace(pair, first=first, second=second)


def slipped(text: str, chance: random.Random) -> str:
    """A letter left out, doubled or swapped with the next in one longer word."""
    words = text.split()
    long = [at for at, word in enumerate(words) if len(word) >= _LONG and word.isalpha()]
    if not long:
        return text
    at = chance.choice(long)
    word, place = words[at], chance.randrange(1, len(words[at]) - 1)
    kind = chance.randrange(3)
    if kind == 0:
        word = word[:place] + word[place + 1 :]
    elif kind == 1:
        word = word[:place] + word[place] + word[place:]
    else:
        word = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return " ".join([*words[:at], word, *words[at + 1 :]])
