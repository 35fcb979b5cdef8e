"""Pure ranking: hybrid relevance in its context, recency, frequency, twins and budget fill.

hybrid = .7 cosine + .3 BM25, each normalised over the union of both candidate lists; blended with
what stands around (`memory.nearby`) and with who spoke it is the relevance. score = .9 relevance
+ .1 recency, recency = 2^(-age/half-life), plus a bounded frequency term.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from memory.candidates import Candidate
from memory.nearby import REACH, in_context

TWIN_OVERLAP: Final = 0.95
COMPARED: Final = 60


@dataclass(frozen=True, slots=True)
class Weights:
    """The mixture.

    Attributes:
        context: Part of the relevance that comes from around the item.
        speaker: Part of the relevance that is won by whom the question is about.
        names: Part of the relevance that is won by mentioning the question's names and ids.
        recency: Part of the score; the seed's .3 cost .02 of recall on LoCoMo and more on BEAM.
        success: Bounds what is added for an item that helped, or taken off one that did not.
        topic: Added for the open topic's domain.
    """

    cosine: float = 0.7
    lexical: float = 0.3
    context: float = 0.5
    speaker: float = 0.15
    names: float = 0.2
    recency: float = 0.1
    half_life_days: float = 365.0
    frequency: float = 0.05
    success: float = 0.1
    topic: float = 0.05
    kinds: Mapping[str, float] = field(default_factory=dict)

    def of_kind(self, kind: str) -> float:
        """The factor on a kind's score; 1 unless set."""
        return self.kinds.get(kind, 1.0)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its scores; `twins` counts near-copies, of other events, it stands for."""

    candidate: Candidate
    relevance: float
    score: float
    twins: int = 0


def recency(age_days: float, half_life_days: float) -> float:
    """Weight of an item by age: 1 when new, halved every `half_life_days`."""
    return float(2.0 ** (-max(age_days, 0.0) / half_life_days))


def frequency(uses: int) -> float:
    """Bounded weight of earlier use: 0 when never recalled, towards 1 with many recalls."""
    return 1.0 - 1.0 / (1.0 + max(uses, 0))


def helpfulness(successes: int) -> float:
    """Bounded weight of how often it helped, less how often it was called bad: -1 to 1."""
    return successes / (1.0 + abs(successes))


def normalised(values: Sequence[float]) -> list[float]:
    """Each value's place between the smallest and the largest, 0 to 1; 1 for all if equal."""
    if not values:
        return []
    low, high = min(values), max(values)
    if high - low < 1e-12:
        return [1.0 if high > 0.0 else 0.0] * len(values)
    return [(value - low) / (high - low) for value in values]


def hybrid(candidates: Sequence[Candidate], weights: Weights) -> list[float]:
    """Relevance of each candidate within the union; by words alone where cosines are missing.

    A candidate without a cosine beside others that have one takes the lowest of them.
    """
    lexical = normalised([candidate.lexical for candidate in candidates])
    cosines = [candidate.cosine for candidate in candidates if candidate.cosine is not None]
    if not cosines:
        return lexical
    lowest = min(cosines)
    semantic = normalised(
        [lowest if candidate.cosine is None else candidate.cosine for candidate in candidates]
    )
    total = weights.cosine + weights.lexical
    return [
        (weights.cosine * near + weights.lexical * word) / total
        for near, word in zip(semantic, lexical, strict=True)
    ]


def relevance(candidates: Sequence[Candidate], weights: Weights) -> list[float]:
    """The hybrid blended with its context, and with the names that the question gives."""
    places = [candidate.place for candidate in candidates]
    blended = in_context(hybrid(candidates, weights), places, REACH, weights.context)
    speaker = weights.speaker if any(one.by_speaker for one in candidates) else 0.0
    names = weights.names if any(one.name_share for one in candidates) else 0.0
    return [
        (1.0 - speaker - names) * value + speaker * one.by_speaker + names * one.name_share
        for value, one in zip(blended, candidates, strict=True)
    ]


def rank(candidates: Sequence[Candidate], weights: Weights) -> list[Ranked]:
    """All candidates, best first; equal scores are ordered by id, so the order is total."""
    ranked = []
    for candidate, relevant in zip(candidates, relevance(candidates, weights), strict=True):
        aged = weights.recency * recency(candidate.age_days, weights.half_life_days)
        score = (1.0 - weights.recency) * relevant + aged
        score += weights.frequency * frequency(candidate.uses)
        score += weights.success * helpfulness(candidate.successes)
        score += weights.topic * candidate.on_topic
        ranked.append(Ranked(candidate, relevant, score * weights.of_kind(candidate.kind)))
    return sorted(ranked, key=lambda item: (-item.score, item.candidate.id))


def are_twins(left: Candidate, right: Candidate) -> bool:
    """Whether two candidates say the same: the same event, or nearly the same words.

    Texts that differ in a number or an id are about different things.
    """
    if left.event and left.event == right.event:
        return True
    if not left.terms or not right.terms:
        return False
    shared = len(left.terms & right.terms)
    if shared < TWIN_OVERLAP * (len(left.terms) + len(right.terms) - shared):
        return False
    return not any(char.isdigit() for term in left.terms ^ right.terms for char in term)


def collapse_twins(ranked: Sequence[Ranked]) -> list[Ranked]:
    """One of each group of twins, at the group's best place; an episode stands for its turn.

    Every pair is compared, so only among the best `COMPARED`; the rest follows as it is.
    """
    kept: list[Ranked] = []
    for item in ranked[:COMPARED]:
        for place, other in enumerate(kept):
            if are_twins(item.candidate, other.candidate):
                kept[place] = _merged(other, item)
                break
        else:
            kept.append(item)
    return [*kept, *ranked[COMPARED:]]


def _merged(first: Ranked, second: Ranked) -> Ranked:
    episode = second.candidate.kind == "episode" and first.candidate.kind == "turn"
    same_event = first.candidate.event == second.candidate.event != ""
    return replace(
        second if episode else first,
        score=max(first.score, second.score),
        relevance=max(first.relevance, second.relevance),
        twins=first.twins + second.twins + (0 if same_event else 1),
    )


def fill_budget(
    ranked: Sequence[Ranked], sizes: Mapping[str, int], budget_tokens: int, *, limit: int
) -> list[Ranked]:
    """The items to show, best first, within the budget and the limit.

    The best item is tried first, then the others of the best `limit` by value per token, so that
    one long item does not push out three short ones; what is left goes to the next best that fit.
    Sizes are exact tokens by id.
    """
    if not ranked or limit < 1:
        return []
    best, others, later = ranked[0], list(ranked[1:limit]), ranked[limit:]
    others.sort(key=lambda item: (-_value_per_token(item, sizes), item.candidate.id))
    chosen: list[Ranked] = []
    left = budget_tokens
    for item in [best, *others, *later]:
        size = sizes[item.candidate.id]
        if size <= left and len(chosen) < limit:
            chosen.append(item)
            left -= size
    return sorted(chosen, key=lambda item: (-item.score, item.candidate.id))


def _value_per_token(item: Ranked, sizes: Mapping[str, int]) -> float:
    return item.score / max(sizes[item.candidate.id], 1)
