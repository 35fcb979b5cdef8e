"""Finds what a value says of the known ones of its slot: the same, the opposite, or their end.

A judge that was learned from pairs reads both values together; without one texts are compared by
their vectors, with a threshold that belongs to the embedder.
Addresses, numbers and dates are never compared by meaning: near is not the same.
"""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from memory.normalising import normalise
from memory.ranks import other_rank
from memory.same_values import (
    has_the_same_letters,
    language_of,
    may_mean_the_same,
    other_numbers,
    says_the_same,
    shared_words,
    spelled_alike,
    value_key,
)
from memory.slots import Slot
from models.embedding import Embedder
from models.errors import ModelError

THRESHOLDS: Final[Mapping[str, float]] = {"minilm": 0.75}
"""By embedder: what the cosine and the share of common words must reach together."""
WORDS_WEIGHT: Final = 0.1
ABROAD: Final = 0.05
"""Two wordings in different languages share no words and are less near."""
LEAST_NEAR: Final = 0.82
"""Cosine of the shipped embedder below which values are not compared: of labelled pairs that say
the same, or the opposite, 98 % and more are nearer in each slot."""
FEWEST_WORDS: Final = 2
"""Shorter texts are no wordings of each other: "tea" is near to "coffee"."""
LEAST_LIKELY: Final = 0.4
"""Probability from which a relation is taken for true."""
LEAST_LIKELY_ON_A_DAY: Final = 0.1
"""The same for two events of one stated day."""
LEAST_LIKELY_END: Final = 0.7
"""The same for a value that says nothing but that another holds no more."""
MOST_COMPARED: Final = 60
"""Known values of one slot, the nearest ones; each is judged twice."""
_LIKE: Final[Mapping[str, str]] = {"job": "role", "place": "location", "format": "report_format"}
_NAMES: Final = ("team", "employer", "responsible_for")

logger = logging.getLogger(__name__)


class Judge(Protocol):
    """Reads two values of a slot together."""

    def compare(self, slot: str, first: str, second: str) -> Mapping[str, float]:
        """Probabilities of how the second relates to the first.

        They are `same`, `other`, `opposite` (they cannot hold side by side) and `takes_back` (it
        says that the first holds no more).
        """


@dataclass(frozen=True, slots=True)
class Related:
    """What a value says of the known ones.

    Attributes:
        same: It says the same as these.
        ended: These cannot hold beside it, or it says that they hold no more.
        is_end: It says nothing but that.
    """

    same: frozenset[str] = frozenset()
    ended: frozenset[str] = frozenset()
    is_end: bool = False


NOTHING: Final = Related()


class NearValues:
    """Compares values of one slot."""

    def __init__(
        self, embedder: Embedder, threshold: float | None = None, judge: Judge | None = None
    ) -> None:
        """Use a judge, or the embedder alone.

        Args:
            embedder: What the app searches with.
            threshold: Of the embedder's cosines; None for the one it was calibrated to.
            judge: Fits the shipped embedder, by which the nearest values are found first.
        """
        self._embedder = embedder
        self._threshold = THRESHOLDS.get(embedder.name, 1.0) if threshold is None else threshold
        self._judge = judge

    async def of(
        self,
        slot: Slot,
        value: str,
        known: Sequence[str],
        same_day: frozenset[str] = frozenset(),
    ) -> Related:
        """How a value relates to the known ones; to none of them if the model does not work.

        Args:
            slot: Of the value and of the known ones.
            value: What is said now.
            known: What was said before.
            same_day: Those of the known ones that happened on the day of the value.
        """
        others = [one for one in known if one != value]
        if not others or not normalise(value):
            return NOTHING
        try:
            if self._judge is None:
                return Related(frozenset(await self._near(slot, value, others)))
            own = value_key(slot, value)
            other = [one for one in others if _like(slot) and value_key(slot, one) != own]
            near = await self._nearest(value, other)
            found = await asyncio.to_thread(_judged, self._judge, slot, value, near, same_day)
            is_known = any(value_key(slot, one) == own for one in known)
            return replace(found, is_end=False) if is_known else found
        except ModelError as error:
            logger.warning("a value is compared by its spelling alone: %s", error)
            return NOTHING

    async def _nearest(self, value: str, others: Sequence[str]) -> list[str]:
        """Of other values the nearest, as many as are compared."""
        if not others:
            return []
        vectors = np.asarray(await self._embedder.embed_passages([value, *others]))
        cosines = vectors[1:] @ vectors[0]
        order = np.argsort(-cosines, kind="stable")[:MOST_COMPARED]
        return [others[at] for at in order if cosines[at] >= LEAST_NEAR]

    async def _near(self, slot: Slot, value: str, others: Sequence[str]) -> Iterable[str]:
        if slot.type != "text" or len(normalise(value).split()) < FEWEST_WORDS:
            return ()
        others = [
            other
            for other in others
            if len(normalise(other).split()) >= FEWEST_WORDS and may_mean_the_same(value, other)
        ]
        if not others:
            return ()
        vectors = np.asarray(await self._embedder.embed_passages([value, *others]))
        near = vectors[1:] @ vectors[0]
        return (
            other
            for other, cosine in zip(others, near, strict=True)
            if cosine + WORDS_WEIGHT * shared_words(value, other) + _abroad(value, other)
            >= self._threshold
        )


def _judged(
    judge: Judge, slot: Slot, value: str, others: Sequence[str], same_day: frozenset[str]
) -> Related:
    worded = {one for one in others if _is_worded(slot, one, value)}
    likely = {one: _both_ways(judge, slot, one, value) for one in others if one not in worded}
    dated = same_day if slot.cardinality == "event" else frozenset[str]()
    least = dict.fromkeys(dated, LEAST_LIKELY_ON_A_DAY)
    same = {one for one, found in likely.items() if found["same"] >= least.get(one, LEAST_LIKELY)}
    same = worded | {one for one in same if not _set_apart(slot, one, value)}
    if slot.type != "text" or slot.cardinality == "event":
        return Related(frozenset(same))
    gone = {
        one: found["takes_back"]
        for one, found in likely.items()
        if found["opposite"] + found["takes_back"] >= LEAST_LIKELY
    }
    is_end = not same and max(gone.values(), default=0.0) >= LEAST_LIKELY_END
    return Related(frozenset(same), frozenset(gone), is_end)


def _is_worded(slot: Slot, one: str, other: str) -> bool:
    """Whether two values have the same words."""
    if slot.type == "job":
        return has_the_same_letters(one, other) or spelled_alike(one, other)
    if slot.type == "text":
        return has_the_same_letters(one, other) or says_the_same(one, other)
    return has_the_same_letters(one, other)


def _both_ways(judge: Judge, slot: Slot, first: str, second: str) -> Mapping[str, float]:
    """The mean of both orders, but for what takes back, which comes second."""
    found = judge.compare(_like(slot), first, second)
    turned = judge.compare(_like(slot), second, first)
    mean = {name: (found[name] + turned[name]) / 2 for name in found}
    return {**mean, "takes_back": found["takes_back"]}


def _set_apart(slot: Slot, one: str, other: str) -> bool:
    """Whether numbers or ranks tell two values apart; of an event one may leave out the day."""
    apart = other_numbers(one, other, partly=slot.cardinality == "event")
    return apart or (slot.type == "job" and other_rank(one, other))


def _like(slot: Slot) -> str:
    """The slot that the judge has learned which is most like it; empty if none is."""
    if slot.type == "text":
        return "milestone" if slot.cardinality == "event" else "preference"
    if slot.type == "name":
        return slot.name if slot.name in _NAMES else ""
    return _LIKE.get(slot.type, "language" if slot.type == "language" else "")


def _abroad(one: str, other: str) -> float:
    return ABROAD if language_of(one) != language_of(other) else 0.0
