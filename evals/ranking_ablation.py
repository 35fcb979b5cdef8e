"""The ranking with each of its signals off, over what one search has found."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final

from memory.candidates import Candidate, Place
from memory.ranking import Weights, collapse_twins, rank
from memory.searching import Found
from memory.weighing import candidates_of

Change = Callable[[Weights], Weights]
Blind = Callable[[Candidate], Candidate]

ABLATIONS: Final[dict[str, tuple[Change, Blind]]] = {
    "vectors": (lambda weights: weights, lambda found: replace(found, cosine=None)),
    "words": (lambda weights: replace(weights, cosine=1.0, lexical=0.0), lambda found: found),
    "neighbours": (lambda weights: weights, lambda found: replace(found, place=Place())),
    "speaker": (lambda weights: weights, lambda found: replace(found, by_speaker=False)),
    "names": (lambda weights: replace(weights, names=0.0), lambda found: found),
    "recency": (lambda weights: replace(weights, recency=0.0), lambda found: found),
    "twins collapsed": (lambda weights: weights, lambda found: replace(found, terms=frozenset())),
}


def orders(found: Found, now: datetime, half_life_days: float) -> Iterator[tuple[str, list[str]]]:
    """The name of each signal with the ranking's ids without it."""
    candidates = candidates_of(found, now)
    weights = Weights(half_life_days=half_life_days)
    for name, (change, blind) in ABLATIONS.items():
        blinded = [blind(candidate) for candidate in candidates]
        ranked = collapse_twins(rank(blinded, change(weights)))
        yield name, [entry.candidate.id for entry in ranked]
