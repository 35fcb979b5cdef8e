"""Which expert and tool a request is for, or none of them.

A class's score is the cosine to the centroid of its examples plus the overlap of words, plus what
the structure says (ids, months, a demanded deed). "None of these" is calibrated on the examples
themselves, each left out in turn, against background utterances, each topic left out in turn.
"""

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from configs.expert import ExpertConfig
from models.embedded.background import BACKGROUND
from models.embedded.calibration import Logistic, fit_logistic, fit_temperature, softmax
from models.embedded.classes import (
    RequestClass,
    asks_for_rules,
    names_month,
    request_classes,
)
from models.embedded.demand import demands
from models.embedded.lexical import WordIndex
from models.embedded.patterns import AMOUNT, identifiers, masked
from models.embedded.vectors import stored_vectors
from models.embedded.words import stems
from models.embedding import Embedder, Vectors

WORD_WEIGHT: Final = 0.6
PREVIOUS_EXPERT: Final = 0.06
KNOWN_ID: Final = 0.12
FOREIGN_ID: Final = -0.3
NO_ID: Final = -0.08
RULES_ASKED: Final = 0.3
MONTH_NAMED: Final = 0.1
PRICE_NAMED: Final = 0.1
DEMANDED: Final = 0.3
NOT_DEMANDED: Final = -0.5
WITHOUT_TOOL: Final = -0.08
NAMED: Final = 0.15
FOLLOW_UP_EVIDENCE: Final = 0.1
_REFERENCE: Final = re.compile(
    r"\b(?:(?:this|that|the same|the) (?:one|invoice|bill|order|parcel|purchase|case|record)"
    r"|it|that|this)\b(?!'s)",
    re.IGNORECASE,
)
_LED_NAME: Final = re.compile(
    r"(?<=\bof |\bby )[A-Z][\w'-]+(?: (?:& )?[A-Z][\w'-]+)+"
    r"|(?<=\bfor |\bhas |\bdid )[A-Z][\w'-]+(?: (?:& )?[A-Z][\w'-]+)+"
    r"|(?<=\bfrom |\bdoes |\bwith |\bhave )[A-Z][\w'-]+(?: (?:& )?[A-Z][\w'-]+)+"
)
NAMELESS_EVIDENCE: Final = -0.05
ID_EVIDENCE: Final = 0.5
WORD_EVIDENCE: Final = 0.12
MONTH_EVIDENCE: Final = 0.1
ASIDE_EVIDENCE: Final = 0.06
SHORT_WORDS: Final = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """The best class for a text and how sure that is.

    Attributes:
        found: the best class.
        confidence: probability that the text is for the app at all and for this class.
        in_scope: probability that it is for the app at all.
        runner_up: the second best class, for asking back.
        demanded: whether the text demands the class's deed; False for read-only classes.
    """

    found: RequestClass
    confidence: float
    in_scope: float
    runner_up: RequestClass | None
    demanded: bool


@dataclass(frozen=True, slots=True)
class Place:
    """What stands before a text.

    Attributes:
        previous: the expert of the last turn, which a follow-up is likelier for.
        focus: ids that "it" may stand for, the likeliest first.
        continued: whether an earlier part of the same message is for the app.
    """

    previous: str | None = None
    focus: Sequence[str] = ()
    continued: bool = False


@dataclass(frozen=True, slots=True)
class _Trained:
    mean: Vectors
    centroids: Vectors
    background: Vectors
    lexicon: WordIndex
    scope: Logistic
    temperature: float


class Chooser:
    """Chooses by the experts' examples; trained at first use, in the thread that needs it."""

    def __init__(
        self, experts: Sequence[ExpertConfig], embedder: Embedder, folder: Path | None = None
    ) -> None:
        """Read the classes off the experts.

        Args:
            experts: the app's experts.
            embedder: gives the vectors.
            folder: where vectors of examples are kept between starts; None keeps none.
        """
        self.classes = request_classes(experts)
        self.kinds = frozenset(kind for one in self.classes for kind in one.kinds)
        self._embedder = embedder
        self._folder = folder
        self._trained: _Trained | None = None
        self._lock = threading.Lock()

    def choose(
        self, text: str, place: Place | None = None, *, expert: str | None = None
    ) -> Choice | None:
        """The class a text is for; None when there is no class to choose from.

        Args:
            text: one request.
            place: what stands before it.
            expert: only this expert's classes.
        """
        place = place or Place()
        at = [n for n, one in enumerate(self.classes) if expert in (None, one.expert)]
        if not at:
            return None
        trained = self.prepare()
        plain, evidence = self._read(trained, text, place)
        meant = referred(text, place.focus, self.kinds)
        scores = plain + np.asarray([self._shift(one, meant, place) for one in self.classes])
        order = sorted(at, key=lambda index: -scores[index])
        best = self.classes[order[0]]
        in_scope = trained.scope(evidence + self._sure_signs(best, text, place))
        return Choice(
            found=best,
            confidence=in_scope * float(softmax(scores[at] / trained.temperature).max()),
            in_scope=in_scope,
            runner_up=self.classes[order[1]] if len(order) > 1 else None,
            demanded=best.effect and demands(text, best.deeds),
        )

    def _read(
        self, trained: _Trained, text: str, place: Place
    ) -> tuple[NDArray[np.float64], float]:
        """Scores by likeness and the evidence of being for the app, with "it" filled in."""
        plain, evidence = self._plain(trained, text)
        nameless = _LED_NAME.sub("the customer", text)
        if nameless != text:  # a company called "… Books" is not about books
            evidence = max(evidence, self._plain(trained, nameless)[1] + NAMELESS_EVIDENCE)
        meant = referred(text, place.focus, self.kinds)
        if meant == text:
            return plain, evidence
        likeness, clear = self._plain(trained, meant)
        filled = clear if place.continued else (evidence + clear) / 2
        return (plain + likeness) / 2, max(evidence + FOLLOW_UP_EVIDENCE, filled)

    def _plain(self, trained: _Trained, text: str) -> tuple[NDArray[np.float64], float]:
        """Scores of the classes by likeness alone, and how far they are above the background."""
        plain = masked(text, self.kinds)
        vector = _centred(self._embedder.encode([plain]), trained.mean)[0]
        cosines = np.concatenate([trained.centroids @ vector, trained.background @ vector])
        scores = cosines + WORD_WEIGHT * trained.lexicon.scores(plain)
        own, other = scores[: len(self.classes)], scores[len(self.classes) :]
        evidence = float(own.max() - other.max())
        return own, evidence

    def _shift(self, one: RequestClass, text: str, place: Place) -> float:
        """What the structure of a text says for or against a class."""
        shift = self._id_shift(one, text, bool(place.focus))
        if one.effect:
            shift += DEMANDED if demands(text, one.deeds) else NOT_DEMANDED
        signs = (
            (PREVIOUS_EXPERT, one.expert == place.previous),
            (NAMED, not one.effect and bool(one.words & set(stems(text)))),
            (MONTH_NAMED, one.monthly and names_month(text)),
            (PRICE_NAMED, one.priced and AMOUNT.search(text) is not None),
            (RULES_ASKED, one.normative and asks_for_rules(text)),
            (WITHOUT_TOOL, one.tool is None),
        )
        return shift + sum(weight for weight, holds in signs if holds)

    def _id_shift(self, one: RequestClass, text: str, focused: bool) -> float:
        kinds = {found.kind for found in identifiers(text, self.kinds)}
        if kinds:
            return KNOWN_ID if kinds & one.kinds else FOREIGN_ID
        return NO_ID if one.anchored and not focused else 0.0

    def prepare(self) -> _Trained:
        """Train now if it has not been done; costs about 7 ms a text once, then a file read."""
        with self._lock:
            if self._trained is None:
                self._trained = self._train()
            return self._trained

    def _sure_signs(self, best: RequestClass, text: str, place: Place) -> float:
        """What is seldom off topic: ids, tool names, months of reports, short asides."""
        named = set(stems(text))
        own = any(one.words & named for one in self.classes if one.tool and not one.effect)
        aside = place.previous is not None and len(text.split()) <= SHORT_WORDS
        signs = (
            (ID_EVIDENCE, bool(identifiers(text, self.kinds))),
            (WORD_EVIDENCE, own),
            (MONTH_EVIDENCE, best.monthly and names_month(text)),
            (ASIDE_EVIDENCE, aside),
        )
        return sum(weight for weight, holds in signs if holds)

    def texts(self) -> list[str]:
        """All texts whose vectors are needed: the examples, then the background."""
        examples = [masked(text, self.kinds) for one in self.classes for text in one.examples]
        return [*examples, *(text for texts in BACKGROUND.values() for text in texts)]

    def _train(self) -> _Trained:
        examples = [masked(text, self.kinds) for one in self.classes for text in one.examples]
        owners = [at for at, one in enumerate(self.classes) for _ in one.examples]
        off = [text for texts in BACKGROUND.values() for text in texts]
        topics = [at for at, texts in enumerate(BACKGROUND.values()) for _ in texts]
        vectors = stored_vectors(self._embedder, self.texts(), self._folder)
        mean = vectors.mean(axis=0)
        centred = _centred(vectors, mean)
        owners += [len(self.classes) + topic for topic in topics]
        centroids = _centroids(centred, owners)
        lexicon = WordIndex([*examples, *off], owners)
        known, count = len(examples), len(self.classes)
        left_out = _left_out(centred, owners, centroids) + WORD_WEIGHT * lexicon.left_out()
        inside, outside = left_out[:known], left_out[known:]
        outside[np.arange(len(off)), owners[known:]] = -1.0  # no topic vouches for itself
        return _Trained(
            mean=mean,
            centroids=centroids[:count],
            background=centroids[count:],
            lexicon=lexicon,
            scope=fit_logistic(_above(inside, count), _above(outside, count)),
            temperature=fit_temperature(inside[:, :count], owners[:known]),
        )


def referred(text: str, focus: Sequence[str], kinds: frozenset[str]) -> str:
    """The text with the id that "it" or "that invoice" stands for, if it names none itself."""
    if not focus or identifiers(text, kinds):
        return text
    return _REFERENCE.sub(focus[0], text, count=1)


def _above(scores: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """How far the best of the first `count` columns is above the best of the others."""
    above: NDArray[np.float64] = scores[:, :count].max(axis=1) - scores[:, count:].max(axis=1)
    return above


def _centred(vectors: Vectors, mean: Vectors) -> Vectors:
    moved = vectors - mean
    unit: Vectors = moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9)
    return unit


def _centroids(vectors: Vectors, owners: Sequence[int]) -> Vectors:
    own = np.asarray(owners)
    sums = np.stack([vectors[own == at].sum(axis=0) for at in range(max(owners, default=-1) + 1)])
    unit: Vectors = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    return unit


def _left_out(vectors: Vectors, owners: Sequence[int], centroids: Vectors) -> NDArray[np.float64]:
    """Cosines to the centroids, each example's own centroid without the example."""
    own = np.asarray(owners)
    cosines: NDArray[np.float64] = (vectors @ centroids.T).astype(np.float64)
    for at, vector in enumerate(vectors):
        rest = vectors[own == own[at]].sum(axis=0) - vector
        cosines[at, own[at]] = float(vector @ rest) / max(float(np.linalg.norm(rest)), 1e-9)
    return cosines
