"""Scores to probabilities: a one-dimensional logistic fit and a softmax."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

_RIDGE: Final = 1e-2
_STEPS: Final = 50


@dataclass(frozen=True, slots=True)
class Logistic:
    """p = 1 / (1 + exp(-(slope * x + intercept)))."""

    slope: float
    intercept: float

    def __call__(self, x: float, more: float = 0.0) -> float:
        """The probability at x; `more` are log odds from elsewhere."""
        z = self.slope * x + self.intercept + more
        return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, z))))


def fit_logistic(inside: ArrayLike, outside: ArrayLike) -> Logistic:
    """The curve that tells two groups of scores apart; both groups weigh the same.

    A small penalty on the slope keeps it finite when the groups do not overlap.
    """
    groups = (np.asarray(inside, dtype=np.float64), np.asarray(outside, dtype=np.float64))
    x = np.concatenate(groups)
    y = np.concatenate([np.ones(len(groups[0])), np.zeros(len(groups[1]))])
    weight = np.concatenate([np.full(len(group), 0.5 / max(len(group), 1)) for group in groups])
    features = np.stack([x, np.ones_like(x)], axis=1)
    penalty = np.diag([_RIDGE / 100, 1e-9])
    beta = np.array([1.0, -float(x.mean())])
    for _ in range(_STEPS):
        z = np.clip(features @ beta, -50, 50)
        p = 1.0 / (1.0 + np.exp(-z))
        gradient = features.T @ (weight * (y - p)) - penalty @ beta
        curvature = (features.T * (weight * p * (1 - p))) @ features + penalty
        step = np.linalg.solve(curvature + 1e-9 * np.eye(2), gradient)
        beta = beta + np.clip(step, -5, 5)
        if float(np.abs(step).max()) < 1e-6:
            break
    return Logistic(float(beta[0]), float(beta[1]))


def softmax(scores: ArrayLike) -> NDArray[np.float64]:
    """Shares that add up to 1 along the last axis."""
    values = np.asarray(scores, dtype=np.float64)
    powers = np.exp(values - values.max(axis=-1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return shares
