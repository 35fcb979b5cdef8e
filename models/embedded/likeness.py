"""How alike a text is to each class of examples, and how clearly it is for the app at all.

A class's score is the cosine to the centroid of its examples plus the overlap of words. The
evidence of being for the app compares in a space where directions in which examples of one class
differ count less (the within-class covariance, shrunk towards a sphere, as in regularised
discriminant analysis), adds the nearest single example, and takes off the likeness to background
topics that are not the app's own. All constants were chosen on CLINC150's train part.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.embedded.calibration import Logistic, fit_logistic, softmax
from models.embedded.lexical import WordIndex
from models.embedding import Vectors

WORD_WEIGHT: Final = 0.6
LEAST_SHRINKAGE: Final = 0.85
MANY_EXAMPLES: Final = 1000
WORD_EVIDENCE: Final = 0.15
NEAREST_EVIDENCE: Final = 0.3
BACKGROUND_EVIDENCE: Final = 0.3
OWN_TOPIC: Final = 0.4
REJECTED_SHARE: Final = 0.014

__all__ = ["Likeness", "Scores", "softmax", "train"]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Trained on the examples of an app; see `train`.

    Attributes:
        scope: evidence to the probability that a text is for the app.
        breadth: classes to foreign topics, 1 at least; of a broad app the examples hold only a
            part of what is said to it.
    """

    mean: Vectors
    centroids: Vectors
    topics: Vectors
    spread: Vectors
    spread_examples: Vectors
    spread_centroids: Vectors
    lexicon: WordIndex
    scope: Logistic
    breadth: float

    def scores(self, text: str, vector: Vectors) -> Scores:
        """Score of each class.

        Args:
            text: the text, its ids masked.
            vector: its vector from the embedder.
        """
        centred = _unit((vector - self.mean)[None])
        overlap = self.lexicon.scores(text)[: len(self.centroids)]
        cosines: Scores = (self.centroids @ centred[0]).astype(np.float64)
        return cosines + WORD_WEIGHT * overlap

    def evidence(self, text: str, vector: Vectors) -> float:
        """The evidence that a text is for the app."""
        centred = _unit((vector - self.mean)[None])
        overlap = self.lexicon.scores(text)[: len(self.centroids)]
        spread = _unit(centred @ self.spread)
        found = _evidence(
            (spread @ self.spread_centroids.T).astype(np.float64),
            (spread @ self.spread_examples.T).astype(np.float64),
            overlap[None],
            (centred @ self.topics.T).astype(np.float64),
        )
        return float(found[0])


def train(
    examples: Sequence[str],
    owners: Sequence[int],
    background: Mapping[str, Sequence[str]],
    vectors: Vectors,
) -> Likeness:
    """Learn the classes from their examples; "for the app" is calibrated on left-out examples.

    Args:
        examples: texts of all classes, ids masked.
        owners: the class of each example, from 0 without gaps.
        background: texts that no app is meant for, by topic. A topic that the app's own classes
            are close to is left out.
        vectors: of the examples, then of the background's texts.
    """
    off = [text for texts in background.values() for text in texts]
    own = np.asarray(owners)
    topics = np.asarray([at for at, texts in enumerate(background.values()) for _ in texts])
    mean = vectors.mean(axis=0)
    centred = _unit(vectors - mean)
    inside, outside = centred[: len(examples)], centred[len(examples) :]
    centroids = _centroids(inside, own)
    foreign = _foreign(outside, topics, centroids)
    topic_centroids = _centroids(outside, topics)
    spread = _within_class(inside, own)
    wide, wide_off = _unit(inside @ spread), _unit(outside @ spread)
    wide_centroids = _centroids(wide, own)
    lexicon = WordIndex([*examples, *off], [*owners, *(topics + len(centroids)).tolist()])
    words = lexicon.left_out()[: len(examples), : len(centroids)]
    overlap_off = np.stack([lexicon.scores(text)[: len(centroids)] for text in off])
    among = (wide @ wide.T).astype(np.float64)
    np.fill_diagonal(among, -1.0)
    kept = topic_centroids[foreign] if foreign.any() else topic_centroids
    known = _evidence(
        _left_out(wide, own, wide_centroids), among, words, (inside @ kept.T).astype(np.float64)
    )
    alone = _left_out(outside, topics, topic_centroids)
    alone[np.arange(len(off)), topics] = -1.0  # no topic vouches for itself
    unknown = _evidence(
        (wide_off @ wide_centroids.T).astype(np.float64),
        (wide_off @ wide.T).astype(np.float64),
        overlap_off,
        alone[:, foreign] if foreign.sum() > 1 else alone,
    )
    breadth = max(1.0, len(centroids) / (float(foreign.sum()) + 1))
    return Likeness(
        mean=mean,
        centroids=centroids,
        topics=kept,
        spread=spread,
        spread_examples=wide,
        spread_centroids=wide_centroids,
        lexicon=lexicon,
        scope=_scope(
            known,
            unknown[foreign[topics]] if foreign.any() else unknown,
            breadth,  # a broad app is asked for more
        ),
        breadth=breadth,
    )


def _scope(known: Scores, unknown: Scores, odds: float) -> Logistic:
    """A half at the curve's own middle, moved by the odds that a request is for the app.

    Few of the app's own examples are refused, however narrow it is.
    """
    curve = fit_logistic(known, unknown)
    middle = -(curve.intercept + math.log(odds)) / curve.slope
    middle = max(middle, float(np.quantile(known, REJECTED_SHARE)))
    return Logistic(curve.slope, -curve.slope * middle)


def _evidence(classes: Scores, examples: Scores, overlap: Scores, topics: Scores) -> Scores:
    best: Scores = (
        (classes + WORD_EVIDENCE * overlap).max(axis=1)
        + NEAREST_EVIDENCE * examples.max(axis=1)
        - BACKGROUND_EVIDENCE * topics.max(axis=1)
    )
    return best


def _foreign(vectors: Vectors, topics: NDArray[np.int64], centroids: Vectors) -> NDArray[np.bool_]:
    """Which topics the app's classes are not close to."""
    nearest = (vectors @ centroids.T).max(axis=1)
    closeness = np.bincount(topics, weights=nearest) / np.bincount(topics)
    foreign: NDArray[np.bool_] = closeness < OWN_TOPIC
    return foreign


def _within_class(vectors: Vectors, owners: NDArray[np.int64]) -> Vectors:
    """The map that makes the shrunk within-class covariance a sphere."""
    means = np.stack([vectors[owners == at].mean(axis=0) for at in range(owners.max() + 1)])
    apart = vectors - means[owners]
    covariance = apart.T @ apart / len(apart)
    size = len(covariance)
    sphere = np.trace(covariance) / size * np.eye(size)
    seen = min(1.0, (len(vectors) - len(means)) / MANY_EXAMPLES)  # few examples say little
    trust = (1 - LEAST_SHRINKAGE) * seen
    values, directions = np.linalg.eigh(trust * covariance + (1 - trust) * sphere)
    mapped: Vectors = (directions / np.sqrt(np.maximum(values, 1e-9))).astype(np.float32)
    return mapped


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit


def _centroids(vectors: Vectors, owners: NDArray[np.int64]) -> Vectors:
    return _unit(np.stack([vectors[owners == at].sum(axis=0) for at in range(owners.max() + 1)]))


def _left_out(vectors: Vectors, owners: NDArray[np.int64], centroids: Vectors) -> Scores:
    """Cosines to the centroids, each example's own centroid without the example."""
    cosines: Scores = (vectors @ centroids.T).astype(np.float64)
    for at, vector in enumerate(vectors):
        rest = vectors[owners == owners[at]].sum(axis=0) - vector
        length = max(float(np.linalg.norm(rest)), 1e-9)
        cosines[at, owners[at]] = float(vector @ rest) / length
    return cosines
