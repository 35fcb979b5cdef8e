"""Token buckets: how many requests and tokens a key may use per minute, shared by all who use it.

Interactive calls book ahead: they may take what is not there yet and wait until it is, first come
first served. Background calls never book ahead and leave a quarter of the bucket to the others, so
that no user waits for them.
"""

from dataclasses import dataclass, replace
from typing import Final

from configs.sections import RateSettings

RESERVE: Final = 0.25
"""Share of a bucket that background calls leave untouched."""
_MINUTE_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Bucket:
    """What is left for a key; below zero is booked ahead. Times are seconds since the epoch."""

    requests: float
    tokens: float
    at: float
    closed_until: float = 0.0


@dataclass(frozen=True, slots=True)
class Wish:
    """What a call wants to take, and how long it can wait for it.

    `again`: a try after a pause that the provider asked for, which closes the key to all others.
    """

    tokens: int
    patience_s: float
    background: bool = False
    again: bool = False
    requests: int = 1


@dataclass(frozen=True, slots=True)
class Grant:
    """Whether the wish was booked, and how long to wait: before sending, or before asking again."""

    booked: bool
    wait_s: float


def full(rate: RateSettings, now: float) -> Bucket:
    """A bucket that nobody has taken from."""
    return Bucket(_capacity(rate.requests_per_minute), _capacity(rate.tokens_per_minute), now)


def take(bucket: Bucket, rate: RateSettings, wish: Wish, now: float) -> tuple[Bucket, Grant]:
    """The bucket after a wish, and what came of it; a wish that is not booked takes nothing."""
    filled = refilled(bucket, rate, now)
    closed_s = 0.0 if wish.again else max(0.0, filled.closed_until - now)
    reserve = RESERVE if wish.background else 0.0
    wait_s = max(
        closed_s,
        _wait_s(filled.requests, wish.requests, rate.requests_per_minute, reserve),
        _wait_s(filled.tokens, wish.tokens, rate.tokens_per_minute, reserve),
    )
    if wait_s > (0.0 if wish.background else wish.patience_s):
        return filled, Grant(booked=False, wait_s=wait_s)
    taken = replace(
        filled, requests=filled.requests - wish.requests, tokens=filled.tokens - wish.tokens
    )
    return taken, Grant(booked=True, wait_s=wait_s)


def refilled(bucket: Bucket, rate: RateSettings, now: float) -> Bucket:
    """What has flowed in since the bucket was last looked at, up to one minute's worth."""
    seconds = max(0.0, now - bucket.at)
    return replace(
        bucket,
        requests=_level(bucket.requests, rate.requests_per_minute, seconds),
        tokens=_level(bucket.tokens, rate.tokens_per_minute, seconds),
        at=max(now, bucket.at),
    )


def _capacity(per_minute: float | None) -> float:
    return per_minute or 0.0


def _level(level: float, per_minute: float | None, seconds: float) -> float:
    if per_minute is None:
        return 0.0
    return min(per_minute, level + seconds * per_minute / _MINUTE_S)


def _wait_s(level: float, wanted: float, per_minute: float | None, reserve: float) -> float:
    """Seconds until the bucket holds what is wanted beside the reserve, or as much as it can."""
    if per_minute is None:
        return 0.0
    goal = min(wanted + reserve * per_minute, per_minute)
    return max(0.0, goal - level) * _MINUTE_S / per_minute
