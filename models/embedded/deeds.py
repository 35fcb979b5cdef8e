"""The effect that a text is likely to want though no verb of it is known."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from models.embedded.classes import RequestClass
from models.embedded.demand import demands
from models.embedded.dues import may_demand
from models.embedded.likeness import Scores
from models.embedded.signs import complete, deed_shift
from models.embedded.words import stems

NEARER: Final = 0.05  # a paying effect than all others, so that it needs no known verb
CLEARLY: Final = 0.1  # nearer than all else, so that a text that wants a change wants this one


def likely_deed(classes: Sequence[RequestClass], plain: Scores, text: str) -> RequestClass | None:
    """The paying effect that a text is nearest to, where it names the record and one sum."""
    found = sorted((-score, at) for at, score in enumerate(plain) if classes[at].effect)
    looks = [score for one, score in zip(classes, plain, strict=True) if not one.effect]
    if not found or not looks:
        return None
    nearest = classes[found[0][1]]
    others = [classes[at] for _, at in found[1:]]
    rival = max(looks) if not others else max(*looks, -found[1][0])
    if not complete(nearest, text) or -found[0][0] - rival < NEARER:
        return None
    said = set(stems(text))
    if any(one.words & said or demands(text, one.deeds) for one in others):
        return None
    return nearest if may_demand(text, nearest.deeds) else None


def nearest_deed(classes: Sequence[RequestClass], scores: Scores) -> RequestClass | None:
    """The effect that a text is clearly nearer to than to all else, if there is one."""
    order = np.argsort(-scores)
    best = classes[int(order[0])]
    clear = len(order) == 1 or scores[order[0]] - scores[order[1]] >= CLEARLY
    return best if best.effect and clear else None


def deed_shifts(
    meant: Sequence[tuple[RequestClass, str]], likely: RequestClass | None, *, vetoed: bool
) -> Scores:
    """What a demand for its deed adds to the score of each class.

    Args:
        meant: each class with the text as it is meant there.
        likely: a class whose deed is wanted, whatever the words demand.
        vetoed: whether the text surely wants no change.
    """
    shifts = []
    for one, said in meant:
        demanded = not vetoed and (one is likely or demands(said, one.deeds))
        shifts.append(deed_shift(one, said, demanded=demanded))
    return np.asarray(shifts)
